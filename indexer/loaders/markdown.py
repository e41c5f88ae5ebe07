"""Markdown: the source text as it stands, with its headings, tables and code listings marked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..types import Block, Content, Section
from . import media
from .encoding import decode
from .pdf_captions import is_caption
from .reading import read_bytes
from .settings import LoadSettings
from .text import check_text, undecodable

if TYPE_CHECKING:
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(r"\A(-{3}|\+{3})[ \t]*\n(.*?)^\1[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_KEY = re.compile(r"^(title|lang|language)[ \t]*[:=][ \t]*(.+?)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_ABOVE = 400
"""Characters before a table that are looked at: more than a caption has."""
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")


def read_markdown(path: Path, settings: LoadSettings) -> Content:
    """Markdown (CommonMark with GitHub's tables), character for character.

    Headings, underlined or hashed, become sections; fences, indented code and tables become blocks. A
    front matter's title and language are taken; else the title is the first heading of level 1.

    Raises NoText, EmptyFile, LimitExceeded, UnreadableFile.
    """
    decoded = decode(read_bytes(path, settings))
    check_text(decoded.text, settings)
    return parse_markdown(decoded.text, media.MARKDOWN, undecodable(decoded))


def parse_markdown(text: str, media_type: str, dropped: dict[str, int] | None = None) -> Content:
    """Content of Markdown text; offsets are into ``text`` itself."""
    matter, body = _front_matter(text)
    tokens = parse_tokens(text[body:])
    starts = _line_starts(text, body)
    sections = _sections(tokens, starts)
    title = matter.get("title") or next((s.title for s in sections if s.level == 1), None)
    return Content(
        text=text,
        media_type=media_type,
        title=title,
        language=matter.get("language"),
        sections=sections,
        blocks=_blocks(tokens, starts, text),
        dropped=dropped or {},
    )


def parse_tokens(body: str) -> list[Token]:
    """The tokens of CommonMark with GitHub's tables."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").parse(body)


def _line_starts(text: str, body: int) -> list[int]:
    """Offset of each line of ``text[body:]``, and the end of the text after the last."""
    starts = [body, *(match.end() for match in re.finditer("\n", text[body:]))]
    starts[1:] = [body + start for start in starts[1:]]
    if starts[-1] != len(text):
        starts.append(len(text))
    return starts


def _front_matter(text: str) -> tuple[dict[str, str], int]:
    """Title and language of YAML or TOML front matter, and the offset at which the body begins.

    Only top-level one-line values are read, which needs no YAML parser.
    """
    match = _FRONT_MATTER.match(text)
    if match is None:
        return {}, 0
    found: dict[str, str] = {}
    for key, value in _KEY.findall(match[2]):
        name = "language" if key.lower().startswith("lang") else "title"
        plain = value.strip("\"'") if value[:1] in "\"'" else value
        if plain and (name == "title" or _LANGUAGE.fullmatch(plain)):
            found.setdefault(name, plain)
    return found, match.end()


def _sections(tokens: list[Token], starts: list[int]) -> tuple[Section, ...]:
    sections = []
    for position, token in enumerate(tokens):
        # A heading inside a list or a quotation is not part of the outline.
        if token.type == "heading_open" and token.level == 0 and token.map:
            title = _plain(tokens[position + 1])
            if title:
                sections.append(Section(title, int(token.tag[1]), starts[token.map[0]]))
    return tuple(sections)


def _plain(inline: Token) -> str:
    """A heading's words without marks of emphasis, links or code."""
    pieces = [_word(child) for child in inline.children or []]
    return " ".join("".join(pieces).split())


def _word(token: Any) -> str:
    if token.type in {"softbreak", "hardbreak"}:
        return " "
    if token.type in {"text", "code_inline", "text_special"}:
        return str(token.content)
    return "" if token.type != "image" else str(token.content)


def _caption(text: str, start: int) -> str | None:
    """The line above a table, if it is a caption."""
    line = text[max(0, start - _ABOVE) : start].rstrip().rsplit("\n", 1)[-1].strip("*_ ")
    return line if is_caption(line) else None


def _blocks(tokens: list[Token], starts: list[int], text: str) -> tuple[Block, ...]:
    blocks: list[Block] = []
    for token in tokens:
        if token.map is None or token.type not in {"fence", "code_block", "table_open"}:
            continue
        start, end = starts[token.map[0]], starts[min(token.map[1], len(starts) - 1)]
        if blocks and start < blocks[-1].end:
            continue
        if token.type == "table_open":
            header = text[start : starts[token.map[0] + 1]].strip()
            blocks.append(Block("table", start, end, _caption(text, start), header))
        else:
            blocks.append(Block("code", start, end))
    return tuple(blocks)
