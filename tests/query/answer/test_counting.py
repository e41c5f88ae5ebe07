"""'How many' and 'list all' without a model: the index counts, says which, and where each is named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest
from small_index import build, open_small
from small_station import CANARIES, build_station
from treegraph.query.index import Index
from typeset_drawing import Cell, Table, draw_table


@pytest.fixture(scope="module")
def station_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_station(tmp_path_factory.mktemp("counting"))


@pytest.fixture
def station(station_path: Path) -> Iterator[Index]:
    with open_small(station_path) as index:
        yield index


def test_the_number_of_documents_is_the_answer(station: Index) -> None:
    answer = station.ask("How many documents are there?")
    assert answer.found
    assert answer.grounded
    assert answer.text.startswith("documents: 4: ")
    assert len(answer.citations) == 4
    assert {citation.source for citation in answer.citations} == {
        document.source for document in station.documents.values()
    }
    assert all(citation.chunk for citation in answer.citations)


def test_a_reader_is_told_of_what_it_may_read(station: Index) -> None:
    answer = station.ask("How many documents are there?", labels=[])
    assert answer.text.startswith("documents: 3: ")
    said = str(answer.to_json())
    assert not any(canary in said for canary in CANARIES)


def test_what_nothing_is_known_of_is_not_counted(station: Index) -> None:
    answer = station.ask("How many zeppelins are there?")
    assert not answer.found
    assert answer.result.enumeration is None


@pytest.mark.parametrize(
    "question",
    [
        "How many documents are in Klingon?",
        "List all documents about steam",
        "Wie viele Dokumente nennen PUMP-12?",
    ],
)
def test_a_condition_is_not_looked_at_and_that_is_said(station: Index, question: str) -> None:
    """All there are is no answer to how many of them: no number is given as one."""
    answer = station.ask(question)
    assert answer.result.enumeration is not None
    assert answer.result.enumeration.beside
    assert not answer.text.lower().startswith(("documents:", "dokumente:"))


@pytest.mark.parametrize(
    "question",
    ["How many documents are there?", "how many documents are available in total",
     "Wie viele Dokumente gibt es?", "List all documents", "有多少文档？", "ドキュメントはいくつ"],
)  # fmt: skip
def test_a_plain_question_for_all_has_no_condition(station: Index, question: str) -> None:
    enumeration = station.ask(question).result.enumeration
    assert enumeration is not None
    assert enumeration.beside == ()


def test_rows_are_told_with_their_table_and_pages_and_by_their_first_cells(tmp_path: Path) -> None:
    (tmp_path / "plant").mkdir()
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 80), "Table 3: Relays of the pump")
    cells = [Cell(0, 0, "Name"), Cell(0, 1, "Use")]
    for row in range(1, 13):
        cells += [Cell(row, 0, f"K{row:02}"), Cell(row, 1, f"Switches valve {row}")]
    draw_table(page, Table(tuple(cells), (90.0, 150.0)), 72, 100)
    document.save(tmp_path / "plant" / "pump.pdf")
    (tmp_path / "plant" / "notes.html").write_text(
        "<h1>Spares</h1><table><tr><th>Fuse</th><th>Pieces</th></tr><tr><td>F1: slow</td><td>2</td></tr>"
        "<tr><td>F2</td><td>3</td></tr></table>"
    )
    build(tmp_path / "index", tmp_path / "plant", without=("tree", "graph"))
    with open_small(tmp_path / "index") as index:
        relays = index.ask("How many relays are there?")
        fuses = index.ask("How many fuses are there?")
    shown = ", ".join(f"K{row:02}" for row in range(1, 11))
    assert relays.text.startswith(f"relays, in Table 3: Relays of the pump (p. 1): 12: {shown}, … [1]")
    assert relays.citations[0].pages == (1,)
    assert fuses.text.startswith("fuses, in Spares: 2: F1, F2 [1]")
