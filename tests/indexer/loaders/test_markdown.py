"""Markdown: the source text itself, with its structure marked."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.loaders import LoadSettings, load_file, media
from treegraph.indexer.loaders.markdown import parse_markdown
from treegraph.indexer.types import Content

TEXT = """---
title: "Pump P-7: service"
lang: en-GB
tags: [a]
---

# The *pump* `P-7` and [links](x)

Intro.

Setting
the valve
---------

```python
# not a heading
x = 1
```

> ## quoted, not outline

- item

  | A | B |
  |---|---|
  | 1 | 2 |

### Limits ###

| Part | Max |
| :--- | --: |
| A | 3 |

    indented code

<!-- # comment -->
"""


def read(folder: Path, text: str | bytes) -> Content:
    path = folder / "a.md"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_file(path, media.MARKDOWN, LoadSettings())


def test_the_text_is_the_source_and_headings_are_sections(tmp_path: Path) -> None:
    content = read(tmp_path, TEXT)
    assert content.text == TEXT
    assert (content.title, content.language) == ("Pump P-7: service", "en-GB")
    assert [(section.level, section.title) for section in content.sections] == [
        (1, "The pump P-7 and links"),
        (2, "Setting the valve"),
        (3, "Limits"),
    ]
    heads = [content.text[section.start :].split("\n")[0] for section in content.sections]
    assert heads == ["# The *pump* `P-7` and [links](x)", "Setting", "### Limits ###"]


def test_fences_tables_and_indented_code_are_blocks(tmp_path: Path) -> None:
    content = read(tmp_path, TEXT)
    written = [(block.kind, content.text[block.start : block.end], block.header) for block in content.blocks]
    assert written == [
        ("code", "```python\n# not a heading\nx = 1\n```\n", None),
        ("table", "  | A | B |\n  |---|---|\n  | 1 | 2 |\n", "| A | B |"),
        ("table", "| Part | Max |\n| :--- | --: |\n| A | 3 |\n", "| Part | Max |"),
        ("code", "    indented code\n", None),
    ]


def test_titles_from_toml_matter_or_the_first_heading(tmp_path: Path) -> None:
    assert read(tmp_path, "+++\ntitle = 'T'\n+++\n# H\n").title == "T"
    assert read(tmp_path, "## Small\n\n# Big\n").title == "Big"
    assert read(tmp_path, "plain words\n").title is None
    # A rule at the top is no front matter.
    assert read(tmp_path, "---\n\ntext\n").sections == ()


def test_other_encodings_and_line_ends(tmp_path: Path) -> None:
    content = read(tmp_path, "# 電源\r\n\r\n入れる前に読むこと。\r\n".encode("cp932") * 3)
    assert content.text.startswith("# 電源\n\n入れる")
    assert content.sections[1].start == content.text.index("# 電源", 5)


pieces = st.sampled_from(
    [
        "# a\n",
        "b\n",
        "===\n",
        "```\n",
        "~~~\n",
        "| a |\n",
        "|---|\n",
        "- x\n",
        "  y\n",
        "\n",
        "> q\n",
        "    c\n",
        "---\n",
    ]
)


@given(st.lists(pieces, max_size=25).map("".join))
def test_offsets_hold_for_any_mixture(text: str) -> None:
    content = parse_markdown(text, media.MARKDOWN)
    assert content.text == text
    line_starts = {0, *(place + 1 for place, c in enumerate(text) if c == "\n")}
    assert all(section.start in line_starts for section in content.sections)
    spans = [(block.start, block.end) for block in content.blocks]
    assert all(start < end <= len(text) and start in line_starts for start, end in spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
