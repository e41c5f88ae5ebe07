"""The index as a retriever of LlamaIndex."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, get_args

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks.base import CallbackManager
from llama_index.core.schema import NodeWithScore, QueryBundle

from ...indexer.errors import ConfigurationError
from ..result import SearchResult
from .llama_nodes import nodes_of
from .llama_options import ScoredBy, SearchOptions, settled

if TYPE_CHECKING:
    from typing import Unpack

    from ..index import Index


class IndexRetriever(BaseRetriever):
    """Searches an index with options that are settled when it is made, its reader's labels among them;
    a question brings nothing but its text. Safe from several threads, as the index is."""

    def __init__(
        self,
        index: Index,
        scored_by: ScoredBy = "score",
        callback_manager: CallbackManager | None = None,
        **options: Unpack[SearchOptions],
    ) -> None:
        """Raises ConfigurationError for an option that no question could be asked with."""
        if scored_by not in get_args(ScoredBy):
            raise ConfigurationError(f"scored_by is score or relevance, not {scored_by!r}")
        super().__init__(callback_manager=callback_manager)
        self._index = index
        self._scored_by: ScoredBy = scored_by
        self._options = settled(options)

    def search(self, question: str) -> SearchResult:
        """The result that the nodes are made of. Raises what :meth:`..index.Index.search` raises."""
        return self._index.search(question, **self._options)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        result = self.search(query_bundle.query_str)
        chunks = [hit.id for hit in result.hits if hit.kind == "chunk"]
        images = self._index.chunk_images(chunks, self._options.get("labels"))
        return nodes_of(result, self._scored_by, images)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)
