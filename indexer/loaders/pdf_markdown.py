"""The Markdown that a model wrote of a page as pieces of text, such as OCR and text layers give."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ..pages import DESCRIBED
from .markdown import parse_tokens
from .pdf_flow import Piece
from .tables import markdown_table

if TYPE_CHECKING:
    from markdown_it.token import Token

_MARKS = ((0, 0),)
"""Nothing is known of where a piece stands on its page."""
_DRESSING = re.compile(r"</?(b|i|u|em|strong|sup|sub|small|code|span|br)\b[^<>]*>", re.IGNORECASE)
_MARKED = DESCRIBED.casefold()


def pieces_of(markdown: str) -> list[Piece]:
    """The headings, paragraphs, items of lists, tables (with their header), listings and figures of a page
    that a model wrote as Markdown (CommonMark with GitHub's tables), in order.

    Marks of emphasis go, links and pictures leave their words, HTML stands as it was written. A figure keeps
    the marker before its text that says that a model described it.
    """
    return list(_pieces(parse_tokens(markdown.strip())))


def _pieces(tokens: Sequence[Token]) -> Iterator[Piece]:
    at = 0
    while at < len(tokens):
        token = tokens[at]
        end = _end(tokens, at)
        inner = tokens[at + 1 : end]
        if token.type in ("heading_open", "paragraph_open"):
            yield from _text(_plain(inner[0]))
        elif token.type in ("fence", "code_block"):
            yield from _text(token.content.strip("\n"), "code")
        elif token.type == "html_block":
            yield from _text(token.content.strip())
        elif token.type == "table_open":
            yield from _table(inner)
        elif token.type == "blockquote_open":
            yield from _quoted(list(_pieces(inner)))
        elif token.type == "list_item_open":
            yield from _item(token, list(_pieces(inner)))
        elif token.nesting == 1:
            yield from _pieces(inner)
        at = end + 1


def _end(tokens: Sequence[Token], start: int) -> int:
    """Where what begins at ``start`` ends: at the token that closes it, or at itself."""
    depth = 0
    for at in range(start, len(tokens)):
        depth += tokens[at].nesting
        if depth == 0:
            return at
    return len(tokens) - 1


def _text(text: str, kind: Literal["text", "code"] = "text") -> Iterator[Piece]:
    if text.strip():
        yield Piece(kind, text, _MARKS)


def _plain(inline: Token) -> str:
    """The words of a paragraph without marks of emphasis, links or code; of HTML, the tags that only dress
    words go."""
    return " ".join("".join(map(_word, inline.children or [])).split())


def _word(token: Any) -> str:
    if token.type in ("softbreak", "hardbreak"):
        return " "
    if token.type == "html_inline":
        tag = _DRESSING.fullmatch(token.content)
        return str(token.content) if tag is None else " " if tag[1].lower() == "br" else ""
    return str(token.content)


def _item(token: Token, pieces: list[Piece]) -> Iterator[Piece]:
    """An item of a list: its mark before its first paragraph."""
    mark = f"{token.info}{token.markup}" if token.info else "-"
    for index, piece in enumerate(pieces):
        first = index == 0 and piece.kind == "text"
        yield piece._replace(text=f"{mark} {piece.text}") if first else piece


def _table(tokens: Sequence[Token]) -> Iterator[Piece]:
    rows: list[list[str]] = []
    for at, token in enumerate(tokens):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            rows[-1].append(_plain(tokens[at + 1]))
    text = markdown_table(rows)
    if text:
        header = " | ".join(cell for cell in rows[0] if cell)
        yield Piece("table", text, _MARKS, header)


def _quoted(pieces: list[Piece]) -> Iterator[Piece]:
    """A quotation: a figure where it begins with the marker, else what stands in it."""
    if not pieces or not pieces[0].text.casefold().startswith(_MARKED):
        yield from pieces
        return
    text = "\n".join(piece.text for piece in pieces)
    yield Piece("figure", f"{DESCRIBED} {text[len(_MARKED) :].strip()}", _MARKS, DESCRIBED)
