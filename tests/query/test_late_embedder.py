"""An embedder that hangs, or takes its time to load: a search has its words, and nobody else waits."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import treegraph
from hanging import Hanging, left_behind, until_none_is_left
from hash_embedder import FakeHashEmbedder
from small_index import CONFIG, build, open_small
from small_mill import mill_config, write_mill
from small_plant import PLANT, write_plant
from treegraph.indexer.errors import IndexIncompatible, WorkError
from treegraph.indexer.models.ports import Vectors
from treegraph.pipelines import loading_models
from treegraph.query.index import Index

QUESTION = "At what pressure does the relief valve RV-7 open?"
SAID = "The relief valve RV-7 of the feed pump opens at 8 bar. [1]"
SOON = 0.3


class Embedder(FakeHashEmbedder):
    """``questions`` and ``passages`` are called before each embedding of such."""

    def __init__(self) -> None:
        super().__init__()
        self.concurrency = 1
        self.questions: Any = lambda: None
        self.passages: Any = lambda: None

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.passages()
        return super().embed(texts)

    def embed_question(self, question: str) -> Vectors:
        self.questions()
        return super().embed_question(question)


@pytest.fixture
def hanging() -> Iterator[Hanging]:
    held = Hanging()
    yield held
    held.go.set()
    until_none_is_left()


@pytest.fixture(scope="module")
def mill(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("late")
    build(home / "index", write_mill(home / "mill"), config=mill_config(), without=("tree", "graph"))
    return home / "index"


@pytest.fixture(scope="module")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("late")
    build(home / "index", write_plant(home / "plant", 1), config=PLANT)
    return home / "index"


def opened(path: Path, embedder: Embedder) -> Index:
    return treegraph.open_index(path, config=CONFIG, embedder=embedder)


@pytest.mark.parametrize("route", ["auto", "hybrid", "tree", "graph"])
def test_the_words_alone_find_where_the_embedder_is_late(plant: Path, hanging: Hanging, route: str) -> None:
    embedder = Embedder()
    embedder.questions = hanging.around(lambda: None)
    with opened(plant, embedder) as index:
        began = time.monotonic()
        found = index.search("When was CR1.RUN lost?", route=route, deadline=2 * SOON)
        assert time.monotonic() - began < 4 * SOON
        assert found.degraded == (("dense",) if route in ("auto", "hybrid") else ("dense", route))
        assert found.route.used == ("hybrid",)
        assert "the embedder was late" in found.route.why
        assert "CR1.RUN" in found[0].text
        assert {hit.scores["dense"] for hit in found} == {0.0}
        hanging.go.set()
        until_none_is_left()
        assert not index.search("When was CR1.RUN lost?", route=route, deadline=30).degraded


def test_many_searches_leave_one_embedding_behind(mill: Path, hanging: Hanging) -> None:
    embedder = Embedder()
    embedder.questions = hanging.around(lambda: None)
    with opened(mill, embedder) as index:
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda _: index.search(QUESTION, deadline=0.1), range(20)))
        assert all("dense" in each.degraded or "hybrid" in each.degraded for each in found)
        assert left_behind() <= 2
        assert hanging.entered <= 2


def test_what_is_left_behind_keeps_nobody_from_the_embedder(mill: Path, hanging: Hanging) -> None:
    embedder = Embedder()
    embedder.questions = hanging.around(lambda: None)
    with opened(mill, embedder) as index:
        assert "dense" in index.search(QUESTION, deadline=SOON).degraded
        embedder.questions = lambda: None
        with ThreadPoolExecutor(1) as pool:
            assert not pool.submit(index.search, QUESTION).result(timeout=10).degraded


def test_a_late_embedding_is_waited_for_within_the_time_of_the_next(mill: Path, hanging: Hanging) -> None:
    embedder = Embedder()
    embedder.questions = hanging.around(lambda: None)
    with opened(mill, embedder) as index:
        assert "dense" in index.search(QUESTION, deadline=SOON).degraded
        threading.Timer(0.2, hanging.go.set).start()
        assert not index.search(QUESTION, deadline=30).degraded


def test_an_extract_is_chosen_by_words_where_the_embedder_is_late(mill: Path, hanging: Hanging) -> None:
    embedder = Embedder()
    embedder.passages = hanging.around(lambda: None)
    with opened(mill, embedder) as index:
        began = time.monotonic()
        answer = index.ask(QUESTION, deadline=1.0)
        assert time.monotonic() - began < 2.5
    assert answer.text == SAID
    assert answer.result.degraded == ("dense",)


def test_words_that_do_not_tell_are_no_word_of_the_documents(mill: Path, hanging: Hanging) -> None:
    embedder = Embedder()
    embedder.questions = hanging.around(lambda: None)
    with opened(mill, embedder) as index, pytest.raises(WorkError, match="later deadline"):
        index.ask("What is the capital of Mongolia?", deadline=SOON)


def test_a_model_that_loads_slowly_is_left_to_load(
    mill: Path, hanging: Hanging, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(self: Any) -> Embedder:
        loads.append(1)
        hanging.around(lambda: None)()
        return Embedder()

    loads: list[int] = []
    monkeypatch.setattr(loading_models.Models, "embedder", load)
    with open_small(mill) as index:
        assert index.search(QUESTION, deadline=SOON).degraded == ("dense",)
        assert index.search(QUESTION, deadline=SOON).degraded == ("dense",)
        assert loads == [1]
        hanging.go.set()
        until_none_is_left()
        assert not index.search(QUESTION, deadline=30).degraded
        assert loads == [1]


def test_another_model_than_the_indexs_is_refused_within_a_deadline_too(mill: Path) -> None:
    other = FakeHashEmbedder(name="another")
    with (
        treegraph.open_index(mill, config=CONFIG, embedder=other) as index,
        pytest.raises(IndexIncompatible, match="another"),
    ):
        index.search(QUESTION, deadline=30)
