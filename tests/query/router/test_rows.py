"""Rows of tables that are counted and listed: whose table they are, where, and who may see them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from openpyxl import Workbook
from scripted_reader import ScriptedReader
from small_index import build, manual, open_small
from small_plant import PLANT
from treegraph.indexer.loaders.settings import LoadSettings
from treegraph.indexer.models import ocr
from treegraph.indexer.pages import PageImage, PageReading, ReadLine
from treegraph.indexer.stores.edge_snapshot import EdgeSnapshot
from treegraph.query import tables
from treegraph.query.enumeration import Group
from treegraph.query.index import Index
from typeset_drawing import Cell, Table, draw_table

RELAYS = [(f"K{n}", f"{12 + n} V", f"switches the pump of tank {n} on and off by hand") for n in range(1, 41)]
FAULTS = ("E11", "E12", "E13", "E14", "E15", "E16", "E17")


def markdown() -> str:
    rows = "\n".join(f"| {' | '.join(row)} |" for row in RELAYS)
    return (
        "# Switching\n\n## Board\n\nTable 4: Relays of the board\n\n"
        f"| Name | Voltage | Use |\n| --- | --- | --- |\n{rows}\n\nThe board is green.\n\n"
        "## Parts\n\n| Part | Pieces |\n| --- | --- |\n"
        "| Spare fuse | 12 |\n| Main fuse | 3 |\n| Cover | 1 |\n"
    )


def faults(path: Path) -> None:
    """A table of fault codes over two pages of a PDF, with a title between its rows."""
    document = pymupdf.open()
    parts = (FAULTS[:4], FAULTS[4:])
    for number, codes in enumerate((*parts, (), ()), 1):
        page = document.new_page()
        page.insert_text((72, 40), "Heron handbook", fontsize=8)
        page.insert_text((290, 815), str(number), fontsize=8)
        page.insert_text(
            (72, 80 if codes == FAULTS[:4] else 600), "The supply tells what it lacks.", fontsize=10
        )
        if codes:
            cells = [Cell(0, 0, "Fault code"), Cell(0, 1, "Meaning"), Cell(0, 2, "Level")]
            if codes == FAULTS[:4]:
                cells.append(Cell(1, 0, "Codes of the supply", across=3))
            first = 2 if codes == FAULTS[:4] else 1
            for row, code in enumerate(codes, first):
                cells += [Cell(row, 0, code), Cell(row, 1, f"Too hot by {row}"), Cell(row, 2, str(row))]
            draw_table(page, Table(tuple(cells), (90.0, 150.0, 60.0)), 72, 120 if first == 2 else 70)
    document.save(path)
    document.close()


def workbook(path: Path) -> None:
    book = Workbook()
    sheet = book.active
    for row in (("Sensor", "Range"), ("Level", "0-10"), ("Flow", "0-5"), ("Heat", "0-90")):
        sheet.append(row)
    book.save(path)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("rows")
    folder = home / "plant"
    folder.mkdir()
    (folder / "switching.md").write_text(markdown(), "utf-8")
    (folder / "secret.html").write_text(
        "<h1>Vault</h1><table><caption>Relays of the vault</caption><tr><th>Name</th><th>Volt</th></tr>"
        "<tr><td>V1</td><td>5</td></tr><tr><td>V2</td><td>6</td></tr></table>",
        "utf-8",
    )
    (folder / "secret.html.meta.toml").write_text('labels = ["staff"]\n', "utf-8")
    faults(folder / "heron.pdf")
    workbook(folder / "sensors.xlsx")
    build(home / "index", folder, config=PLANT)
    return home


@pytest.fixture
def index(home: Path) -> Iterator[Index]:
    with open_small(home / "index") as opened:
        yield opened


def rows(index: Index, question: str, **options: object) -> list[Group]:
    found = index.search(question, **options).enumeration  # type: ignore[arg-type]
    return [group for group in found.groups if group.kind == "row"] if found else []


def test_all_rows_of_a_table_whose_caption_says_the_kind_are_counted(index: Index) -> None:
    board = next(group for group in rows(index, "How many relays are there?") if "board" in group.table)
    assert board.count == len(RELAYS) == len(board.items)
    assert board.complete
    assert board.table == "Table 4: Relays of the board"
    assert [item.name.partition(":")[0] for item in board.items] == [name for name, _, _ in RELAYS]
    assert {item.where for item in board.items} == {"plant/switching.md"}
    last = board.items[-1]
    assert last.name == f"K40: {RELAYS[-1][1]}; {RELAYS[-1][2]}"
    assert "K40" in index.read(last.chunk).text
    assert len({item.chunk for item in board.items}) > 3


def test_a_question_that_names_a_column_and_a_row_finds_that_row_first(index: Index) -> None:
    for name, voltage, _ in RELAYS[5::7]:
        best = index.search(f"What is the voltage of relay {name}?", k=1).hits[0]
        assert f"| {name} |" in best.text
        assert best.text.count("\n") <= 4
        assert f"Name: {name}; Voltage: {voltage}; Use: " in best.context
        assert best.context.split("\n")[:2] == ["Switching > Board", "Table 4: Relays of the board"]


def test_a_table_over_two_pages_of_a_pdf_is_one_and_titles_between_rows_do_not_count(index: Index) -> None:
    (group,) = rows(index, "List all fault codes")
    assert [item.name.partition(":")[0] for item in group.items] == list(FAULTS)
    assert group.count == 7
    assert group.complete
    assert group.pages == (1, 2)
    assert "first column" in group.note
    assert "heron.pdf, p. 1-2" in group.note


def test_rows_that_say_the_kind_themselves_are_counted_alone(index: Index) -> None:
    (group,) = rows(index, "How many fuses are there?")
    assert {item.name for item in group.items} == {"Spare fuse: 12", "Main fuse: 3"}
    assert "say so themselves" in group.note


def test_a_sheet_is_a_table(index: Index) -> None:
    (group,) = rows(index, "How many sensors are there?")
    assert {item.name.partition(":")[0] for item in group.items} == {"Level", "Flow", "Heat"}


def test_who_may_not_read_a_document_sees_none_of_its_rows(index: Index) -> None:
    every = rows(index, "How many relays are there?")
    assert {group.count for group in every} == {len(RELAYS), 2}
    result = index.search("How many relays are there?", labels=[]).to_json()
    assert "vault" not in json.dumps(result["enumeration"])
    assert [group["count"] for group in result["enumeration"]["groups"] if group["kind"] == "row"] == [
        len(RELAYS)
    ]
    narrowed = rows(index, "How many relays are there?", sources=["*.html"])
    assert [group.count for group in narrowed] == [2]


def test_rows_are_told_as_json_with_their_table_and_pages(index: Index) -> None:
    told = index.search("List all fault codes").to_json()["enumeration"]
    row = next(group for group in told["groups"] if group["kind"] == "row")
    assert row["pages"] == [1, 2]
    assert row["table"]
    assert row["items"][0]["name"].startswith("E11: ")


@pytest.fixture(scope="module")
def long_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of more chunks than are looked at at once, and a short one after it."""
    home = tmp_path_factory.mktemp("long")
    lines = "".join(
        f"| valve V{n} | in hall {n} of the northern building, by the door |\n" for n in range(700)
    )
    text = (
        f"# Hall\n\nTable 1: Valves\n\n| Valve | Place |\n| --- | --- |\n{lines}\nThe end of it.\n\n"
        "Table 2: Spare valves\n\n| Valve | Pieces |\n| --- | --- |\n| valve S1 | 3 |\n"
    )
    build(home / "index", manual(home / "hall", hall=text), config=PLANT, without=("tree", "graph"))
    return home / "index"


def test_a_long_table_is_read_to_its_end_and_each_of_its_chunks_once(
    long_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: Counter[int] = Counter()
    fetch = EdgeSnapshot.fetch

    def counting(self: EdgeSnapshot, where: Any, *args: Any, **options: Any) -> Any:
        found = fetch(self, where, *args, **options)
        if where.ordinals:
            fetched.update(row.payload["ordinal"] for row in found)
        return found

    with open_small(long_path) as index:
        index.search("valves", route="hybrid")
        monkeypatch.setattr(EdgeSnapshot, "fetch", counting)
        told = {group.table: group for group in rows(index, "How many valves are there?")}
    assert told["Table 1: Valves"].count == 700
    assert told["Table 1: Valves"].complete
    assert told["Table 2: Spare valves"].count == 1
    assert len(fetched) > 200
    assert sum(fetched.values()) < 1.5 * len(fetched)


def test_of_a_table_too_long_its_first_rows_are_counted_and_that_is_said(
    long_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MOST_READ", 100)
    with open_small(long_path) as index:
        told = {group.table: group for group in rows(index, "How many valves are there?")}
    assert told.keys() == {"Table 1: Valves", "Table 2: Spare valves"}
    cut = told["Table 1: Valves"]
    assert 40 < cut.count < 200
    assert not cut.complete
    assert "not all of it was read" in cut.note


class UnsureReader(ScriptedReader):
    """Reads what stands on the pages of a PDF, and that of the second unsurely."""

    def __init__(self, path: Path) -> None:
        super().__init__(str)
        self._path = path

    def read(self, image: PageImage) -> PageReading:
        sure = 0.3 if image.number == 2 else 0.9
        with pymupdf.open(self._path) as document:
            blocks = document[image.number - 1].get_text("dict")["blocks"]
        spans = [span for block in blocks for line in block.get("lines", ()) for span in line["spans"]]
        lines = tuple(ReadLine(span["text"], tuple(span["bbox"]), sure) for span in spans)
        return PageReading(image.number, "ocr", lines, confidence=sure)


def test_rows_that_were_read_unsurely_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scans = tmp_path / "scans"
    scans.mkdir()
    faults(scans / "heron.pdf")
    monkeypatch.setattr(ocr, "load_ocr", lambda settings: UnsureReader(scans / "heron.pdf"))
    config = replace(PLANT, load=LoadSettings(pdf="ocr"))
    build(tmp_path / "index", scans, without=("tree", "graph"), config=config)
    with open_small(tmp_path / "index") as index:
        (every,) = rows(index, "List all fault codes")
        (sure,) = rows(index, "List all fault codes", min_confidence=0.6)
    assert (every.count, every.complete) == (len(FAULTS), True)
    assert 0 < sure.count < len(FAULTS)
    assert not sure.complete
    assert f"without {len(FAULTS) - sure.count} that were not read surely" in sure.note


@pytest.mark.parametrize(
    ("overleaf", "count", "complete"),
    [
        ((("E18", 72), ("Too hot by 9", 166), ("9", 316)), 8, True),
        ((("E18", 72), ("Too hot by 9", 166), ("high", 316)), 7, False),
        ((("The next chapter is on the drive.", 72),), 7, True),
    ],
)
def test_a_table_that_may_go_on_overleaf_is_not_counted_as_whole(
    tmp_path: Path, overleaf: tuple[tuple[str, float], ...], count: int, complete: bool
) -> None:
    cells = [Cell(0, 0, "Fault code"), Cell(0, 1, "Meaning"), Cell(0, 2, "Level")]
    for row, code in enumerate(FAULTS, 1):
        cells += [Cell(row, 0, code), Cell(row, 1, f"Too hot by {row}"), Cell(row, 2, str(row))]
    with pymupdf.open() as document:
        draw_table(document.new_page(), Table(tuple(cells), (90.0, 150.0, 60.0)), 72, 500)
        page = document.new_page()
        for text, left in overleaf:
            page.insert_text((left, 80), text, fontsize=9)
        page.insert_text((72, 140), "The supply tells what it lacks, and the drive does not.", fontsize=9)
        document.save(tmp_path / "faults.pdf")
    build(tmp_path / "index", tmp_path / "faults.pdf")
    with open_small(tmp_path / "index") as index:
        found = index.search("How many fault codes are there?").enumeration
    assert found is not None
    (group,) = [group for group in found.groups if group.kind == "row"]
    assert (group.count, group.complete) == (count, complete)
    assert group.note.startswith("all rows") == complete
    assert ("may be another row of it" in group.note) != complete
