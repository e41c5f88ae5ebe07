"""Made corpora: from real text, the same each time, and never the same passage twice."""

from __future__ import annotations

import threading
from itertools import islice
from pathlib import Path

import pytest
import treegraph
from hypothesis import given, settings
from hypothesis import strategies as st
from small_index import CONFIG, manual
from treegraph.pipelines.benchmark.corpus import Corpora
from treegraph.pipelines.benchmark.recipe import Passage, made_documents
from treegraph.pipelines.events import ignore_events


def _library(documents: int, passages: int) -> list[list[Passage]]:
    return [
        [
            Passage(" ".join(f"Fact {d}.{p}.{s} holds for all." for s in range(6)), f"Section {d}.{p // 4}")
            for p in range(passages)
        ]
        for d in range(documents)
    ]


def _passages(texts: list[str]) -> list[str]:
    return [part for text in texts for part in text.strip().split("\n\n") if not part.startswith("#")]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(15, 30))
def test_no_passage_comes_twice_and_the_real_ones_come_first(
    seed: int, documents: int, passages: int
) -> None:
    library = _library(documents, passages)
    made = [document.text for document in islice(made_documents(library, seed), 4)]
    found = _passages(made)
    real = {passage.text for document in library for passage in document}
    assert len(found) == len(set(found))
    assert set(found[: len(real)]) <= real
    assert not set(found[len(real) :]) & real
    assert made == [document.text for document in islice(made_documents(library, seed), 4)]


def test_a_new_passage_is_made_of_the_sentences_of_its_document() -> None:
    (document,) = _library(1, 5)
    sentences = {f"Fact 0.{p}.{s} holds for all." for p in range(5) for s in range(6)}
    for passage in _passages([made.text for made in islice(made_documents([document], 3), 3)]):
        parts = {f"{part.rstrip('.')}." for part in passage.split(" Fact ")}
        assert {part if part.startswith("Fact") else f"Fact {part}" for part in parts} <= sentences


def test_passages_are_counted_and_stand_under_headings() -> None:
    made = next(made_documents(_library(3, 40), 0))
    assert made.passages == len(_passages([made.text]))
    assert made.text.startswith("# Section ")
    assert made.name == "000001.md"


def test_other_seeds_make_other_documents() -> None:
    library = _library(2, 20)
    assert next(made_documents(library, 0)).text != next(made_documents(library, 1)).text


def test_too_little_text_is_said() -> None:
    with pytest.raises(treegraph.SourceUnreadable, match="hold no text"):
        next(made_documents([[]], 0))
    with pytest.raises(treegraph.SourceUnreadable, match="too little text"):
        list(islice(made_documents([[Passage("One sentence.", "")]], 0), 3))


def _corpora(folder: Path, sizes: tuple[int, ...], source: Path, seed: int = 0) -> Corpora:
    return Corpora(folder, sizes, [str(source)], CONFIG, seed, ignore_events, threading.Event())


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("source")
    texts = {
        f"m{n}": "\n\n".join(f"# Part {n}.{p}\n\n" + f"Valve {n}.{p} opens. " * 30 for p in range(12))
        for n in range(3)
    }
    return manual(home / "manuals", **texts)


def _texts(folders: list[str]) -> list[str]:
    return [path.read_text() for folder in folders for path in sorted(Path(folder).iterdir())]


def test_a_smaller_corpus_is_the_beginning_of_a_larger_one(source: Path, tmp_path: Path) -> None:
    corpora = _corpora(tmp_path / "one", (60, 150), source)
    large = _texts(corpora.sources(150))
    small = _texts(corpora.sources(60))
    assert small == large[: len(small)]
    assert len(small) < len(large)
    assert len(_passages(small)) >= 60
    assert large == _texts(_corpora(tmp_path / "two", (150,), source).sources(150))


def test_what_is_written_is_kept_and_what_was_cut_short_is_written_again(
    source: Path, tmp_path: Path
) -> None:
    first = _corpora(tmp_path, (60, 150), source).sources(150)
    texts = _texts(first)
    kept = Path(first[0], "kept")
    kept.touch()
    Path(f"{first[1]}.json").unlink()
    again = _corpora(tmp_path, (60, 150), source).sources(150)
    assert kept.exists()
    kept.unlink()
    assert _texts(again) == texts


def test_making_it_stops_when_told_to(source: Path, tmp_path: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(treegraph.Cancelled):
        Corpora(tmp_path, (60,), [str(source)], CONFIG, 0, ignore_events, cancel).sources(60)
