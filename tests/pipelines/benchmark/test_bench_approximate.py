"""Approximate against exact search, through the store that indexes use."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
import treegraph
from treegraph.pipelines.benchmark.approximate import CHANGED, measure_approximation
from treegraph.pipelines.events import Event, ignore_events


def _documents(count: int, rows: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    vectors = random.standard_normal((count, rows, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
    return {f"document {number}": each for number, each in enumerate(vectors)}


def test_a_small_store_is_searched_exactly_however_often_it_was_built(tmp_path: Path) -> None:
    documents = _documents(40, 5)
    events: list[Event] = []
    found = measure_approximation(
        documents, documents["document 3"], tmp_path / "store", 1, 0, events.append, threading.Event()
    )
    assert found.recall == {0: 1.0, 1: 1.0}
    assert (found.rows, found.queries, found.changed) == (36 * 5, 5, CHANGED)
    assert min(found.exact, found.graph, found.aged, found.graph_wall, found.update_wall) > 0
    assert [event.done for event in events] == [0]
    assert not (tmp_path / "store").exists()


def test_it_stops_when_told_to_and_leaves_nothing_behind(tmp_path: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    documents = _documents(12, 2)
    with pytest.raises(treegraph.Cancelled):
        measure_approximation(
            documents, documents["document 1"], tmp_path / "store", 1, 0, ignore_events, cancel
        )
    assert not (tmp_path / "store").exists()
