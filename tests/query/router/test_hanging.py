"""Stores that hang, and fail not: what is left behind is bounded, and no search waits for it twice."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hanging import Hanging, left_behind, until_none_is_left
from small_index import build, open_small
from small_plant import PLANT, write_plant
from treegraph.query.graph import GraphRetriever
from treegraph.query.hybrid import HybridRetriever
from treegraph.query.index import Index
from treegraph.query.tree import TreeRetriever

WHOLE = "overview of Unit U2"
FACT = "When was CR1.RUN lost?"
SOON = 0.4
"""Seconds in which what does not hang answers."""


@pytest.fixture(scope="module")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("plant")
    build(home / "index", write_plant(home / "plant"), config=PLANT)
    return home / "index"


@pytest.fixture
def index(plant: Path) -> Iterator[Index]:
    with open_small(plant) as opened:
        for route in ("tree", "graph"):  # what is read at the first use
            opened.search(WHOLE, route=route)
        yield opened


@pytest.fixture
def hanging() -> Iterator[Hanging]:
    held = Hanging()
    yield held
    held.go.set()


@pytest.mark.parametrize(
    ("route", "kind", "name", "question"),
    [
        ("graph", GraphRetriever, "links", FACT),
        ("tree", TreeRetriever, "__call__", WHOLE),
    ],
)
def test_what_hangs_is_asked_once_and_again_when_it_came_back(
    index: Index,
    hanging: Hanging,
    monkeypatch: pytest.MonkeyPatch,
    route: str,
    kind: Any,
    name: str,
    question: str,
) -> None:
    monkeypatch.setattr(kind, name, hanging.around(getattr(kind, name)))
    first = index.search(question, deadline=SOON)
    assert first.degraded == (route,)
    assert hanging.entered == 1
    for deadline in (SOON, 30, None):
        began = time.monotonic()
        found = index.search(question, deadline=deadline)
        assert time.monotonic() - began < SOON, "nobody waits for what is known to hang"
        assert found.degraded == (route,)
        assert route not in found.route.used
        assert len(found) > 0
    began = time.monotonic()
    fixed = index.search(question, route=route, deadline=30)
    assert time.monotonic() - began < SOON
    assert (fixed.degraded, fixed.route.used) == ((route,), ("hybrid",))
    assert hanging.entered == 1
    hanging.go.set()
    until_none_is_left()
    assert not index.search(question, deadline=30).degraded
    assert index.search(question, route=route, deadline=30).route.used == (route,)


def test_two_hundred_searches_leave_few_threads_behind(
    index: Index, hanging: Hanging, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("links", "__call__"):
        monkeypatch.setattr(GraphRetriever, name, hanging.around(getattr(GraphRetriever, name)))
    monkeypatch.setattr(TreeRetriever, "__call__", hanging.around(TreeRetriever.__call__))
    routes = ("auto", "graph", "tree", "auto")
    with ThreadPoolExecutor(4) as pool:
        found = list(
            pool.map(lambda number: index.search(WHOLE, route=routes[number % 4], deadline=SOON), range(200))
        )
    assert all(len(result) > 0 for result in found)
    assert all(result.degraded for result in found)
    assert left_behind() <= 8, "at most one a route of those that were asked at the same time"
    assert index._opened is not None
    assert index._opened._holders <= 8


def test_hybrid_is_waited_for_since_nothing_stands_in_for_it(
    index: Index, hanging: Hanging, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HybridRetriever, "__call__", hanging.around(HybridRetriever.__call__))
    for _ in range(5):
        found = index.search(FACT, deadline=0.1)
        assert (found.degraded, len(found)) == (("hybrid",), 0)
    assert left_behind() == hanging.entered == 1
    later = threading.Timer(0.2, hanging.go.set)
    later.start()
    assert len(index.search(FACT, deadline=30)) > 0, "it came back in time"
    until_none_is_left()


def test_what_is_listed_is_left_out_where_its_store_hangs(
    index: Index, hanging: Hanging, monkeypatch: pytest.MonkeyPatch
) -> None:
    from treegraph.query.router import enumerating

    monkeypatch.setattr(enumerating, "enumerate_kind", hanging.around(enumerating.enumerate_kind))
    for _ in range(3):
        found = index.search("How many units are there?", deadline=SOON)
        assert found.enumeration is None
        assert "enumeration" in found.degraded
        assert len(found) > 0
    assert left_behind() == hanging.entered == 1
