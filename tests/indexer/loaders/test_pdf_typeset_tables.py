"""Tables that were typeset from known cells: what the PDF's text gives of them, at their places."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pymupdf
import pytest
from treegraph.indexer.loaders.pdf import read_pdf
from treegraph.indexer.loaders.settings import LoadSettings
from treegraph.indexer.types import Content
from typeset_drawing import Cell, Table, draw_table
from typeset_tables import Known, Score, score, tables_of, typeset

SEED, HELD_BACK = 1, 20_261
LEAST = 0.99
"""Share of the cells of all pages of a seed; of no single kind less than ``EACH``."""
EACH = 0.9

OVERLEAF = (
    "over_repeated", "over_bare", "over_span", "over_book", "over_book_bare", "over_last", "over_last_lines",
    "over_last_book",
)  # fmt: skip

Read = dict[str, tuple[Content, Known]]


def _read(seed: int, folder: Path) -> Read:
    return {
        known.name: (read_pdf(path, LoadSettings(), None), known) for path, known in typeset(seed, folder)
    }


@pytest.fixture(scope="module")
def by_seed(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Read]:
    return {seed: _read(seed, tmp_path_factory.mktemp("typeset")) for seed in (SEED, HELD_BACK)}


@pytest.fixture
def pages(by_seed: dict[int, Read]) -> Read:
    return by_seed[SEED]


@pytest.mark.parametrize("seed", [SEED, HELD_BACK])
def test_nearly_every_cell_stands_at_its_place(seed: int, by_seed: dict[int, Read]) -> None:
    scores = {name: score(content, known) for name, (content, known) in by_seed[seed].items()}
    assert len(scores) >= 20
    assert {name: held for name, held in scores.items() if held.right < EACH * held.known} == {}
    right, known, given = (sum(column) for column in zip(*map(_counts, scores.values()), strict=True))
    assert right >= LEAST * known
    assert right >= LEAST * given


def _counts(held: Score) -> tuple[int, int, int]:
    return held.right, held.known, held.given


def test_captions_go_with_their_tables(pages: Read) -> None:
    for content, known in pages.values():
        captions = {block.caption for block in content.blocks if block.kind == "table"}
        assert set(known.captions) <= captions, known.name


@pytest.mark.parametrize("name", OVERLEAF)
def test_a_table_that_goes_on_overleaf_is_one_and_its_rows_keep_their_pages(pages: Read, name: str) -> None:
    content, known = pages[name]
    (block,) = [block for block in content.blocks if block.kind == "table"]
    first, second = content.pages[:2]
    assert first.start < block.start < first.end == second.start < block.end <= second.end
    rows = content.text[block.start : block.end].splitlines()
    assert len(rows) == len(known.tables[0]) + 1
    assert content.text[second.start : block.end].splitlines()[-1] == rows[-1]
    assert all(one.end == other.start for one, other in pairwise(content.pages))
    assert content.text.count(rows[0]) == 1


def test_a_header_that_is_repeated_overleaf_is_counted_as_left_out(pages: Read) -> None:
    assert pages["over_repeated"][0].dropped["repeated table header"] > 0
    assert pages["over_book"][0].dropped["repeated table header"] > len("Table 1 (continued)")
    assert "repeated table header" not in pages["over_bare"][0].dropped


@pytest.mark.parametrize(
    "line",
    [
        pytest.param((("3.1", 72), ("Valves", 110)), id="a heading"),
        pytest.param((("Boiler", 72), ("see chapter", 176), ("nine", 262)), id="words where figures are"),
        pytest.param((("Boiler", 72), ("42", 190)), id="a column that is always filled is empty"),
        pytest.param((("Boiler and what belongs to it in all", 72), ("42", 190)), id="over two columns"),
    ],
)
def test_a_line_overleaf_that_does_not_fit_the_columns_is_no_row(
    tmp_path: Path, line: tuple[tuple[str, float], ...]
) -> None:
    cells = [Cell(0, 0, "Device"), Cell(0, 1, "Power", "r"), Cell(0, 2, "Unit")]
    for row, name in enumerate(("Pump", "Mill", "Fan", "Lift"), 1):
        cells += [Cell(row, 0, name), Cell(row, 1, str(17 * row), "r"), Cell(row, 2, "kW")]
    with pymupdf.open() as document:
        draw_table(document.new_page(), Table(tuple(cells), (90.0, 90.0, 60.0), style="book"), 72, 400)
        page = document.new_page()
        for text, left in line:
            page.insert_text((left, 80), text, fontsize=9)
        page.insert_text((72, 120), "What is said of them stands in the chapter on power.", fontsize=9)
        document.save(tmp_path / "line.pdf")
    content = read_pdf(tmp_path / "line.pdf", LoadSettings(), None)
    (table,) = tables_of(content)
    assert len(table) == 5
    assert line[0][0] in content.text[content.pages[1].start :]


def test_notes_below_a_table_stay_outside_of_it(pages: Read) -> None:
    content, known = pages["book_notes"]
    (table,) = tables_of(content)
    assert len(table) == len(known.tables[0])
    assert "\na  The " in content.text


def test_a_title_over_columns_is_once_in_the_header_that_chunks_repeat(pages: Read) -> None:
    content, known = pages["ruled_span"]
    (block,) = [block for block in content.blocks if block.kind == "table"]
    label, least, most, usual, top = known.tables[0][0]
    assert block.header == " | ".join((label, least, most.split(" / ")[1], usual, top.split(" / ")[1]))
