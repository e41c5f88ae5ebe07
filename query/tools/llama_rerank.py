"""The index's rerankers as a node postprocessor of LlamaIndex."""

from __future__ import annotations

import logging
from typing import Any

from llama_index.core.bridge.pydantic import Field, field_validator
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle

from ...indexer.errors import ConfigurationError
from ...indexer.models import as_reranker, load_reranker
from ...indexer.models.ports import Reranker
from ...indexer.models.settings import RerankSettings
from ..rerank import scores_in_time

log = logging.getLogger(__name__)


class RerankPostprocessor(BaseNodePostprocessor):
    """Reorders nodes by a cross-encoder, such as ``FlagReranker``, and keeps the ``top_n`` best (None: all).

    ``reranker`` is a :class:`~treegraph.indexer.models.ports.Reranker`, or its name in the configuration:
    ``flag:BAAI/bge-reranker-v2-m3``, ``onnx:PATH``. A node of the index is read with its context, as it
    was indexed. Where the model fails, or takes more than ``seconds`` (0: without a limit), the order
    stands. It is for passages: a summary does not compare with them, nor does what is a link away.
    """

    reranker: Any = Field(exclude=True)
    top_n: int | None = Field(default=None, ge=1)
    seconds: float = Field(default=0.0, ge=0.0)

    @field_validator("reranker", mode="before")
    @classmethod
    def _as_reranker(cls, model: Any) -> Reranker:
        """Raises ConfigurationError for what is no reranker, ModelUnavailable for one that cannot load."""
        return _reranker(model)

    @classmethod
    def class_name(cls) -> str:
        """The name that LlamaIndex serialises it under."""
        return "TreegraphRerankPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        if query_bundle is None:
            raise ConfigurationError("reranking needs the question: give query_str or query_bundle")
        if not nodes:
            return []
        passages = [_passage(item.node) for item in nodes]
        scores = scores_in_time(self.reranker, query_bundle.query_str, passages, self.seconds)
        if scores is None:
            log.warning("no reranking: the order of %d nodes stands", len(nodes))
            return nodes[: self.top_n]
        order = sorted(range(len(nodes)), key=lambda place: (-scores[place], place))
        return [NodeWithScore(node=nodes[place].node, score=scores[place]) for place in order[: self.top_n]]


def _reranker(model: Any) -> Reranker:
    if not isinstance(model, str):
        return as_reranker(model)
    if (loaded := load_reranker(RerankSettings(model=model))) is None:
        raise ConfigurationError("the name of the reranker is empty")
    return loaded


def _passage(node: BaseNode) -> str:
    """The text of a node with its context before it; of another's node, what is to be embedded."""
    context = node.metadata.get("context")
    if not context:
        return node.get_content(MetadataMode.EMBED)
    return f"{context}\n{node.get_content(MetadataMode.NONE)}"
