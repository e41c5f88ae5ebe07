"""LlamaIndex embeddings and postprocessors behind our ports."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from treegraph.indexer.errors import ConfigurationError, ModelCallError, ModelUnavailable
from treegraph.indexer.models import as_embedder, as_reranker, load_embedder, load_reranker
from treegraph.indexer.models.settings import EmbedSettings, RerankSettings

llama = pytest.importorskip("llama_index.core")

from llama_index.core import MockEmbedding  # noqa: E402
from llama_index.core.base.embeddings.base import BaseEmbedding  # noqa: E402
from llama_index.core.postprocessor.types import BaseNodePostprocessor  # noqa: E402
from llama_index.core.schema import NodeWithScore, QueryBundle  # noqa: E402


class Letters(BaseEmbedding):
    """Counts letters; fails as often as it is told to, and takes a passage and a question differently."""

    fail: int = 0
    error: Any = ConnectionError

    def _get_text_embedding(self, text: str) -> list[float]:
        if self.fail:
            self.fail -= 1
            raise self.error("down")
        return [float(text.count(letter)) for letter in "abc"]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(f"a{query}")

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


class Shortest(BaseNodePostprocessor):
    """Keeps the ``top_n`` shortest, shortest first."""

    top_n: int = 2
    scored: bool = True

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        assert query_bundle is not None
        best = sorted(nodes, key=lambda item: len(item.node.get_content()))[: self.top_n]
        return [
            NodeWithScore(node=item.node, score=-float(len(item.node.get_content())) if self.scored else None)
            for item in best
        ]


class Picky(Shortest):
    """Without a setting for how many."""

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return super()._postprocess_nodes(nodes, query_bundle)[:1]


def test_any_embedding_gives_unit_vectors() -> None:
    embedder = as_embedder(Letters())
    assert embedder.dimension == 3
    vectors = embedder.embed(["aab", "ccc", ""])
    np.testing.assert_allclose(vectors, [[2 / 5**0.5, 1 / 5**0.5, 0], [0, 0, 1], [0, 0, 0]], atol=1e-6)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(embedder.embed_question("b"), [0.5**0.5, 0.5**0.5, 0], atol=1e-6)
    assert embedder.embed([]).shape == (0, 3)
    assert as_embedder(embedder) is embedder
    assert "Letters" in embedder.name or "base" in embedder.name.lower()


def test_a_lost_connection_is_tried_again_and_a_wrong_call_is_not() -> None:
    model = Letters()
    embedder = as_embedder(model)
    model.fail = 1
    assert embedder.embed(["b"]).shape == (1, 3)
    model.fail, model.error = 1, ValueError
    with pytest.raises(ModelCallError, match="ValueError"):
        embedder.embed(["b"])
    assert model.fail == 0


def test_classes_that_say_only_what_all_are_called_are_told_apart() -> None:
    class OtherLetters(Letters):
        pass

    names = {as_embedder(model).name for model in (Letters(), OtherLetters())}
    assert len(names) == 2
    assert all("Letters" in name for name in names)


def test_models_by_class_name() -> None:
    with pytest.raises(ModelUnavailable, match="failed"):  # it must be told its dimension
        load_embedder(EmbedSettings(model="llama:llama_index.core.MockEmbedding"))
    with pytest.raises(ModelUnavailable, match="cannot be imported"):
        load_embedder(EmbedSettings(model="llama:no_such_module.Class"))
    found = load_reranker(RerankSettings(model="llama:llama_index.core.postprocessor.LongContextReorder"))
    assert found is not None
    assert len(found.score("q", ["a", "b", "c"])) == 3


def test_what_a_postprocessor_leaves_out_is_below_the_rest() -> None:
    passages = ["four", "a", "seventh"]
    assert as_reranker(Shortest()).score("q", passages) == [-4.0, -1.0, -7.0]
    picky = as_reranker(Picky()).score("q", passages)
    assert picky[1] > picky[0] == picky[2]
    by_place = as_reranker(Shortest(scored=False)).score("q", passages)
    assert by_place[1] > by_place[0] > by_place[2]
    assert list(as_reranker(Shortest()).score("q", [])) == []


def test_a_postprocessor_is_not_called_after_the_deadline() -> None:
    from treegraph.indexer.models.rerankers import LlamaReranker

    reranker = LlamaReranker(Shortest())
    with pytest.raises(ModelCallError, match="time"):
        reranker.score("q", ["a"], deadline=time.monotonic() - 1)


def test_other_objects_are_refused() -> None:
    for adapt in (as_embedder, as_reranker):
        with pytest.raises(ConfigurationError):
            adapt(object())


def test_a_mock_embedding_of_llamaindex_is_one_too() -> None:
    assert as_embedder(MockEmbedding(embed_dim=4)).dimension == 4
