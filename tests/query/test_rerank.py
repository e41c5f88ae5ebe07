"""Reranking under a time limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hash_embedder import FakeHashEmbedder
from treegraph.indexer.errors import ModelCallError, ModelUnavailable
from treegraph.indexer.models.ports import Reranker
from treegraph.indexer.words import WordEncoder
from treegraph.query.index import Index
from treegraph.query.models import ModelLoaders
from treegraph.query.read_settings import ReadSettings
from treegraph.query.rerank import RerankLimits

Opener = Callable[..., Index]
QUESTION = "relief valve of the boiler"


class FakeShortest:
    """Prefers short passages."""

    name = "shortest"

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        return [-float(len(passage)) for passage in passages]


class FakeFailing(FakeShortest):
    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        raise ModelCallError("no")


class FakeBroken(FakeShortest):
    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        raise RuntimeError("no")


class FakeForgetful(FakeShortest):
    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        return [1.0]


class FakeNan(FakeShortest):
    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        return [float("nan")] * len(passages)


class FakeSlow(FakeShortest):
    """Hangs until told to go on; minds no deadline."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        self.go.wait(30)
        return super().score(question, passages)


class FakePunctual(FakeShortest):
    """Minds its deadline."""

    def __init__(self) -> None:
        self.deadlines: list[float | None] = []

    def score(self, question: str, passages: Sequence[str], deadline: float | None = None) -> Sequence[float]:
        self.deadlines.append(deadline)
        return super().score(question, passages)


def opened(opener: Opener, path: Path, reranker: Reranker, limits: RerankLimits | None = None) -> Index:
    loaders = ModelLoaders(FakeHashEmbedder, WordEncoder, lambda: reranker)
    return opener(path, loaders=loaders, settings=ReadSettings(rerank=limits or RerankLimits()))


def test_the_reranker_orders_what_it_rereads(library_path: Path, opener: Opener) -> None:
    with opened(opener, library_path, FakeShortest(), RerankLimits(candidates=3)) as index:
        result = index.search(QUESTION)
        plain = index.search(QUESTION, rerank=False)
    assert result.degraded == plain.degraded == ()
    assert [hit.ranks["reranked"] for hit in result] == [1, 2, 3, *[None] * (len(result) - 3)]
    assert {hit.id for hit in result[:3]} == {hit.id for hit in plain[:3]}
    lengths = [len(f"{hit.context}\n{hit.text}") for hit in result[:3]]
    assert lengths == sorted(lengths)
    assert [hit.id for hit in result[3:]] == [hit.id for hit in plain[3:]]
    assert [hit.score for hit in result] == sorted((hit.score for hit in result), reverse=True)
    assert all(hit.ranks["reranked"] is None for hit in plain)


@pytest.mark.parametrize("reranker", [FakeFailing(), FakeBroken(), FakeForgetful(), FakeNan()])
def test_the_fused_order_stands_when_it_fails(library_path: Path, opener: Opener, reranker: Reranker) -> None:
    with opened(opener, library_path, reranker) as index:
        result = index.search(QUESTION)
        plain = index.search(QUESTION, rerank=False)
    assert result.degraded == ("rerank",)
    assert result.to_json()["degraded"] == ["rerank"]
    assert [(hit.id, hit.score) for hit in result] == [(hit.id, hit.score) for hit in plain]


def test_the_fused_order_stands_when_it_is_late(library_path: Path, opener: Opener) -> None:
    slow = FakeSlow()
    with opened(opener, library_path, slow, RerankLimits(seconds=0.05)) as index:
        result = index.search(QUESTION)
    slow.go.set()
    assert result.degraded == ("rerank",)
    assert 0.05 <= result.seconds["rerank"] < 5


def test_a_deadline_is_handed_to_who_takes_one(library_path: Path, opener: Opener) -> None:
    punctual = FakePunctual()
    with opened(opener, library_path, punctual, RerankLimits(seconds=9)) as index:
        assert index.search(QUESTION).degraded == ()
    (deadline,) = punctual.deadlines
    assert deadline is not None
    assert 0 < deadline - time.monotonic() <= 9


def test_a_reranker_that_cannot_load_is_done_without_unless_asked_for(
    library_path: Path, opener: Opener
) -> None:
    def unavailable() -> Reranker:
        raise ModelUnavailable("its package is missing")

    loaders = ModelLoaders(FakeHashEmbedder, WordEncoder, unavailable)
    with opener(library_path, loaders=loaders) as index:
        assert index.search(QUESTION).degraded == ("rerank",)
        with pytest.raises(ModelUnavailable):
            index.search(QUESTION, rerank=True)


def test_who_asks_for_it_on_the_tree_route_is_told_that_there_is_none(
    library_path: Path, opener: Opener
) -> None:
    with opened(opener, library_path, FakeShortest()) as index:
        asked = index.search(QUESTION, route="tree", rerank=True)
        assert asked.degraded == ("rerank",)
        assert {hit.ranks["reranked"] for hit in asked} == {None}
        for rerank in (None, False):
            assert index.search(QUESTION, route="tree", rerank=rerank).degraded == ()
        assert index.search(QUESTION, route="hybrid", rerank=True).degraded == ()
