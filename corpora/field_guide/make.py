"""Make ``corpora/sample/heron-field-guide.pdf`` from the chapters in this folder.

    python corpora/field_guide/make.py [OUT.pdf]

The same chapters give the same bytes. The PDF has what real manuals have: an outline, page labels (roman,
then arabic, then A-1), a running header and footer, ruled tables, a figure, listings, a chapter in two
columns and a page in Japanese.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pymupdf
from figure import draw_figure
from markdown_it import MarkdownIt

HERE = Path(__file__).resolve().parent
OUT = HERE.parent / "sample" / "heron-field-guide.pdf"

PAPER = pymupdf.paper_rect("a5")
BODY = pymupdf.Rect(48, 58, PAPER.width - 48, PAPER.height - 56)
GUTTER = 16.0
ORPHAN = 36.0

CSS = """
body { font-family: sans-serif; font-size: 9pt; line-height: 1.35; margin: 0; }
h1 { font-size: 16pt; margin: 0 0 8pt 0; }
h2 { font-size: 11.5pt; margin: 9pt 0 3pt 0; }
p, ul, ol { margin: 0 0 5pt 0; }
table { border-collapse: collapse; margin: 0 0 7pt 0; font-size: 8pt; }
td, th { border: 0.5pt solid #555; padding: 2pt 3pt; text-align: left; }
pre { font-size: 8pt; margin: 3pt 0 6pt 8pt; }
"""


@dataclass(frozen=True)
class Part:
    """One chapter: its file, how its pages are labelled, and in how many columns it is set."""

    file: str
    prefix: str = ""
    style: str = "D"
    columns: int = 1
    top: float = 0.0


PARTS = (
    Part("0-title.md", style="r", top=150),
    Part("0-about.md", style="r"),
    Part("1-overview.md"),
    Part("2-safety.md"),
    Part("3-installing.md"),
    Part("4-modes.md"),
    Part("5-sampling.md"),
    Part("6-relays.md"),
    Part("7-maintenance.md"),
    Part("8-troubleshooting.md"),
    Part("a-quick-reference.md", prefix="A-", columns=2),
    Part("b-japanese.md", prefix="B-"),
)


@dataclass(frozen=True)
class Chapter:
    """A chapter as it was set: its pages as a PDF, and its headings (level, title, page from 0, top)."""

    part: Part
    pdf: pymupdf.Document
    headings: tuple[tuple[int, str, int, float], ...]

    @property
    def title(self) -> str:
        return self.headings[0][1]


def frames(part: Part) -> Iterator[tuple[int, int, pymupdf.Rect]]:
    """The boxes that text flows through, as (page, column, box), without end."""
    width = (BODY.width - GUTTER * (part.columns - 1)) / part.columns
    for page in count():
        for column in range(part.columns):
            left = BODY.x0 + column * (width + GUTTER)
            yield page, column, pymupdf.Rect(left, BODY.y0 + part.top, left + width, BODY.y1)


def set_chapter(part: Part, source: str) -> Chapter:
    """Flow one chapter of Markdown through its frames."""
    html = MarkdownIt("commonmark").enable("table").render(source)
    archive = pymupdf.Archive()
    archive.add(draw_figure(), "figure-1.png")
    story = pymupdf.Story(html, user_css=CSS, archive=archive)
    headings: list[tuple[int, str, int, float]] = []
    titles = heading_titles(source)
    buffer = io.BytesIO()
    writer = pymupdf.DocumentWriter(buffer)
    device: Any = None
    more = True
    boxes = frames(part)
    while more:
        page, column, box = next(boxes)
        if column == 0:
            if device is not None:
                writer.end_page()
            device = writer.begin_page(PAPER)
        more, _ = story.place(box)
        placed = placed_headings(story)
        if more and placed and placed[-1][1] > box.y1 - ORPHAN:
            # A heading with nothing below it: place the same text again, in a box that ends above it.
            more, _ = story.place((box.x0, box.y0, box.x1, placed[-1][1] - 1))
            placed = placed[:-1]
        for level, top in placed:
            headings.append((level, next(titles), page, top))
        story.draw(device)
    writer.end_page()
    writer.close()
    return Chapter(part, pymupdf.open("pdf", buffer.getvalue()), tuple(headings))


def heading_titles(source: str) -> Iterator[str]:
    """The text of each heading, from the source: as set, it may be broken over lines."""
    tokens = MarkdownIt("commonmark").parse(source)
    return (tokens[n + 1].content for n, token in enumerate(tokens) if token.type == "heading_open")


def placed_headings(story: pymupdf.Story) -> list[tuple[int, float]]:
    """The headings that the last placement put on the page: (level, top)."""
    found: list[Any] = []
    story.element_positions(lambda position: found.append(position))
    return [(at.heading, at.rect[1]) for at in found if at.heading and at.text and at.open_close & 1]


def contents(chapters: list[Chapter], labels: list[list[str]]) -> Chapter:
    """The table of contents, set last since it needs everybody's page."""
    lines = ["# Contents", "", "| | Page |", "|---|---|"]
    for chapter, names in zip(chapters, labels, strict=True):
        lines += [f"| {title} | {names[page]} |" for level, title, page, _ in chapter.headings if level == 1]
    return set_chapter(Part("", style="r"), "\n".join(lines))


def label_pages(chapters: list[Chapter]) -> list[list[str]]:
    """What is printed on each page of each chapter: i, ii, ... then 1, 2, ... then A-1."""
    roman, arabic = iter(["i", "ii", "iii", "iv", "v", "vi"]), count(1)
    labels = []
    for chapter in chapters:
        pages = range(chapter.pdf.page_count)
        if chapter.part.prefix:
            labels.append([f"{chapter.part.prefix}{page + 1}" for page in pages])
        elif chapter.part.style == "r":
            labels.append([next(roman) for _ in pages])
        else:
            labels.append([str(next(arabic)) for _ in pages])
    return labels


def bind(chapters: list[Chapter]) -> pymupdf.Document:
    """Put the chapters into one document with outline, labels, headers and footers."""
    book = pymupdf.open()
    outline: list[list[Any]] = []
    rules: list[dict[str, Any]] = []
    for chapter, names in zip(chapters, label_pages(chapters), strict=True):
        first = book.page_count
        part = chapter.part
        outline += [
            [level, title, first + page + 1, {"kind": pymupdf.LINK_GOTO, "to": pymupdf.Point(BODY.x0, top)}]
            for level, title, page, top in chapter.headings
        ]
        if not rules or (part.prefix, part.style) != (rules[-1]["prefix"], rules[-1]["style"]):
            rules.append({"startpage": first, "prefix": part.prefix, "style": part.style, "firstpagenum": 1})
        book.insert_pdf(chapter.pdf)
        for page, label in zip(book.pages(first), names, strict=True):
            if part.top == 0:
                furnish(page, chapter.title, label)
    book.set_toc(outline)
    book.set_page_labels(rules)
    return book


def furnish(page: pymupdf.Page, chapter: str, label: str) -> None:
    """The running header with the chapter, and the footer with the page's label."""
    cjk = any(ord(character) > 0x2E7F for character in chapter)
    width = pymupdf.get_text_length(chapter, "helv", 7.5) if not cjk else 7.5 * len(chapter)
    page.insert_text((BODY.x0, 36), "Heron 4 Field Guide", fontname="helv", fontsize=7.5)
    font = "japan" if cjk else "helv"
    page.insert_text((BODY.x1 - width, 36), chapter, fontname=font, fontsize=7.5)
    page.draw_line((BODY.x0, 41), (BODY.x1, 41), width=0.4)
    page.insert_text((BODY.x0, PAPER.height - 30), "Edition 3 - firmware 2.6", fontname="helv", fontsize=7.5)
    width = pymupdf.get_text_length(label, "helv", 7.5)
    page.insert_text((BODY.x1 - width, PAPER.height - 30), label, fontname="helv", fontsize=7.5)


def make(out: Path) -> None:
    """Write the field guide to ``out``."""
    chapters = [set_chapter(part, (HERE / part.file).read_text("utf-8")) for part in PARTS]
    front = contents(chapters, label_pages(chapters))
    chapters.insert(2, front)
    book = bind(chapters)
    book.set_metadata(
        {
            "title": "Heron 4 Field Guide",
            "author": "Ostrom Field Systems",
            "subject": "Installing, running and looking after the Heron 4 data logger and controller",
            "creationDate": "D:20250901000000Z",
            "modDate": "D:20250901000000Z",
        }
    )
    book.set_language("en")
    book.subset_fonts()
    book.save(out, garbage=4, deflate=True, use_objstms=1, no_new_id=True)


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else OUT)
