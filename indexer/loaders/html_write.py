"""An HTML tree as text, with its headings, tables and code listings marked."""

from __future__ import annotations

import re
from typing import Final

from lxml import etree
from lxml.html import HtmlElement

from ..types import Block, Section
from .tables import markdown_table

_PARAGRAPHS: Final = frozenset((
    "p", "div", "section", "article", "main", "body", "blockquote", "ul", "ol", "dl", "table",
    "figure", "figcaption", "details", "summary", "header", "footer", "aside", "form", "fieldset",
    "address", "hgroup", "center", "caption", "hr", "pre",
))  # fmt: skip
_LINES: Final = frozenset((
    "li", "dd", "tr", "br", "thead", "tbody", "tfoot", "option", "legend",
))  # fmt: skip
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_IN_LAYOUT: Final = (
    "h1", "h2", "h3", "h4", "h5", "h6", "pre", "table", "ul", "ol", "dl", "blockquote",
)  # fmt: skip
_INVISIBLE = re.compile("[\u00ad\u200b\u200c\u2060\ufeff]")
_CJK = "\u2e80-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"
_CJK_BREAK = re.compile(f"(?<=[{_CJK}])[ \t]*\n\\s*(?=[{_CJK}])")


def flat(text: str) -> str:
    """Running text as a browser shows it: white space collapsed, none where a line ends between
    ideographs, invisible characters gone."""
    visible = _INVISIBLE.sub("", text)
    return re.sub(r"\s+", " ", _CJK_BREAK.sub("", visible))


class TextWriter:
    """Writes the text of a tree. Offsets in ``sections`` and ``blocks`` are into :meth:`text`."""

    def __init__(self) -> None:
        self.sections: list[Section] = []
        self.blocks: list[Block] = []
        self._parts: list[str] = []
        self._length = 0
        self._run: list[str] = []
        self._breaks = 0
        self._held = False
        self._lists: list[int | None] = []

    def text(self) -> str:
        """All that was written so far, with one line end at its end."""
        self._flush()
        return "".join(self._parts).rstrip() + "\n" if self._parts else ""

    def write(self, root: HtmlElement) -> None:
        """Write an element with everything in it. Not recursive: pages may be nested however deeply."""
        for raised in root.iter("sup"):
            _mark_power(raised)
        walker = etree.iterwalk(root, events=("start", "end"))
        for event, element in walker:
            if event == "start":
                if self._start(element):
                    walker.skip_subtree()
            else:
                self._end(element)
                if element is not root and element.tail:
                    self._run.append(element.tail)

    def _start(self, element: HtmlElement) -> bool:
        """Begin an element; True where it is written whole and its inside is done with."""
        tag = element.tag
        if tag in _HEADINGS:
            self._heading(element, _HEADINGS[tag])
            return True
        if tag == "pre":
            self._code(element)
            return True
        if tag == "table" and _is_data(element):
            self._table(element)
            return True
        if tag == "math" and (formula := element.get("alttext")):
            self._run.append(formula)
            return True
        self._break_around(element)
        if tag in {"ul", "ol"}:
            self._lists.append(None if tag == "ul" else int_or(element.get("start"), 1))
        elif tag == "li":
            self._marker()
        elif tag == "dd":
            # Whatever begins a definition, it stands right under its term.
            self._held = True
        if element.text:
            self._run.append(element.text)
        return False

    def _end(self, element: HtmlElement) -> None:
        if element.tag in {"ul", "ol"} and self._lists:
            self._flush()
            self._lists.pop()
        if element.tag in {"td", "th"}:
            self._run.append(" ")
        if element.tag == "dt":
            self._break(1)
        else:
            self._break_around(element)

    def _break_around(self, element: HtmlElement) -> None:
        tag = element.tag
        if tag in {"ul", "ol"} and self._lists:
            self._break(1)
        elif tag in _PARAGRAPHS or tag == "dt":
            parent = element.getparent()
            self._break(1 if parent is not None and parent.tag == "li" else 2)
        elif tag in _LINES:
            self._break(1)

    def _marker(self) -> None:
        """An item's mark, indented by how deep its list lies; the text follows on the same line."""
        self._flush()
        number = self._lists[-1] if self._lists else None
        mark = "- "
        if number is not None:
            mark = f"{number}. "
            self._lists[-1] = number + 1
        self._emit("  " * max(0, len(self._lists) - 1) + mark)
        self._held = True

    def _heading(self, element: HtmlElement, level: int) -> None:
        title = flat(
            " ".join(element.itertext()) if element.xpath(".//br") else "".join(element.itertext())
        ).strip()
        if not title:
            return
        self._break(2)
        start = self._emit(title)
        self._break(2)
        self.sections.append(Section(title, level, start))

    def _code(self, element: HtmlElement) -> None:
        for line_end in element.iter("br"):
            line_end.tail = "\n" + (line_end.tail or "")
        listing = _INVISIBLE.sub("", "".join(element.itertext())).replace("\r", "")
        lines = [line.rstrip() for line in listing.expandtabs(4).split("\n")]
        listing = "\n".join(lines).strip("\n")
        if not listing.strip():
            return
        self._break(2)
        start = self._emit(listing)
        self.blocks.append(Block("code", start, self._length))
        self._break(2)

    def _table(self, element: HtmlElement) -> None:
        rows = _rows(element)
        written = markdown_table(rows)
        if written is None:
            return
        captions = [flat("".join(caption.itertext())).strip() for caption in element.iter("caption")]
        caption = captions[0] if captions and captions[0] else None
        self._break(2)
        if caption:
            self._emit(caption)
            self._break(2)
        start = self._emit(written)
        self.blocks.append(Block("table", start, self._length, caption, written.partition("\n")[0]))
        self._break(2)

    def _break(self, lines: int) -> None:
        """What follows begins on a new line (1) or after an empty one (2), unless its place is held."""
        self._flush()
        if not self._held:
            self._breaks = max(self._breaks, lines)

    def _flush(self) -> None:
        """Write the running text gathered since the last break."""
        text = flat("".join(self._run)).strip()
        self._run.clear()
        if text:
            self._emit(text)

    def _emit(self, text: str) -> int:
        """Write ``text`` as it is after the breaks that are due; returns where it starts."""
        if self._parts and self._breaks > 0:
            self._parts.append("\n" * self._breaks)
            self._length += self._breaks
        self._breaks = 0
        self._held = False
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        return start


def int_or(value: str | None, default: int) -> int:
    """A number in an attribute, ``default`` where there is none."""
    return int(value) if value and value.strip().isdecimal() and len(value) < 6 else default


def _mark_power(raised: HtmlElement) -> None:
    """Write 10 with a raised 3 as 10^3, not as 103; marks that link to a note stay as they are."""
    previous, parent = raised.getprevious(), raised.getparent()
    before = (parent.text if parent is not None else None) if previous is None else previous.tail
    if (before or "")[-1:].isalnum() and raised.text and raised.find(".//a") is None:
        raised.text = "^" + raised.text


def _is_data(table: HtmlElement) -> bool:
    """Whether a table holds data; else it only arranges the page, and its cells are running text."""
    if any(table.find(f".//{tag}") is not None for tag in _IN_LAYOUT):
        return False
    return len(table.findall(".//tr")) > 1 and any(len(row) > 1 for row in table.iter("tr"))


def _rows(table: HtmlElement) -> list[list[str]]:
    """Cell texts; a cell that spans rows stands in each of them, one that spans columns once."""
    rows: list[list[str]] = []
    spanning: dict[int, tuple[int, str]] = {}
    for row in table.iter("tr"):
        cells: list[str] = []
        queue = [cell for cell in row if cell.tag in {"td", "th"}]
        while queue or len(cells) in spanning:
            if len(cells) in spanning:
                left, text = spanning.pop(len(cells))
                if left > 1:
                    spanning[len(cells)] = (left - 1, text)
                cells.append(text)
                continue
            cell = queue.pop(0)
            text = _cell_text(cell)
            down = min(int_or(cell.get("rowspan"), 1), 1000)
            if down > 1:
                spanning[len(cells)] = (down - 1, text)
            cells.append(text)
            cells.extend([""] * (min(int_or(cell.get("colspan"), 1), 100) - 1))
        if any(cells):
            rows.append(cells)
    return rows


def _cell_text(cell: HtmlElement) -> str:
    for element in cell.iter("br", "p", "div", "li"):
        element.tail = " " + (element.tail or "")
    return flat("".join(cell.itertext())).strip()
