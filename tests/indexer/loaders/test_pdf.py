"""What is read from whole PDFs: order, pages, paragraphs, headers, outline, labels, listings, scripts."""

from pathlib import Path

import pymupdf
import pytest
from treegraph.indexer.loaders.pdf import read_pdf
from treegraph.indexer.loaders.settings import LoadSettings
from treegraph.indexer.types import Content

SETTINGS = LoadSettings()
LEFT = (
    "The left column tells about pumps. Every pump has an inlet and an outlet, and both must be "
    "opened before the motor is started, or the seal will be damaged within seconds."
)
RIGHT = (
    "The right column tells about valves. A valve is closed by turning its wheel to the right, "
    "and it is locked with the pin that hangs beside it on a short steel chain."
)


def page_text(content: Content, number: int) -> str:
    page = content.pages[number - 1]
    return content.text[page.start : page.end]


def read(document: pymupdf.Document, path: Path, settings: LoadSettings = SETTINGS) -> Content:
    document.save(path)
    document.close()
    return read_pdf(path, settings, None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "manual.pdf"


def write_lines(page: pymupdf.Page, lines: list[str], x: float = 72, y: float = 200, **font: object) -> None:
    for number, line in enumerate(lines):
        page.insert_text((x, y + 14 * number), line, fontsize=11, **font)


@pytest.mark.parametrize("interleaved", [False, True])
def test_columns_are_read_one_after_the_other(path: Path, interleaved: bool) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 80), "A title across both columns of the page, wide enough to cross", fontsize=16)
    lines = [(60, line) for line in wrap(LEFT)], [(320, line) for line in wrap(RIGHT)]
    placed = [(x, 140 + 14 * row, text) for side in lines for row, (x, text) in enumerate(side)]
    for x, y, text in sorted(placed, key=lambda item: item[1]) if interleaved else placed:
        page.insert_text((x, y), text, fontsize=10)
    text = read(document, path).text
    assert text.index("A title") < text.index("The left column") < text.index("The right column")
    assert LEFT in text
    assert RIGHT in text


def wrap(text: str, width: int = 44) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def test_pages_tile_the_text(path: Path) -> None:
    document = pymupdf.open()
    for number in range(5):
        page = document.new_page()
        if number not in (0, 2):
            page.insert_text((72, 300), f"Sentence on sheet {'abcde'[number]}.")
    content = read(document, path)
    assert [page.number for page in content.pages] == [1, 2, 3, 4, 5]
    assert content.pages[0].start == 0
    assert content.pages[-1].end == len(content.text)
    assert all(a.end == b.start for a, b in zip(content.pages, content.pages[1:], strict=False))
    assert [page_text(content, number).strip() for number in (2, 4, 5)] == [
        "Sentence on sheet b.",
        "Sentence on sheet d.",
        "Sentence on sheet e.",
    ]
    assert page_text(content, 1) == page_text(content, 3) == ""


def test_paragraphs_are_joined_and_hyphens_mended(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    write_lines(
        page,
        [
            "The installation of the regulator must be com-",
            "pleted before the supply is switched on, as a well-",
            "known fault of older units shows. Set MAX_BUF-",
            "FER_SIZE in the file and use a UTF-",
            "8 locale. Such a fault is well-known.",
        ],
    )
    page.insert_text((72, 300), "A second paragraph.", fontsize=11)
    text = read(document, path).text
    assert "must be completed before" in text
    assert "a well-known fault of" in text
    assert "MAX_BUF-FER_SIZE" in text
    assert "UTF-8 locale" in text
    assert text.endswith("\n\nA second paragraph.")


def test_a_word_divided_between_pages_belongs_to_the_first(path: Path) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((72, 700), "The pressure is limited by the regu-", fontsize=11)
    document.new_page().insert_text((72, 80), "lator at the inlet.", fontsize=11)
    content = read(document, path)
    assert content.text == "The pressure is limited by the regulator at the inlet."
    assert page_text(content, 2) == "at the inlet."


def test_soft_hyphens_and_ligatures_are_normalised(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for row, line in enumerate(
        ["The e\ufb03cient o\ufb00ice has a spe\u00adcial regu\u00ad", "lator in its base."]
    ):
        writer = pymupdf.TextWriter(page.rect)
        writer.append((72, 200 + 14 * row), line, font=pymupdf.Font("tiro"))
        writer.write_text(page)
    assert read(document, path).text == "The efficient office has a special regulator in its base."


def manual_with_margins(pages: int) -> pymupdf.Document:
    document = pymupdf.open()
    for number in range(1, pages + 1):
        page = document.new_page()
        chapter = (number - 1) // 5 + 1
        page.insert_text((72, 40), f"Chapter {chapter}: Operation", fontsize=9)
        page.insert_text((480, 40), f"Section {number % 3}", fontsize=9)
        page.insert_text((300, 810), str(number), fontsize=9)
        write_lines(page, [f"Body sentence about part {word} of the machine." for word in words(number)])
    return document


def words(number: int) -> list[str]:
    names = ["anchor", "bearing", "clutch", "drum", "engine", "flange", "gasket", "hinge"]
    return [names[(number * step) % len(names)] for step in (1, 3, 5)]


def test_running_headers_and_footers_are_dropped_and_counted(path: Path) -> None:
    content = read(manual_with_margins(12), path)
    assert "Operation" not in content.text
    assert "Section" not in content.text
    assert not any(line.isdigit() for line in content.text.splitlines())
    assert all(page.dropped > 20 for page in content.pages)
    assert content.dropped == {"running header or footer": sum(page.dropped for page in content.pages)}
    assert content.text.count("Body sentence") == 36


def test_pages_that_are_alike_keep_their_text(path: Path) -> None:
    document = pymupdf.open()
    for number in range(8):
        document.new_page().insert_text((72, 72), f"Record {number} of the log.")
    content = read(document, path)
    assert [page_text(content, number).strip() for number in (1, 8)] == [
        "Record 0 of the log.",
        "Record 7 of the log.",
    ]
    assert content.dropped == {}


def test_the_first_lines_of_pages_are_no_headers(path: Path) -> None:
    document = pymupdf.open()
    for name in ("anchor", "bearing", "clutch", "drum", "engine", "flange"):
        page = document.new_page()
        write_lines(page, [f"The {name} is described here.", f"More about the {name}."], y=60)
    content = read(document, path)
    assert content.text.count("is described here") == 6


def test_outline_entries_begin_at_their_headings(path: Path) -> None:
    document = pymupdf.open()
    for _ in range(3):
        document.new_page()
    document[0].insert_text((72, 100), "1 Safety", fontsize=18)
    document[0].insert_text((72, 140), "Read the chapter on Safety before use.", fontsize=11)
    document[0].insert_text((72, 400), "1.1 Electric   Shock", fontsize=14)
    document[0].insert_text((72, 430), "Never open the case.", fontsize=11)
    document[2].insert_text((72, 100), "Operation", fontsize=18)
    document[1].insert_text((72, 100), "More about shocks.", fontsize=11)
    document.set_toc(
        [[1, "1 Safety", 1], [2, "Electric Shock", 1], [1, "Operation", 3], [2, "Absent words", 2]]
    )
    content = read(document, path)
    sections = {section.title: section for section in content.sections}
    assert [section.start for section in content.sections] == sorted(
        section.start for section in content.sections
    )
    assert content.text[sections["1 Safety"].start :].startswith("1 Safety")
    assert content.text[sections["Electric Shock"].start :].startswith("1.1 Electric")
    assert content.text[sections["Operation"].start :].startswith("Operation")
    assert sections["Absent words"].start == content.pages[1].start
    assert (sections["1 Safety"].level, sections["Electric Shock"].level) == (1, 2)


def test_an_entry_points_to_the_right_one_of_equal_headings(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for y in (100, 400):
        page.insert_text((72, y), "Notes", fontsize=16)
        page.insert_text((72, y + 30), f"What to know at {y}.", fontsize=11)
    document.set_toc(
        [[1, "Notes", 1, {"kind": 1, "to": pymupdf.Point(72, y)}] for y in (80, 380)],
    )
    content = read(document, path)
    first, second = content.sections
    assert content.text[first.start :].startswith("Notes\n\nWhat to know at 100.")
    assert content.text[second.start :].startswith("Notes\n\nWhat to know at 400.")


def test_page_labels(path: Path) -> None:
    document = pymupdf.open()
    for number in range(9):
        document.new_page().insert_text((72, 300), f"Text {'abcdefghi'[number]}")
    document.set_page_labels(
        [
            {"startpage": 0, "style": "r", "firstpagenum": 1},
            {"startpage": 4, "style": "D", "firstpagenum": 1},
            {"startpage": 6, "prefix": "A-", "style": "D", "firstpagenum": 3},
            {"startpage": 8, "style": "A", "firstpagenum": 27},
        ]
    )
    labels = [page.label for page in read(document, path).pages]
    assert labels == ["i", "ii", "iii", "iv", "1", "2", "A-3", "A-4", "AA"]


def test_without_labels_there_are_none(path: Path) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((72, 300), "Text")
    assert read(document, path).pages[0].label is None


def test_listings_keep_their_lines_and_indentation(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "The loop is written so:", fontsize=11)
    code = ["for item in queue:", "    if item.ready:", "        item.start(timeout=30)", "print(done)"]
    write_lines(page, code, y=130, fontname="cour")
    page.insert_text((72, 220), "It ends when the queue is empty.", fontsize=11)
    content = read(document, path)
    (block,) = content.blocks
    assert block.kind == "code"
    assert content.text[block.start : block.end] == "\n".join(code)


def test_a_code_word_in_prose_makes_no_listing(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "getopt", fontsize=11, fontname="cour")
    page.insert_text((115, 100), "reads the options of a command, which may be given", fontsize=11)
    page.insert_text((72, 114), "in any order, and returns those that it does not know.", fontsize=11)
    write_lines(page, ["getopt(arguments, names)", "getopt(arguments, others)"], y=200, fontname="cour")
    content = read(document, path)
    assert content.text.startswith("getopt reads the options of a command, which may be given in any order")
    assert [content.text[block.start : block.end] for block in content.blocks] == [
        "getopt(arguments, names)\ngetopt(arguments, others)"
    ]


@pytest.mark.parametrize(
    ("font", "lines", "joined"),
    [
        ("china-s", ["安装之前请先关闭电源，然后拔下插头并等待", "五分钟，再打开机器的外壳。"], "等待五分钟"),
        (
            "japan",
            ["電源を切ってからプラグを抜き、五分間待ってカ", "バーを開けてください。"],
            "待ってカバーを開けて",
        ),
        (
            "korea",
            ["전원을 끈 다음 플러그를 뽑고 오 분 동안", "기다린 후에 덮개를 여십시오."],
            "오 분 동안 기다린",
        ),
    ],
)
def test_lines_of_east_asian_text_are_joined_as_the_script_asks(
    path: Path, font: str, lines: list[str], joined: str
) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for number, line in enumerate(lines):
        page.insert_text((72, 200 + 16 * number), line, fontsize=12, fontname=font)
    assert joined in read(document, path).text


def test_images_and_text_give_the_coverage(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page(width=200, height=200)
    picture = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 20, 20))
    picture.clear_with(90)
    page.insert_image(pymupdf.Rect(0, 0, 200, 100), pixmap=picture, keep_proportion=False)
    page.insert_text((10, 150), "Below the picture")
    document.new_page().insert_text((72, 300), "No picture")
    content = read(document, path)
    assert content.pages[0].images == pytest.approx(0.5, abs=0.02)
    assert content.pages[1].images == 0.0


def test_text_that_runs_upwards_stands_at_the_end(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((30, 600), "Internal draft of May", fontsize=14, rotate=90)
    page.insert_text((72, 100), "The body comes first.", fontsize=11)
    assert read(document, path).text == "The body comes first.\n\nInternal draft of May"


def test_a_turned_page_reads_as_it_is_shown(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((100, 600), "First line of the turned sheet.", rotate=90)
    page.insert_text((130, 600), "Second line of the turned sheet.", rotate=90)
    page.set_rotation(90)
    text = read(document, path).text
    assert text.split("\n\n") == ["First line of the turned sheet.", "Second line of the turned sheet."]


def test_title_and_language_are_those_of_the_file(path: Path) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((72, 100), "Text")
    document.set_metadata({"title": "Pump  Handbook"})
    document.xref_set_key(document.pdf_catalog(), "Lang", "(de-AT)")
    content = read(document, path)
    assert (content.title, content.language) == ("Pump Handbook", "de-AT")


def test_the_name_of_a_source_file_is_no_title(path: Path) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((72, 100), "Text")
    document.set_metadata({"title": "manual_final2.indd"})
    assert read(document, path).title is None


def test_dots_that_lead_to_a_page_number_are_shortened(path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    write_lines(page, [f"Chapter {name} {'. ' * 40}{n}" for name, n in (("one", 3), ("two", 9), ("six", 20))])
    assert read(document, path).text == "Chapter one ... 3\nChapter two ... 9\nChapter six ... 20"


def test_reading_twice_gives_the_same(path: Path) -> None:
    first = read(manual_with_margins(6), path)
    assert read_pdf(path, SETTINGS, None) == first
