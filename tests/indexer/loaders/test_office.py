"""Office files made by the real libraries, and damaged ones."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest
from treegraph.indexer.errors import CorruptFile, LimitExceeded
from treegraph.indexer.loaders import LoadSettings, load_file, media
from treegraph.indexer.loaders.detect import detect
from treegraph.indexer.types import Content

markitdown: Any = pytest.importorskip("markitdown", reason="the extra office is not installed")

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_CORE = """<cp:coreProperties
 xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Pump manual</dc:title><dc:language>de-DE</dc:language>
</cp:coreProperties>"""
_TYPES = """<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="xml" ContentType="application/xml"/>
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/word/document.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"""
_RELS = """<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Target="word/document.xml"
 Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>"""


def paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


def docx(path: Path) -> Path:
    row = "".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in ("Part", "Max"))
    other = "".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in ("VALVE_A", "3"))
    table = f"<w:tbl><w:tr>{row}</w:tr><w:tr>{other}</w:tr></w:tbl>"
    styles = f"""<w:styles {_W}><w:style w:type="paragraph" w:styleId="Heading1">
<w:name w:val="heading 1"/></w:style></w:styles>"""
    body = paragraph("Setting MAX_BUFFER_SIZE", "Heading1") + paragraph("Use 2*3 bar.") + table
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr("_rels/.rels", _RELS)
        archive.writestr("docProps/core.xml", _CORE)
        archive.writestr("word/styles.xml", styles)
        archive.writestr(
            "word/_rels/document.xml.rels",
            _RELS.replace("word/document.xml", "styles.xml").replace('/officeDocument"', '/styles"'),
        )
        archive.writestr("word/document.xml", f"<w:document {_W}><w:body>{body}</w:body></w:document>")
    return path


def read(path: Path) -> Content:
    return load_file(path, detect(path), LoadSettings())


def test_word(tmp_path: Path) -> None:
    content = read(docx(tmp_path / "a.docx"))
    assert (content.title, content.language, content.media_type) == ("Pump manual", "de-DE", media.DOCX)
    assert [(section.level, section.title) for section in content.sections] == [
        (1, "Setting MAX_BUFFER_SIZE")
    ]
    # Identifiers come without Markdown's backslashes.
    assert "# Setting MAX_BUFFER_SIZE" in content.text
    assert "Use 2*3 bar." in content.text
    [table] = content.blocks
    assert "| VALVE_A | 3 |" in content.text[table.start : table.end]


def test_slides_are_pages(tmp_path: Path) -> None:
    pptx: Any = pytest.importorskip("pptx")
    deck = pptx.Presentation()
    for title, body in (("First", "one"), ("Second", "two")):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = body
    deck.save(str(tmp_path / "a.pptx"))
    content = read(tmp_path / "a.pptx")
    assert [page.number for page in content.pages] == [1, 2]
    assert "two" in content.text[content.pages[1].start : content.pages[1].end]
    assert content.pages[0].end == content.pages[1].start
    assert content.pages[1].end == len(content.text)
    assert "Slide number" not in content.text
    assert [section.title for section in content.sections] == ["First", "Second"]


def test_sheets_are_sections_with_tables(tmp_path: Path) -> None:
    openpyxl: Any = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Limits"
    for row in (["Part", None, "Max"], ["VALVE_A", None, 3], [None, "x", 4]):
        sheet.append(row)
    book.save(tmp_path / "a.xlsx")
    content = read(tmp_path / "a.xlsx")
    assert [section.title for section in content.sections] == ["Limits"]
    assert "NaN" not in content.text
    assert "Unnamed" not in content.text
    [table] = content.blocks
    assert (table.kind, table.header) == ("table", "| Part |  | Max |")


def test_books(tmp_path: Path) -> None:
    path = tmp_path / "a.epub"
    chapter = "<html><body><h1>Setting up</h1><p>Press KEY_A.</p></body></html>"
    package = """<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">
<metadata><dc:title>Guide</dc:title></metadata>
<manifest><item id="c" href="c.xhtml"/></manifest><spine><itemref idref="c"/></spine></package>"""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr(
            "META-INF/container.xml",
            '<container><rootfiles><rootfile full-path="p.opf"/></rootfiles></container>',
        )
        archive.writestr("p.opf", package)
        archive.writestr("c.xhtml", chapter)
    content = read(path)
    assert "Press KEY_A." in content.text
    assert "Setting up" in [section.title for section in content.sections]


def test_damaged_files_and_bombs_are_named_errors(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", "<not closed")
    with pytest.raises(CorruptFile):
        read(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * 3_000_000)
    with pytest.raises(LimitExceeded, match="unpacks"):
        load_file(path, media.DOCX, LoadSettings(max_bytes=1_000_000))
    path.write_bytes(docx(tmp_path / "b.docx").read_bytes()[:-30])
    with pytest.raises(CorruptFile):
        load_file(path, media.DOCX, LoadSettings())
