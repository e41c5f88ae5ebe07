"""How long searches take, and what is asked."""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
import treegraph
from hash_embedder import FakeHashEmbedder
from hypothesis import given
from hypothesis import strategies as st
from small_index import CONFIG, build, manual
from treegraph.indexer.models.ports import Vectors
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.pipelines.benchmark.sampled import sample_questions
from treegraph.pipelines.benchmark.search import bench_search
from treegraph.pipelines.benchmark.search_report import Spread

TEXT = "The relief valve opens when the boiler pressure exceeds eight bar. " * 3
ZH = "安全阀在八巴时打开每月检查安全阀并且记录压力"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("bench")
    texts = {f"part{n}": f"# Part {n}\n\n{TEXT} Number {'abcdefghij'[n]}.\n" for n in range(8)}
    build(home / "index", manual(home / "manuals", zh=f"# 水泵\n\n{ZH}\n", **texts))
    return home / "index"


class Remembering(FakeHashEmbedder):
    """Answers a question that it knows from memory, as encoders do; ``asked`` are those that it computed."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self._remembered = lru_cache(maxsize=256)(self._new)

    def embed_question(self, question: str) -> Vectors:
        return self._remembered(question)

    def _new(self, question: str) -> Vectors:
        self.asked.append(question)
        return super().embed_question(question)


def test_each_route_is_timed_first_and_by_the_number_of_clients(small: Path) -> None:
    embedder = Remembering()
    found = bench_search(small, clients=(1, 3), sample=6, config=CONFIG, embedder=embedder)
    assert [(t.route, t.clients, t.warmed) for t in found.timings] == [
        (route, *how)
        for route in ("hybrid", "tree", "graph", "auto")
        for how in ((1, False), (1, True), (3, True))
    ]
    assert found.left_out == {}
    assert found.sampled
    assert all(timing.searches == found.questions for timing in found.timings)
    assert all(t.total.p50 <= t.total.p95 <= t.total.p99 for t in found.timings)
    assert all(t.without_embedding.p50 < t.total.p50 and t.per_second > 0 for t in found.timings)
    assert len(embedder.asked) == 1 + 12 * found.questions, "no question is answered from memory"


def test_questions_come_from_a_file(small: Path, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"text": "When does the valve open?"}\n\n{"text": "How many bar?"}\n', "utf-8")
    embedder = Remembering()
    found = bench_search(small, file, clients=(1,), config=CONFIG, embedder=embedder)
    assert (found.questions, found.sampled) == (2, False)
    assert {asked.strip() for asked in embedder.asked} >= {"When does the valve open?", "How many bar?"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"text": "fine"}\nnot json\n', r"questions.jsonl, line 2: this is no JSON"),
        ('{"text": "fine"}\n\n{"question": "?"}\n', r"questions.jsonl, line 3: there is no question"),
        ("\n", "holds no questions"),
    ],
)
def test_a_wrong_file_is_named_with_its_line(small: Path, tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(text, "utf-8")
    with pytest.raises(treegraph.ConfigurationError, match=complaint):
        bench_search(small, file, config=CONFIG, embedder=FakeHashEmbedder())


def test_wrong_arguments(small: Path, tmp_path: Path) -> None:
    with pytest.raises(treegraph.ConfigurationError, match="clients"):
        bench_search(small, clients=(0,), config=CONFIG)
    with pytest.raises(treegraph.IndexNotFound):
        bench_search(tmp_path / "nowhere", config=CONFIG)


def test_the_sample_is_made_of_the_index_s_words_and_seeded(small: Path) -> None:
    folder = IndexFolder.open(small)
    try:
        one, same, other = (sample_questions(folder, 1, 9, seed) for seed in (1, 1, 2))
    finally:
        folder.close()
    assert one == same != other
    words = set(TEXT.replace(".", " ").split()) | {"Number", "Part"}
    for question in one:
        assert set(question.split()) <= words or set(question) <= set(f"{ZH}水泵 ")
    assert not any(word in ("the", "The", "when") for question in one for word in question.split())


def test_it_stops_when_told_to(small: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(treegraph.Cancelled):
        bench_search(small, config=CONFIG, embedder=FakeHashEmbedder(), cancel=cancel)


def test_the_report_as_json_tables_and_plots(small: Path) -> None:
    found = bench_search(small, clients=(1, 2), sample=4, config=CONFIG, embedder=FakeHashEmbedder())
    data = found.to_json()
    assert (data["kind"], len(data["timings"])) == ("search", 12)
    (table,) = found.tables()
    assert [row[:3] for row in table.rows] == [
        (route, *how)
        for route in ("hybrid", "tree", "graph", "auto")
        for how in (("1", "first time"), ("1", "again"), ("2", "again"))
    ]
    latency, rate = found.panels()
    assert latency.curves[0].x == rate.curves[0].x == (1.0, 2.0)


@given(st.lists(st.floats(0.001, 10), min_size=1))
def test_a_spread_is_the_percentiles(seconds: list[float]) -> None:
    found = Spread.of(seconds)
    assert min(seconds) <= found.p50 <= found.p95 <= found.p99 <= max(seconds)
    assert found.p50 == pytest.approx(float(np.median(seconds)))


def test_auto_is_not_timed_where_it_is_another_route(tmp_path: Path) -> None:
    build(tmp_path / "index", manual(tmp_path / "m", part=f"# Part\n\n{TEXT}\n"), without=["tree", "graph"])
    found = bench_search(
        tmp_path / "index", clients=(1,), sample=2, config=CONFIG, embedder=FakeHashEmbedder()
    )
    assert {timing.route for timing in found.timings} == {"hybrid"}
    assert found.left_out.keys() == {"tree", "graph", "auto"}
    assert found.left_out["auto"] == "it is hybrid here: no other structure is built"
