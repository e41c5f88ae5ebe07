"""Tables of PDFs as Markdown: ruled and unruled, their headers and captions, and what is no table."""

from itertools import pairwise
from pathlib import Path

import pymupdf
import pytest
from treegraph.indexer.chunking import ChunkSettings, cut
from treegraph.indexer.loaders.pdf import read_pdf
from treegraph.indexer.loaders.settings import LoadSettings
from treegraph.indexer.models.tokenizer import load_tokenizer
from treegraph.indexer.types import Block, Content, Document

GRID = [
    ["Mode", "Key", "Action"],
    ["NORMAL", "i", "enters the insert mode and shows it in the last line of the window"],
    ["INSERT", "Esc", "leaves it"],
    ["VISUAL", "v | V", "selects text"],
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tables.pdf"


def read(document: pymupdf.Document, path: Path, tables: bool = True) -> Content:
    document.save(path)
    document.close()
    return read_pdf(path, LoadSettings(tables=tables), None)


def tables_of(content: Content) -> list[tuple[str, Block]]:
    return [(content.text[b.start : b.end], b) for b in content.blocks if b.kind == "table"]


def draw_grid(page: pymupdf.Page, rows: list[list[str]], top: float = 150, height: float = 50) -> None:
    sides = [72, 172, 252, 402]
    for number in range(len(rows) + 1):
        page.draw_line((sides[0], top + number * height), (sides[-1], top + number * height))
    for x in sides:
        page.draw_line((x, top), (x, top + len(rows) * height))
    for number, row in enumerate(rows):
        for x, right, cell in zip(sides, sides[1:], row, strict=False):
            box = pymupdf.Rect(x + 4, top + number * height + 4, right - 4, top + (number + 1) * height)
            assert page.insert_textbox(box, cell, fontsize=10) >= 0


def test_a_ruled_table_keeps_wrapped_cells_together(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "The modes of the editor are these.", fontsize=11)
    page.insert_text((72, 130), "Table 3: Modes and their keys", fontsize=10)
    draw_grid(page, GRID)
    page.insert_text((72, 400), "More of them are listed elsewhere.", fontsize=11)
    content = read(document, path)
    ((text, block),) = tables_of(content)
    assert text.splitlines() == [
        "| Mode | Key | Action |",
        "| --- | --- | --- |",
        "| NORMAL | i | enters the insert mode and shows it in the last line of the window |",
        "| INSERT | Esc | leaves it |",
        "| VISUAL | v \\| V | selects text |",
    ]
    assert block.header == "Mode | Key | Action"
    assert block.caption == "Table 3: Modes and their keys"
    order = [content.text.index(part) for part in ("The modes", "Table 3", "| Mode", "More of them")]
    assert order == sorted(order)


def test_the_text_of_a_table_occurs_once(path: Path) -> None:
    document = pymupdf.open()
    draw_grid(document.new_page(), GRID)
    content = read(document, path)
    assert content.text.count("insert mode") == content.text.count("NORMAL") == 1


def test_without_tables_rows_stay_rows(path: Path) -> None:
    document = pymupdf.open()
    draw_grid(document.new_page(), GRID, height=50)
    content = read(document, path, tables=False)
    assert content.blocks == ()
    assert "INSERT  Esc  leaves it" in content.text


def statement(page: pymupdf.Page, top: float = 200) -> None:
    rows = [
        ("", "2018", "2019"),
        ("Net sales", "$", "7,267", "$", "9,033"),
        ("Operating expenses", "(2,142)", "(1,693)"),
        ("Operating margin", "5.1 %", "4.9 %"),
        ("Income, consolidated", "$", "12,421", "$", "14,541"),
    ]
    for number, (label, *cells) in enumerate(rows):
        y = top + 14 * number
        page.insert_text((72, y), label, fontsize=9)
        signs = [cell for cell in cells if cell == "$"]
        values = [cell for cell in cells if cell != "$"]
        for right, value in zip((420, 500), values, strict=True):
            page.insert_text((right - pymupdf.get_text_length(value, fontsize=9), y), value, fontsize=9)
            if signs:
                page.insert_text((right - 50, y), "$", fontsize=9)


def test_an_unruled_statement_becomes_a_table(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 120), "Income by segment is as follows, in millions of dollars.", fontsize=9)
    statement(page)
    ((text, block),) = tables_of(read(document, path))
    assert text.splitlines() == [
        "|  | 2018 | 2019 |",
        "| --- | --- | --- |",
        "| Net sales | $ 7,267 | $ 9,033 |",
        "| Operating expenses | (2,142) | (1,693) |",
        "| Operating margin | 5.1 % | 4.9 % |",
        "| Income, consolidated | $ 12,421 | $ 14,541 |",
    ]
    assert block.header == "2018 | 2019"


def test_two_tables_below_each_other_stay_apart(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    statement(page, 150)
    statement(page, 260)
    found = tables_of(read(document, path))
    assert len(found) == 2
    assert all(text.startswith("|  | 2018 | 2019 |") for text, _ in found)


def test_columns_of_prose_are_no_table(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for row in range(12):
        page.insert_text(
            (60, 100 + 14 * row), f"The left side goes on with line {'abcdefghijkl'[row]} of it", fontsize=10
        )
        page.insert_text(
            (320, 100 + 14 * row), f"The right side has its own line {'abcdefghijkl'[row]} too", fontsize=10
        )
    content = read(document, path)
    assert tables_of(content) == []
    assert content.text.index("left side goes on with line l") < content.text.index(
        "right side has its own line a"
    )


def test_terms_with_their_definitions_are_no_table(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for row, (name, meaning) in enumerate(
        [
            ("x", "an object of any class that can be turned into a list of names"),
            ("sep", "the string that separates the terms when they are written out"),
            ("file", "the name of a file, or a connection that is open for writing"),
            ("all", "whether the hidden ones are to be shown as well as the others"),
        ]
    ):
        page.insert_text((72, 150 + 15 * row), name, fontsize=10)
        page.insert_text((150, 150 + 15 * row), meaning, fontsize=10)
    content = read(document, path)
    assert tables_of(content) == []
    assert "sep  the string that separates the terms when they are written out" in content.text


def test_a_frame_around_prose_is_no_table(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.draw_rect((60, 90, 520, 200))
    page.insert_textbox(
        (66, 96, 514, 194), "Warning: the case is under voltage even when it is off. " * 4, fontsize=11
    )
    content = read(document, path)
    assert content.blocks == ()
    assert content.text.startswith("Warning: the case is under voltage even when it is off. Warning")


def test_a_drawing_with_words_is_no_table(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 80), "The parts are connected so:", fontsize=11)
    for number, name in enumerate(["Pump", "Valve", "Tank"]):
        x = 80 + 150 * number
        page.draw_rect((x, 200 + 60 * number, x + 80, 240 + 60 * number))
        page.insert_text((x + 10, 225 + 60 * number), name, fontsize=10)
    assert tables_of(read(document, path)) == []


def test_blocks_are_sorted_and_apart(path: Path) -> None:
    document = pymupdf.open()
    for _ in range(2):
        page = document.new_page()
        draw_grid(page, GRID, top=100)
        statement(page, 360)
        for row, line in enumerate(["make all", "make install"]):
            page.insert_text((72, 500 + 12 * row), line, fontsize=10, fontname="cour")
    blocks = read(document, path).blocks
    assert [block.kind for block in blocks] == ["table", "table", "code"] * 2
    assert all(first.end <= second.start for first, second in pairwise(blocks))


@pytest.mark.parametrize(
    ("text", "is_figure"),
    [
        ("Figure 3: The pump and its valves, seen from above and without the cover", True),
        ("Fig. 2.1: Flow through the tank while it is being filled", True),
        ("Abbildung 4 Der Schaltschrank von vorn, mit offener Klappe", True),
        ("Figure 3 shows the pump and its valves, seen from above.", False),
        ("Figures are given in millimetres throughout.", False),
    ],
)
def test_the_caption_of_a_figure_stands_for_it(path: Path, text: str, is_figure: bool) -> None:
    document = pymupdf.open()
    first = document.new_page()
    first.insert_textbox(
        (72, 80, 520, 700), "The pump moves water from the well to the tank. " * 12, fontsize=11
    )
    page = document.new_page()
    page.draw_circle((200, 200), 60)
    page.insert_text((72, 300), text, fontsize=9)
    page.insert_textbox(
        (72, 340, 520, 700), "It is serviced in spring by those who run the well. " * 12, fontsize=11
    )
    content = read(document, path)
    found = [(block.kind, block.caption, content.text[block.start : block.end]) for block in content.blocks]
    assert found == ([("figure", text, text)] if is_figure else [])
    if is_figure:
        source = Document("6f2d8f1e-0d3c-4b0e-9c58-0a8f2f6f7d11", "pump.pdf", "Pump", content=content)
        chunks = cut(source, load_tokenizer("words"), ChunkSettings())
        (chunk,) = [chunk for chunk in chunks if chunk.kind == "figure"]
        assert chunk.text.strip() == text
        assert chunk.pages == (2, 2)


def test_rows_without_rules_in_one_column_are_no_merged_cell(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    names = ["pwd", "whoami", "id", "file", "type"]
    for y in range(100, 201, 20):
        page.draw_line((72, y), (172, y) if 100 < y < 200 else (402, y))
    for x in (72, 172, 402):
        page.draw_line((x, 100), (x, 200))
    for row, name in enumerate(names):
        page.insert_text((76, 114 + 20 * row), name, fontsize=11)
        page.insert_text((176, 114 + 20 * row), f"prints what {name} is about", fontsize=11)
    ((text, _),) = tables_of(read(document, path))
    lines = text.splitlines()
    assert [lines[0], *lines[2:]] == [f"| {name} | prints what {name} is about |" for name in names]


def test_what_leads_to_a_table_without_a_caption_is_told_of_it(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "The pump is tested. Its limits are as follows:", fontsize=10)
    draw_grid(page, GRID)
    page = document.new_page()
    page.insert_text((72, 100), "The pump is tested twice a year by those who run the station.", fontsize=10)
    draw_grid(page, [[*GRID[0][:2], "Other"], *GRID[1:]])
    page = document.new_page()
    page.insert_text((72, 100), "Values in tables", fontsize=10)
    draw_grid(page, [[*GRID[0][:2], "More"], *GRID[1:]])
    captions = [block.caption for _, block in tables_of(read(document, path))]
    assert captions == ["Its limits are as follows:", None, None]


def test_boxes_joined_by_lines_are_no_table(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for row in range(3):
        for column in range(3):
            x, y = 80 + 130 * column + 25 * row, 120 + 60 * row + 20 * column
            page.draw_rect((x, y, x + 70, y + 34))
            page.draw_line((x + 70, y + 17), (x + 130, y + 17))
            page.insert_text((x + 8, y + 20), f"part {row}{column}", fontsize=9)
    assert tables_of(read(document, path)) == []
