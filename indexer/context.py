"""What situates a chunk: the few words before it that say where it stands.

The manner is Anthropic's contextual retrieval (2024), the words are the document's own: its title and
section path, the caption and header of a table that goes on, the definitions that enclose code. Context
is indexed with the chunk, dense and sparse, and is never shown as if it were the source.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .code_outline import CodeOutline, looks_like_code
from .context_rows import NamedRows
from .errors import ConfigurationError
from .models.ports import Tokenizer
from .pages import DESCRIBED
from .table_rows import is_row, without_repeats
from .types import Block, Chunk, Content, Document

SEPARATOR = " > "
_GAP = " … "
_TYPES = 5
_ROOM = 4
"""A few rows of a table and their context take at most so many budgets of a context together."""
_ROW = re.compile(r"^\|.*\|[ \t]*$", re.MULTILINE)
_RULE = re.compile(r":?-+:?")
_DESCRIBED = "figure, described by a model"
_FILE_NAME = re.compile(r"\S*[_/\\#]\S*|\S+\.\w{1,5}|[0-9a-f-]{16,}")


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """How chunks are situated: from ``structure``, by a ``model`` (structure where it fails), or not at
    all. ``budget`` is the most tokens of a context; a longer one is shortened from its middle. Its default
    fills, with a chunk of 192 and the two tokens around a text, the default encoder's window of 256. A few
    rows of a table, which need the names of their columns more than others a context and have less text, have
    one of as many tokens as make four budgets with the text."""

    by: Literal["structure", "none", "model"] = "structure"
    budget: int = 62

    def __post_init__(self) -> None:
        if self.by not in ("structure", "none", "model"):
            raise ConfigurationError(f"context.by is structure, none or model, not {self.by!r}")
        if self.budget < 0:
            raise ConfigurationError("context.budget cannot be negative")


def indexed_text(chunk: Chunk) -> str:
    """What is embedded and encoded for a chunk: its context, a line break, its text.

    The rows of Markdown tables go in without their bars, which mean nothing to an encoder and would fill
    half of its window, and their headers say a title over several columns once.
    """
    text = _ROW.sub(lambda row: _unruled(row[0]), chunk.text)
    return f"{chunk.context}\n{text}" if chunk.context else text


def _unruled(row: str) -> str:
    cells = [cell.strip() for cell in without_repeats(row).strip().strip("|").split("|")]
    return "  ".join(cell for cell in cells if cell and not _RULE.fullmatch(cell))


def section_line(title: str, section: Sequence[str]) -> str:
    """The way to a section: its document's ``title``, unless that is but the name of a file or a part of the
    way itself, and the author's titles."""
    title = " ".join(title.split())
    known = _FILE_NAME.fullmatch(title) or title.casefold() in (part.casefold() for part in section)
    return SEPARATOR.join(section if known or not title else (title, *section))


def situate(
    document: Document, chunks: Sequence[Chunk], settings: ContextSettings, tokenizer: Tokenizer
) -> list[Chunk]:
    """The chunks of a document (with its content) with the context that its structure gives them."""
    if settings.by == "none" or settings.budget == 0 or document.content is None:
        return [replace(chunk, context="") for chunk in chunks]
    source = _Source(document, document.content)

    def situated(chunk: Chunk) -> str:
        rows = source.rows(chunk)
        if rows and tokenizer.count(rows) <= context_room(chunk, settings.budget):
            return rows
        return shortened(source.context(chunk), settings.budget, tokenizer)

    return [replace(chunk, context=situated(chunk)) for chunk in chunks]


def context_room(chunk: Chunk, budget: int) -> int:
    """The most tokens of a chunk's context: ``budget``, or what rows of a table leave of four."""
    first = chunk.text.lstrip().partition("\n")[0]
    return max(budget, _ROOM * budget - chunk.token_count) if is_row(first) else budget


def shortened(text: str, budget: int, tokenizer: Tokenizer) -> str:
    """``text`` in at most ``budget`` tokens: words are left out of its middle, and an ellipsis says so."""
    if tokenizer.count(text) <= budget:
        return text
    ends = tokenizer.ends(text)
    keep = budget - tokenizer.count(_GAP)
    while keep > 0:
        head, tail = text[: ends[(keep + 1) // 2 - 1]], text[ends[len(ends) - keep // 2 - 1] :]
        if " " in head and not text[len(head) : len(head) + 1].isspace():
            head = head.rsplit(None, 1)[0]
        if " " in tail and not tail[:1].isspace():
            tail = tail.split(None, 1)[-1]
        short = f"{head.rstrip()}{_GAP}{tail.strip()}".strip()
        if (held := tokenizer.count(short)) <= budget:
            return short
        keep -= held - budget
    return ""


class _Source:
    """One document, read once for the contexts of all its chunks."""

    def __init__(self, document: Document, content: Content) -> None:
        self._title = document.title or ""
        self._blocks = content.blocks
        self._block_starts = [block.start for block in content.blocks]
        self._code = _code(content)
        self._file = _file_line(self._code) if self._code else ""
        self._text = content.text
        self._named: tuple[Block, NamedRows] | None = None

    def context(self, chunk: Chunk) -> str:
        """Title and section path, then what the table or the code belongs to, each on its line."""
        lines = [
            section_line(self._title, chunk.section),
            self._file,
            self._enclosing(chunk),
            self._table(chunk),
            self._figure(chunk),
        ]
        return "\n".join(line for line in lines if line)

    def rows(self, chunk: Chunk) -> str:
        """The way to a chunk that is rows from within a table, its caption, and the rows with the names of
        their columns; empty for any other."""
        start = chunk.span[0] + len(chunk.text) - len(chunk.text.lstrip())
        block = self._block(start)
        if block is None or block.kind != "table" or start == block.start:
            return ""
        if self._named is None or self._named[0] is not block:
            self._named = block, NamedRows(self._text, block)
        rows = self._named[1].lines(start, chunk.span[0] + len(chunk.text.rstrip()))
        caption = " ".join((block.caption or "").split())
        return (
            "\n".join(filter(None, (section_line(self._title, chunk.section), caption, *rows)))
            if rows
            else ""
        )

    def _enclosing(self, chunk: Chunk) -> str:
        return SEPARATOR.join(self._code.enclosing(*chunk.span)) if self._code else ""

    def _table(self, chunk: Chunk) -> str:
        """Caption and header row of the table that the chunk begins inside of; at its beginning the caption,
        if the chunk does not have it."""
        start = chunk.span[0] + len(chunk.text) - len(chunk.text.lstrip())
        block = self._block(start)
        if block is None or block.kind != "table":
            return ""
        caption = block.caption or ""
        if start == block.start:
            return "" if caption in chunk.text else " ".join(caption.split())
        parts = (caption, (block.header or "").replace("|", " "))
        return "\n".join(" ".join(part.split()) for part in parts if part.strip())

    def _figure(self, chunk: Chunk) -> str:
        """That a model described a figure which the chunk holds some of, and the figure's caption."""
        first = max(0, bisect_right(self._block_starts, chunk.span[0]) - 1)
        for block in self._blocks[first : bisect_right(self._block_starts, chunk.span[1] - 1)]:
            if block.kind == "figure" and block.header == DESCRIBED and block.end > chunk.span[0]:
                return "\n".join(filter(None, (" ".join((block.caption or "").split()), _DESCRIBED)))
        return ""

    def _block(self, offset: int) -> Block | None:
        index = bisect_right(self._block_starts, offset) - 1
        block = self._blocks[index] if index >= 0 else None
        return block if block and block.start <= offset < block.end else None


def _code(content: Content) -> CodeOutline | None:
    """The definitions of a document that is source code, else None."""
    coded = sum(block.end - block.start for block in content.blocks if block.kind == "code")
    plain = not content.pages and not content.sections and not content.blocks
    if coded * 2 > len(content.text) or (plain and looks_like_code(content.text)):
        return CodeOutline(content.text)
    return None


def _file_line(code: CodeOutline) -> str:
    """What a source file is about: its own words, and the names of its main types."""
    names = ", ".join(code.types(_TYPES))
    return ": ".join(part for part in (names, code.purpose()) if part)
