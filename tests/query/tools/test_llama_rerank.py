"""The index's rerankers as a node postprocessor."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from tiny_onnx import cross_encoder
from treegraph.indexer.errors import ConfigurationError, ModelCallError, ModelUnavailable
from treegraph.indexer.models.rerankers import OnnxReranker
from treegraph.query.index import Index

pytest.importorskip("llama_index.core")

from llama_index.core.postprocessor import SimilarityPostprocessor
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, TextNode
from scripted_llm import ScriptedLLM
from treegraph.query.tools.llama_rerank import RerankPostprocessor

QUESTION = "At what pressure does the gate open?"


class Shortest:
    """Prefers short passages, and keeps them."""

    name = "shortest"

    def __init__(self) -> None:
        self.passages: list[str] = []

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        self.passages.extend(passages)
        return [-float(len(passage)) for passage in passages]


class Broken(Shortest):
    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        raise ModelCallError("no")


class Slow(Shortest):
    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        time.sleep(0.5)
        return super().score(question, passages)


def ids(nodes: Sequence[NodeWithScore]) -> list[str]:
    return [item.node.node_id for item in nodes]


def test_a_cross_encoder_reorders_what_was_retrieved(station: Index, tmp_path: Path) -> None:
    """The index's own ONNX adapter, over a tiny model."""
    folder = cross_encoder(tmp_path / "cross")
    found = station.as_retriever(k=6).retrieve(QUESTION)
    reread = RerankPostprocessor(reranker=f"onnx:{folder}", top_n=3).postprocess_nodes(
        found, query_str=QUESTION
    )
    passages = [f"{item.node.metadata['context']}\n{item.node.get_content()}" for item in found]
    scores = OnnxReranker(folder).score(QUESTION, passages)
    order = sorted(range(6), key=lambda place: (-scores[place], place))[:3]
    assert ids(reread) == [found[place].node.node_id for place in order]
    assert [item.score for item in reread] == [scores[place] for place in order]
    assert ids(found) == ids(station.as_retriever(k=6).retrieve(QUESTION))


def test_it_works_in_an_engine_beside_others(station: Index) -> None:
    shortest = Shortest()
    steps = [
        RerankPostprocessor(reranker=shortest, top_n=2),
        SimilarityPostprocessor(similarity_cutoff=-9999),
    ]
    engine = RetrieverQueryEngine.from_args(
        station.as_retriever(k=5), llm=ScriptedLLM(), node_postprocessors=steps
    )
    response = asyncio.run(engine.aquery(QUESTION))
    lengths = sorted(len(passage) for passage in shortest.passages)
    assert [-(item.score or 0) for item in response.source_nodes] == lengths[:2]


def test_a_node_of_others_is_read_as_it_is_embedded() -> None:
    shortest = Shortest()
    node = TextNode(text="text", metadata={"author": "x", "id": "y"}, excluded_embed_metadata_keys=["id"])
    RerankPostprocessor(reranker=shortest).postprocess_nodes([NodeWithScore(node=node)], query_str="q")
    assert shortest.passages == ["author: x\n\ntext"]


@pytest.mark.parametrize(("model", "seconds"), [(Broken(), 0.0), (Slow(), 0.05)])
def test_where_the_model_fails_or_is_late_the_order_stands(
    station: Index, model: Shortest, seconds: float, caplog: pytest.LogCaptureFixture
) -> None:
    found = station.as_retriever(k=4).retrieve(QUESTION)
    step = RerankPostprocessor(reranker=model, top_n=2, seconds=seconds)
    with caplog.at_level(logging.WARNING):
        kept = step.postprocess_nodes(found, query_str=QUESTION)
    assert kept == found[:2]
    assert "the order of 4 nodes stands" in caplog.text


def test_what_is_no_reranker_is_named() -> None:
    with pytest.raises(ConfigurationError, match="neither a Reranker nor"):
        RerankPostprocessor(reranker=3)
    with pytest.raises(ConfigurationError, match="not known"):
        RerankPostprocessor(reranker="bert")
    with pytest.raises(ConfigurationError, match="empty"):
        RerankPostprocessor(reranker="")
    with pytest.raises(ModelUnavailable):
        RerankPostprocessor(reranker="onnx:/nowhere")
    with pytest.raises(ConfigurationError, match="question"):
        RerankPostprocessor(reranker=Shortest()).postprocess_nodes([NodeWithScore(node=TextNode(text="t"))])
    assert RerankPostprocessor(reranker=Shortest()).postprocess_nodes([], query_str="q") == []


def test_it_can_be_written_down_without_its_model() -> None:
    step = RerankPostprocessor(reranker=Shortest(), top_n=3)
    assert step.to_dict()["top_n"] == 3
    assert "reranker" not in step.to_dict()
