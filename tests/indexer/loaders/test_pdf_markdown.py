"""Markdown that a model wrote of a page: which pieces it becomes, and what their chunks say of it."""

from __future__ import annotations

import re
import uuid

from hypothesis import given, settings
from hypothesis import strategies as st
from treegraph.indexer.chunking import ChunkSettings, cut
from treegraph.indexer.context import ContextSettings, situate
from treegraph.indexer.loaders.pdf_book import Book
from treegraph.indexer.loaders.pdf_markdown import pieces_of
from treegraph.indexer.models.tokenizer import load_tokenizer
from treegraph.indexer.pages import DESCRIBED
from treegraph.indexer.types import Content, Document

PAGE = f"""# Relay *stations*

A **mast** needs [its permit](https://example.org/permit) and <b>care</b>.
Include <stdio.h> first.

1. Open the valve
2. Close it
   - slowly

| Part | Limit [V] |
|------|-----------|
| R7   | 48 \\| 50 |
| R8   |           |

```
int pause = 49;

return pause;
```

> {DESCRIBED} Bar chart. Q4: $180M.

Figure 3: Revenue by quarter

> An old proverb.
"""


def kinds(markdown: str) -> list[tuple[str, str]]:
    return [(piece.kind, piece.text) for piece in pieces_of(markdown)]


def test_each_part_of_a_page_is_a_piece() -> None:
    assert kinds(PAGE) == [
        ("text", "Relay stations"),
        ("text", "A mast needs its permit and care. Include <stdio.h> first."),
        ("text", "1. Open the valve"),
        ("text", "2. Close it"),
        ("text", "- slowly"),
        ("table", "| Part | Limit [V] |\n| --- | --- |\n| R7 | 48 \\| 50 |\n| R8 |  |"),
        ("code", "int pause = 49;\n\nreturn pause;"),
        ("figure", f"{DESCRIBED} Bar chart. Q4: $180M."),
        ("text", "Figure 3: Revenue by quarter"),
        ("text", "An old proverb."),
    ]
    table = next(piece for piece in pieces_of(PAGE) if piece.kind == "table")
    assert table.header == "Part | Limit [V]"


def test_a_picture_or_a_link_leads_nowhere() -> None:
    shown = kinds("See ![the plan](https://evil.example/?q=secret) and [here](https://evil.example/).")
    assert shown == [("text", "See the plan and here.")]


def test_the_chunk_of_a_figure_says_that_a_model_described_it() -> None:
    book = Book(10_000, frozenset(), ())
    book.add_page(pieces_of(PAGE), None, 0.0, 0)
    content = book.content(Content("", "application/pdf"))
    assert [(block.kind, block.caption) for block in content.blocks if block.kind == "figure"] == [
        ("figure", "Figure 3: Revenue by quarter")
    ]
    document = Document(str(uuid.UUID(int=7)), "m/relay.pdf", "Relay manual", content=content)
    tokenizer = load_tokenizer("words")
    chunks = situate(document, cut(document, tokenizer, ChunkSettings(size=24, tokenizer="words")),
                     ContextSettings(), tokenizer)  # fmt: skip
    for chunk in chunks:
        of_figure = "Q4" in chunk.text
        assert ("figure, described by a model" in chunk.context) == of_figure
        if of_figure:
            assert chunk.kind == "figure"
            assert DESCRIBED in chunk.text


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([
    "plain words", "# head", "> quoted", f"> {DESCRIBED} chart", "- item", "1) item", "```", "    code",
    "| a | b |", "|---|---|", "| 1 | 2 |", "<div>", "</div>", "", "***", "[x]: y", "![", "\\", "&amp;",
]), max_size=14))  # fmt: skip
def test_any_markdown_becomes_pieces_and_no_word_is_lost(lines: list[str]) -> None:
    markdown = "\n".join(lines)
    pieces = pieces_of(markdown)
    assert all(piece.text.strip() for piece in pieces)
    read = " ".join(piece.text for piece in pieces)
    for word in ("words", "head", "quoted", "chart", "item"):
        said = len(re.findall(rf"\b{word}\b", markdown))
        assert len(re.findall(rf"\b{word}\b", read)) == said
