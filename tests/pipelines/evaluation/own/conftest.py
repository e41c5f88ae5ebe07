"""A manual as a real PDF: contents, a list of figures, chapters with sections, and a printed index."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest

CHAPTERS = (
    "Power supply",
    "Relay driver",
    "Field bus",
    "Calibration laboratory",
    "Introduction",
    "Log store",
)
PAGES_A_CHAPTER = 6
FRONT = 2
"""The pages of contents and of the list of figures."""

_SUBJECTS = ("battery", "solder", "antenna", "gasket", "firmware", "housing", "terminal", "sensor")
TERMS = tuple(
    f"{first} {second}" for first in _SUBJECTS for second in ("fault", "limit", "order", "test", "width")
)


def term_pages(number: int) -> list[int]:
    """The physical pages of the term of that number: one in three is scattered over three."""
    last = FRONT + len(CHAPTERS) * PAGES_A_CHAPTER
    count = 3 if number % 3 == 0 else 1
    return sorted({FRONT + 1 + (number * 7 + step * 11) % (last - FRONT) for step in range(count)})


def first_page(chapter: int) -> int:
    """The physical page that a chapter (1-based) begins on."""
    return FRONT + 1 + (chapter - 1) * PAGES_A_CHAPTER


def write_book(path: Path) -> Path:
    """The manual, with an outline. Terms of its index stand on the pages that the index names."""
    pages = [_contents(), _list_of_figures()]
    toc = [[1, "Contents", 1]]
    for chapter, title in enumerate(CHAPTERS, start=1):
        toc.append([1, f"{chapter} {title}", first_page(chapter)])
        for section in range(1, 3):
            page = first_page(chapter) + section
            toc.append([2, f"{chapter}.{section} {_section(title, section)}", page])
        pages += [_page(chapter, title, step) for step in range(PAGES_A_CHAPTER)]
    toc.append([1, "Index", len(pages) + 1])
    pages += _index()
    document = pymupdf.open()
    for text in pages:
        document.new_page().insert_textbox((50, 40, 560, 800), text, fontsize=10)
    document.set_toc(toc)
    document.save(path)
    document.close()
    return path


def _section(title: str, section: int) -> str:
    return f"{('Mounting', 'Settings')[section - 1]} of the {title.lower()}"


def _contents() -> str:
    lines = [f"{n} {title} {'. ' * 30}{first_page(n)}" for n, title in enumerate(CHAPTERS, start=1)]
    return "Contents\n\n" + "\n".join(lines)


def _list_of_figures() -> str:
    lines = [
        f"Figure {n}-1: Wiring of the {t.lower()} {'. ' * 20}{first_page(n) + 1}" for n, t in _numbered()
    ]
    return "Figures\n\n" + "\n".join(lines)


def _numbered() -> list[tuple[int, str]]:
    return list(enumerate(CHAPTERS, start=1))


def _page(chapter: int, title: str, step: int) -> str:
    number = first_page(chapter) + step
    here = [term for n, term in enumerate(TERMS) if number in term_pages(n)]
    heading = f"{chapter} {title}\n\n" if step == 0 else ""
    if step in (1, 2):
        heading = f"{chapter}.{step} {_section(title, step)}\n\n"
    caption = f"Figure {chapter}-1: Wiring of the {title.lower()}\n\n" if step == 1 else ""
    body = [
        f"Page {number} of the {title.lower()} speaks of the {term} and how to avoid it." for term in here
    ]
    body.append(f"The {title.lower()} needs attention number {number} before anything else is switched on.")
    return heading + caption + "\n\n".join([*_extra(chapter, step), *body])


def _extra(chapter: int, step: int) -> Sequence[str]:
    if (chapter, step) == (1, 3):
        return (
            "Tighten the cable glands of the outer housing by hand first (see Section 2.1).",
            "Table 4 shows how many glands there are, which is of no use to anybody here.",
            "A gland nut is a hollow screw that seals a cable against the housing of the device.",
            "This procedure is dangerous and must not be done alone (see Section 3.1).",
            "Grounding of all enclosures follows the rules of the trade (see Section 3.1 of the Trade Code).",
            "Do it quickly (see Section 4.1).",
        )
    return ()


def _index() -> list[str]:
    rows = [f"{term}, {', '.join(map(str, term_pages(n)))}" for n, term in enumerate(TERMS)]
    rows.sort()
    half = len(rows) // 2
    return ["Index\n\n" + "\n".join(rows[:half]), "\n".join(rows[half:])]


@pytest.fixture(scope="session")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the manual in it."""
    folder = tmp_path_factory.mktemp("own") / "manuals"
    folder.mkdir()
    write_book(folder / "driver.pdf")
    return folder
