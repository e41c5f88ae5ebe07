"""Readings laid out: what OCR gives of a page becomes the text that the page's own layer would give."""

import itertools
from pathlib import Path

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ocr_pages import picture
from treegraph.indexer.loaders import LoadSettings, load_file, media
from treegraph.indexer.loaders.pdf_reading_lines import as_shown, lines_of, sideways_of, upright_size
from treegraph.indexer.models.ocr import load_ocr
from treegraph.indexer.models.settings import OcrSettings
from treegraph.indexer.pages import PageBox, PageReading, ReadLine

LEFT = (
    "The pump stops at 40 bar and says so by",
    "a lamp on the front. Close the valve before",
    "you open the cover, and wait until the arm",
    "of the gauge rests. Then take the cover off",
    "with both hands and lay it down on a cloth",
    "so that its rim is not scratched by sand.",
)
RIGHT = (
    "Oil is changed after 2,500 hours of work or",
    "once a year. Use the oil that the plate on",
    "the housing names; another may swell the",
    "seals. The old oil goes to a collection",
    "point. Fill slowly and look at the glass",
    "until the level stands between the marks.",
)
WIDE = "Tighten the screws crosswise and in two rounds, by the torque that the table says for each of them."
TABLE = (
    ("Part", "Number", "Torque"),
    ("Cover bolt", "MV-17", "25 Nm"),
    ("Drain plug", "MV-18", "40 Nm"),
    ("Guard screw", "MV-21", "12 Nm"),
)


def two_columns_and_a_table() -> pymupdf.Document:
    document = pymupdf.open()
    page = document.new_page(width=560, height=330)
    page.insert_text((40, 40), "Care of the pump", fontsize=18)
    for index, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        page.insert_text((40, 80 + 14 * index), left, fontsize=11)
        page.insert_text((300, 80 + 14 * index), right, fontsize=11)
    page.insert_text((40, 190), WIDE, fontsize=11)
    for row, cells in enumerate(TABLE):
        for column, cell in enumerate(cells):
            page.insert_text((40 + 170 * column, 225 + 16 * row), cell, fontsize=11)
    return document


@pytest.mark.parametrize("rotation", [0, 90])
def test_columns_and_tables_are_in_the_order_of_the_text_layer(tmp_path: Path, rotation: int) -> None:
    document = two_columns_and_a_table()
    written, scanned = tmp_path / "text.pdf", tmp_path / "scan.pdf"
    document.save(written)
    image = picture(document[0])
    scan = pymupdf.open()
    size = (330, 560) if rotation else (560, 330)
    page = scan.new_page(width=size[0], height=size[1])
    page.insert_image(page.rect, stream=image.png, rotate=rotation)
    scan.save(scanned)
    reading = load_ocr(OcrSettings()).read(picture(scan[0]))
    plain = load_file(written, media.PDF, LoadSettings())
    read = load_file(scanned, media.PDF, LoadSettings(ocr=True), readings=[reading])
    assert read.text.split("\n\n") == plain.text.split("\n\n")
    assert [block.kind for block in read.blocks] == ["table"]
    assert "| Drain plug | MV-18 | 40 Nm |" in read.text
    assert [(page.origin, page.why) for page in read.pages] == [("ocr", "an image without text")]
    assert read.wanted == ()


def test_a_baseline_lies_below_the_middle_and_usual_sizes_are_one() -> None:
    heights = (14.0, 13.2, 14.9, 13.6, 24.0)
    lines = tuple(
        ReadLine("some words of a line", (50, 100 + 20 * n - high / 2, 300, 100 + 20 * n + high / 2), 0.99)
        for n, high in enumerate(heights)
    )
    made = lines_of(PageReading(1, "ocr", lines))
    assert [line.text for line in made] == ["some words of a line"] * 5
    assert len({line.size for line in made[:4]}) == 1
    assert made[4].size > 1.3 * made[0].size
    assert [below.base - above.base for above, below in itertools.pairwise(made[:4])] == [200] * 3
    assert all(line.y0 < line.base < line.y1 and line.x0 > 500 and line.x1 < 3000 for line in made)


def test_a_label_on_its_side_is_read_and_stands_apart(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page(width=330, height=260)
    for index, line in enumerate(LEFT):
        page.insert_text((70, 60 + 15 * index), line, fontsize=11)
    page.insert_text((40, 150), "Pressure in bar", fontsize=11, rotate=90)
    reading = load_ocr(OcrSettings()).read(picture(page))
    assert "Pressure in bar" in [text for text, _ in sideways_of(reading)]
    assert [line.text for line in lines_of(reading)] == list(LEFT)
    scan, path = pymupdf.open(), tmp_path / "scan.pdf"
    scan.new_page(width=330, height=260).insert_image((0, 0, 330, 260), stream=picture(page).png)
    scan.save(path)
    read = load_file(path, media.PDF, LoadSettings(ocr=True), readings=[reading])
    assert read.text.split("\n\n")[-1] == "Pressure in bar"
    assert read.text.startswith("The pump stops at 40 bar and says so by a lamp on the front.")


def test_no_lines_make_no_lines() -> None:
    assert lines_of(PageReading(1, "ocr")) == []


@given(
    turned=st.floats(-180, 180),
    width=st.floats(50, 2000),
    height=st.floats(50, 2000),
    x=st.floats(0.1, 0.9),
    y=st.floats(0.1, 0.9),
)
def test_what_is_upright_goes_back_to_where_it_is_shown(
    turned: float, width: float, height: float, x: float, y: float
) -> None:
    """The middle stays the middle, quarter turns are exact, and twice the way is none."""
    across, down = upright_size(width, height, turned)
    assert across * down >= width * height - 1e-3
    middle = as_shown(PageBox(1, across / 2, down / 2, across / 2, down / 2), turned, width, height)
    assert (middle.x0, middle.y0) == pytest.approx((width / 2, height / 2), abs=1e-6)
    quarter = as_shown(PageBox(1, x * height, y * width, x * height, y * width), 90, width, height)
    # Turned by a quarter clockwise, what was at the left is at the top.
    assert (quarter.x0, quarter.y0) == pytest.approx((y * width, height - x * height), abs=1e-6)
    box = as_shown(PageBox(1, 0, 0, across, down), turned, width, height)
    assert (box.x0, box.y0, box.x1, box.y1) == pytest.approx((0, 0, width, height), abs=1e-3)


def laid_out(tmp_path: Path, lines: list[tuple[str, float, float, float]]) -> str:
    """The text of a page on which OCR read ``lines``: each a text, its left side, the foot of its letters and
    their size."""
    path = tmp_path / "scan.pdf"
    scan = pymupdf.open()
    page = scan.new_page(width=560, height=700)
    blank = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 10, 10), False)
    page.insert_image(page.rect, pixmap=blank)
    scan.save(path)
    read = tuple(
        ReadLine(text, (x - 1, y - 1.1 * size, x + 0.5 * size * len(text) + 1, y + 0.2 * size), 0.99)
        for text, x, y, size in sorted(lines, key=lambda line: line[2])
    )
    reading = PageReading(1, "ocr", read, confidence=0.99)
    return load_file(path, media.PDF, LoadSettings(ocr=True), readings=[reading]).text


def test_large_letters_on_top_do_not_close_the_gutter(tmp_path: Path) -> None:
    lines = [("HERON", 40.0, 50.0, 40.0)]
    for index, (left, right) in enumerate(zip(LEFT * 2, RIGHT * 2, strict=True)):
        lines += [
            (left, 40, 90 + 14 * index, 10),
            (right, 40 + 5 * max(map(len, LEFT)) + 10, 90 + 14 * index, 10),
        ]
    text = laid_out(tmp_path, lines)
    assert " ".join(LEFT) in " ".join(text.split())
    assert text.index(LEFT[-1]) < text.index(RIGHT[0])


def test_an_index_is_read_column_by_column(tmp_path: Path) -> None:
    words = [
        f"{word} {part}, {number}"
        for number, word in enumerate(("arm", "bolt", "cover", "drain"), 11)
        for part in ("of the pump", "at rest", "in use")
    ]
    left = [(word, 40, 60 + 14 * index, 10) for index, word in enumerate(words)]
    right = [(f"x{word}", 300, 60 + 14 * index, 10) for index, word in enumerate(words)]
    text = laid_out(tmp_path, left + right)
    assert text.index(words[-1]) < text.index(f"x{words[0]}")


def test_columns_of_figures_stay_in_their_table(tmp_path: Path) -> None:
    lines = []
    for index in range(10):
        y = 60 + 14 * index
        lines += [(f"V{index}", 40, y, 10), ("Input low voltage of pin", 80, y, 10)]
        lines += [(f"{index}.5", 300, y, 10), ("V + 0.5", 350, y, 10), ("as measured", 420, y, 10)]
    text = laid_out(tmp_path, lines)
    assert "| V3 | Input low voltage of pin | 3.5 | V + 0.5 | as measured |" in text


@pytest.mark.parametrize("slant", [0.0, 1.5])
def test_a_ruled_table_on_a_picture_is_read_by_its_rules(tmp_path: Path, slant: float) -> None:
    """Numbers stand close to their units, and one cell has two lines: rows and columns are told by rules."""
    rows = [
        ("Part", "Torque", "Unit"),
        ("Cover bolt", "25", "Nm"),
        ("Drain plug", "400", "kg"),
        ("Guard screw\nof the frame", "12", "Nm"),
    ]
    page = pymupdf.open().new_page(width=360, height=240)
    tops = [60, 80, 100, 120, 152]
    turn = pymupdf.Matrix(1, 1).prerotate(-slant)
    middle = pymupdf.Point(180, 120)
    page.insert_text((40, 40), WIDE[:50], fontsize=10, morph=(middle, turn))
    for (name, number, unit), top in zip(rows, tops, strict=False):
        for at, text in ((44, name), (186 - 5.5 * len(number), number), (194, unit)):
            page.insert_text((at, top + 13), text.split("\n"), fontsize=10, morph=(middle, turn))
    shape = page.new_shape()
    for top in tops:
        shape.draw_line((40, top), (250, top))
    for left in (40, 130, 190, 250):
        shape.draw_line((left, tops[0]), (left, tops[-1]))
    shape.finish(width=0.7, morph=(middle, turn))
    shape.commit()
    reading = load_ocr(OcrSettings()).read(picture(page))
    scan, path = pymupdf.open(), tmp_path / "scan.pdf"
    scan.new_page(width=360, height=240).insert_image((0, 0, 360, 240), stream=picture(page).png)
    scan.save(path)
    read = load_file(path, media.PDF, LoadSettings(ocr=True), readings=[reading])
    assert abs(reading.turned + slant) < 0.3
    assert "| Part | Torque | Unit |" in read.text
    assert "| Drain plug | 400 | kg |" in read.text
    assert "| Guard screw of the frame | 12 | Nm |" in read.text
    bare = load_file(path, media.PDF, LoadSettings(ocr=True, tables=False), readings=[reading])
    assert "|" not in bare.text
