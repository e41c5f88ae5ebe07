"""Pages of all kinds of tables whose cells are known, made from a seed, and how many of them a text gives.

Every kind of table that :func:`typeset` knows is drawn once a seed, among prose, with other words, numbers,
widths and lengths for each seed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pymupdf
from treegraph.indexer.types import Content
from typeset_sheet import Sheet
from typeset_sheets import SHEETS

_FOOT = 790


@dataclass(frozen=True)
class Known:
    """What a page's tables hold: each a header and rows of cells, with its caption."""

    name: str
    tables: tuple[list[list[str]], ...]
    captions: tuple[str, ...]


@dataclass(frozen=True)
class Score:
    """Of ``known`` cells with text ``right`` are at their place; the tables that were read have ``given``."""

    right: int
    known: int
    given: int


def typeset(seed: int, folder: Path) -> Iterator[tuple[Path, Known]]:
    """A PDF for each kind of table, and what it holds."""
    for name, make in SHEETS.items():
        sheet = make(random.Random(f"{seed} {name}"))
        path = folder / f"{name}.pdf"
        _save(sheet, path)
        yield path, Known(name, tuple(sheet.known), tuple(sheet.captions))


def _save(sheet: Sheet, path: Path) -> None:
    document = pymupdf.open()
    for number, parts in enumerate(sheet.pages, 1):
        page = document.new_page()
        page.insert_text((72, 40), "Handbook of the plant, third edition", fontsize=8)
        page.insert_text((290, _FOOT + 25), str(number), fontsize=8)
        y = 70.0
        for part in parts:
            y = part(page, y)
    document.save(path)
    document.close()


def tables_of(content: Content) -> list[list[list[str]]]:
    """The Markdown tables of a text, as rows of cells."""
    return [cells(content.text[block.start : block.end]) for block in content.blocks if block.kind == "table"]


def cells(markdown: str) -> list[list[str]]:
    """The cells of a Markdown table, without the line below its header."""
    rows = [line.strip()[1:-1] for line in markdown.splitlines() if line.strip().startswith("|")]
    del rows[1:2]
    return [[cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", row)] for row in rows]


def score(content: Content, known: Known) -> Score:
    """How many of the known cells the text's tables give at their places, each table by the one that suits it
    best."""
    found = tables_of(content)
    right = sum(max((_right(table, given) for given in found), default=0) for table in known.tables)
    return Score(right, sum(map(_size, known.tables)), sum(map(_size, found)))


def _right(known: list[list[str]], given: list[list[str]]) -> int:
    return sum(
        1
        for row, other in zip(known, given, strict=False)
        for cell, text in zip(row, other, strict=False)
        if cell and cell == text and len(row) == len(other)
    )


def _size(table: list[list[str]]) -> int:
    return sum(1 for row in table for cell in row if cell)
