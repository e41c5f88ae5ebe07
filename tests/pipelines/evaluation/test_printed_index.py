"""The printed index of a PDF, on small books that are made here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from treegraph.indexer.errors import EncryptedFile, UnreadableFile
from treegraph.pipelines.evaluation.printed.index import IndexEntry, PrintedIndex, printed_index

LEFTS = (72, 310)
PITCH = 12
TOP = 90
FILLER = "The unit is mounted beside the frame and wired to it before anything is switched on."

KINDS = ("axial", "brushed", "coaxial", "damped", "eddy", "filtered", "geared", "hollow")
THINGS = ("anchor", "bracket", "clamp", "drive", "flange", "gasket", "hinge")


def made_terms(body: int) -> dict[str, list[int]]:
    """56 terms, each on one to three pages of a body of ``body`` pages."""
    terms = [f"{kind} {thing}" for kind in KINDS for thing in THINGS]
    return {
        term: sorted({number * 7 % body + 1, *([number * 11 % body + 1] if number % 3 == 0 else [])})
        for number, term in enumerate(terms)
    }


class Book:
    """A book in the making: ``front`` pages, a body where every term stands on its pages, and an end."""

    def __init__(self, terms: Mapping[str, Sequence[int]], front: int, body: int, font: str = "helv") -> None:
        self.document = pymupdf.open()
        self.front, self.body, self.font = front, body, font
        for number in range(1, front + 1):
            self.page([f"Preface, part {number}", FILLER])
        for number in range(1, body + 1):
            here = [term for term, pages in terms.items() if number in pages]
            self.page([FILLER, *(f"About {term} there is more." for term in here), FILLER])

    def page(self, lines: Sequence[str]) -> Any:
        page = self.document.new_page()
        for row, line in enumerate(lines):
            page.insert_text((72, TOP + PITCH * row), line, fontname=self.font, fontsize=10)
        return page

    def index(
        self, rows: Sequence[tuple[int, str]], title: str = "Index", columns: int = 2, per_column: int = 40
    ) -> None:
        """Rows of (indent, text), in columns; the title runs at the head of each page."""
        for start in range(0, len(rows), per_column * columns):
            page = self.page([])
            page.insert_text((270, 50), f"{title} {self.document.page_count - self.front}", fontsize=10)
            for place, (indent, text) in enumerate(rows[start : start + per_column * columns]):
                x = LEFTS[place // per_column] + indent
                y = TOP + PITCH * (place % per_column)
                page.insert_text((x, y), text, fontname=self.font, fontsize=9)

    def save(self, path: Path, labels: bool = False) -> Path:
        if labels:
            rules = [{"startpage": 0, "prefix": "", "style": "r", "firstpagenum": 1}] if self.front else []
            rules += [{"startpage": self.front, "prefix": "", "style": "D", "firstpagenum": 1}]
            self.document.set_page_labels(rules)
        self.document.save(path)
        return path


def plain_rows(terms: Mapping[str, Sequence[int]], separator: str = ", ") -> list[tuple[int, str]]:
    rows = []
    letter = ""
    for term in sorted(terms):
        if term[0] != letter:
            letter = term[0]
            rows.append((0, letter.upper()))
        rows.append((0, f"{term}{separator}{', '.join(map(str, terms[term]))}"))
    return rows


def found(path: Path) -> PrintedIndex:
    index = printed_index(path)
    assert index is not None
    return index


def by_term(index: PrintedIndex) -> dict[str, tuple[int, ...]]:
    return {entry.term: entry.pages for entry in index.entries}


@pytest.mark.parametrize("labels", [False, True])
@pytest.mark.parametrize("separator", [", ", " ", "  ", " . . . . . . "])
def test_terms_lead_to_physical_pages(tmp_path: Path, separator: str, labels: bool) -> None:
    terms = made_terms(30)
    book = Book(terms, front=5, body=30)
    book.index(plain_rows(terms, separator))
    index = found(book.save(tmp_path / "book.pdf", labels))
    assert by_term(index) == {term: tuple(page + 5 for page in pages) for term, pages in terms.items()}
    assert index.pages == (36,)


def test_an_index_of_several_pages_in_one_column(tmp_path: Path) -> None:
    terms = made_terms(30)
    book = Book(terms, front=0, body=30)
    book.index(plain_rows(terms), columns=1, per_column=25)
    index = found(book.save(tmp_path / "book.pdf"))
    assert index.pages == (31, 32, 33)
    assert by_term(index) == {term: tuple(pages) for term, pages in terms.items()}


def test_page_numbers_set_flush_right_belong_to_their_terms(tmp_path: Path) -> None:
    terms = made_terms(30)
    book = Book(terms, front=0, body=30)
    page = book.page([])
    for row, term in enumerate(sorted(terms)):
        y = TOP + PITCH * row
        page.insert_text((72, y), term, fontsize=9)
        page.insert_text((400, y), ", ".join(map(str, terms[term])), fontsize=9)
    assert by_term(found(book.save(tmp_path / "book.pdf"))) == {t: tuple(p) for t, p in terms.items()}


SPECIAL: tuple[tuple[tuple[int, str], ...], ...] = (
    ((0, "plot, 4"), (10, "styles, 5"), (20, "lines, 6"), (10, "titles, 7")),
    ((0, "print, 4"), (0, "- colours, 5"), (0, "- - dark, 6"), (0, "– margins, 7")),
    ((0, "pump, 4–6"), (0, "pump seal, 8ff"), (0, "pump shaft, 9f"), (0, "pump test, 17-9")),
    ((0, "probe, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,"), (10, "16, 18"), (0, "probe tip, 9")),
    ((0, "printf(), 11"), (0, "proof, of a valve, 12"), (0, "PRT 100, type B, 13")),
    ((0, "pulse generator with an adjustable repeat"), (10, "frequency, 12"), (0, "purge, 3")),
    ((0, "press, see plot"), (0, "prism, 14, see also purge"), (0, "prong, 3 (siehe auch plot)")),
    ((0, "preface notes, ii"), (0, "premises, i, 4")),
)
EXPECTED: tuple[dict[str, tuple[int, ...]], ...] = (
    {"plot": (6,), "plot, styles": (7,), "plot, styles, lines": (8,), "plot, titles": (9,)},
    {"print": (6,), "print, colours": (7,), "print, colours, dark": (8,), "print, margins": (9,)},
    {"pump": (6, 7, 8), "pump seal": (10, 11, 12), "pump shaft": (11, 12), "pump test": (19, 20, 21)},
    {"probe": (*range(6, 19), 20), "probe tip": (11,)},
    {"printf()": (13,), "proof, of a valve": (14,), "PRT 100, type B": (15,)},
    {"pulse generator with an adjustable repeat frequency": (14,), "purge": (5,)},
    {"prism": (16,), "prong": (5,)},
    {"preface notes": (2,), "premises": (1, 6)},
)


@pytest.mark.parametrize(("rows", "expected"), list(zip(SPECIAL, EXPECTED, strict=True)))
def test_what_entries_look_like(
    tmp_path: Path, rows: Sequence[tuple[int, str]], expected: dict[str, tuple[int, ...]]
) -> None:
    terms = made_terms(30)
    # The other font has no dashes of its own.
    book = Book(terms, front=2, body=30, font="china-s" if "–" in str(rows) else "helv")
    book.index([*plain_rows(terms), (0, "P"), *rows])
    known = by_term(found(book.save(tmp_path / "book.pdf", labels=True)))
    assert {term: pages for term, pages in known.items() if term not in terms} == expected


def test_a_sub_entry_knows_what_it_stands_under(tmp_path: Path) -> None:
    terms = made_terms(30)
    book = Book(terms, front=0, body=30)
    book.index([*plain_rows(terms), (0, "plot"), (10, "styles, 5"), (20, "lines, 6")])
    entries = found(book.save(tmp_path / "book.pdf")).entries
    assert IndexEntry("plot, styles, lines", (6,), ("plot", "styles")) in entries
    assert "plot" not in {entry.term for entry in entries}


def test_all_indexes_of_a_book_are_read(tmp_path: Path) -> None:
    terms = made_terms(30)
    some = {term: pages for term, pages in terms.items() if term < "e"}
    others = {term: pages for term, pages in terms.items() if term >= "e"}
    book = Book(terms, front=3, body=30)
    book.index(plain_rows(some), title="Concepts")
    for _ in range(3):
        book.page([FILLER] * 20)
    book.index(plain_rows(others), title="Functions")
    index = found(book.save(tmp_path / "book.pdf"))
    assert by_term(index) == {term: tuple(page + 3 for page in pages) for term, pages in terms.items()}
    assert index.pages == (34, 38)


def test_the_same_term_at_the_foot_of_two_pages_is_no_running_title(tmp_path: Path) -> None:
    terms = made_terms(30)
    book = Book(terms, front=0, body=30)
    for page in (11, 17):
        book.index([*plain_rows(terms), (0, f"zone, {page}")])
    index = found(book.save(tmp_path / "book.pdf"))
    assert by_term(index) == {term: tuple(pages) for term, pages in terms.items()} | {"zone": (11, 17)}


def test_an_index_in_chinese(tmp_path: Path) -> None:
    words = [
        "泵",
        "阀门",
        "传感器",
        "电机",
        "法兰",
        "过滤器",
        "继电器",
        "接口",
        "开关",
        "冷却",
        "密封",
        "调节器",
    ]
    terms = {word: [number * 5 % 20 + 1] for number, word in enumerate(words)}
    book = Book(terms, front=2, body=20, font="china-s")
    book.index([(0, f"{word}，{pages[0]}") for word, pages in terms.items()])
    index = found(book.save(tmp_path / "book.pdf"))
    assert by_term(index) == {word: (pages[0] + 2,) for word, pages in terms.items()}


def test_labels_that_contradict_the_terms_do_not_count(tmp_path: Path) -> None:
    terms = made_terms(30)
    book = Book(terms, front=4, body=30)
    book.index(plain_rows(terms))
    book.document.set_page_labels([{"startpage": 0, "prefix": "", "style": "D", "firstpagenum": 1}])
    index = found(book.save(tmp_path / "book.pdf"))
    assert by_term(index)["axial anchor"] == (terms["axial anchor"][0] + 4,)


def contents(terms: Mapping[str, Sequence[int]]) -> list[tuple[int, str]]:
    in_order = sorted(terms, key=lambda term: terms[term][0])
    return [(0, f"{term} . . . . . . . {terms[term][0]}") for term in in_order]


def figures(terms: Mapping[str, Sequence[int]]) -> list[tuple[int, str]]:
    return [(0, f"Figure {n}. {text[5:]}") for n, (_, text) in enumerate(contents(terms), 1)]


def alphabet_of_codes(terms: Mapping[str, Sequence[int]]) -> list[tuple[int, str]]:
    return [(0, f"{term}, {number * 37 % 29 + 1}") for number, term in enumerate(sorted(terms))]


def unsorted(terms: Mapping[str, Sequence[int]]) -> list[tuple[int, str]]:
    shuffled = sorted(terms, key=lambda term: term[::-1])
    return [(0, f"{term}, {terms[term][0]}") for term in shuffled]


def bibliography(terms: Mapping[str, Sequence[int]]) -> list[tuple[int, str]]:
    rows = []
    for number, term in enumerate(sorted(terms)):
        rows += [
            (0, f"{term.title()}: On gears. In: Journal of"),
            (10, f"Gears 12, {1990 + number % 9}, 17."),
        ]
    return rows


def descriptions(terms: Mapping[str, Sequence[int]]) -> list[tuple[int, str]]:
    rows = []
    for term in sorted(terms):
        rows += [(0, f"{term}, {terms[term][0]}"), (10, "a part of the machine, for the table")]
    return rows


@pytest.mark.parametrize("made", [contents, figures, alphabet_of_codes, unsorted, bibliography, descriptions])
def test_other_lists_that_end_in_numbers_are_no_index(tmp_path: Path, made: Any) -> None:
    terms = made_terms(30)
    book = Book(terms, front=2, body=30)
    book.index(made(terms))
    assert printed_index(book.save(tmp_path / "book.pdf")) is None


def test_a_table_of_contents_beside_an_index_is_not_part_of_it(tmp_path: Path) -> None:
    terms = made_terms(30)
    book = Book(terms, front=2, body=30)
    book.index(contents(terms))
    book.page([FILLER] * 20)
    book.page([FILLER] * 20)
    book.index(plain_rows(terms))
    assert found(book.save(tmp_path / "book.pdf")).pages == (36,)


def test_a_book_without_any_list_has_none(tmp_path: Path) -> None:
    assert printed_index(Book({}, front=1, body=6).save(tmp_path / "book.pdf")) is None


def test_a_file_that_cannot_be_opened_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile):
        printed_index(tmp_path / "missing.pdf")
    locked = tmp_path / "locked.pdf"
    Book({}, front=1, body=1).document.save(locked, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="secret")
    with pytest.raises(EncryptedFile):
        printed_index(locked)
    assert printed_index(locked, "secret") is None
