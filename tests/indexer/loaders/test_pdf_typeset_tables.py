"""Tables that were typeset from known cells: what the PDF's text gives of them, at their places."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from treegraph.indexer.loaders.pdf import read_pdf
from treegraph.indexer.loaders.settings import LoadSettings
from treegraph.indexer.types import Content
from typeset_tables import Known, Score, score, tables_of, typeset

SEED, HELD_BACK = 1, 20_261
LEAST = 0.99
"""Share of the cells of all pages of a seed; of no single kind less than ``EACH``."""
EACH = 0.9

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


@pytest.mark.parametrize("name", ["over_repeated", "over_bare", "over_span", "over_book", "over_book_bare"])
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
