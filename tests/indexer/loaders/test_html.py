"""HTML pages: the main text whole, the rest left out, offsets that point at what they name."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.errors import EmptyFile, NoText
from treegraph.indexer.loaders import LoadSettings, load_file, media
from treegraph.indexer.types import Content

PAGE = """<!DOCTYPE html>
<html lang="en-GB"><head><title>Pump P-7 —
 Service manual</title><style>p {}</style><script>var x = "<p>no</p>";</script></head>
<body>
<header class="site"><a href="/">ACME</a></header>
<nav><ul><li><a href="a">Chapter 1</a></li><li><a href="b">Chapter 2</a></li></ul></nav>
<div class="breadcrumbs"><a href="/">Home</a> / Pumps</div>
<main>
<header><h1>Pump P-7<a class="headerlink" href="#p7">¶</a></h1></header>
<p>Read  this <b>before</b> you
open the housing.<br>Keep it dry.</p>
<h2 id="valve">Setting the <code>VALVE_A</code></h2>
<ol start="3"><li>Close it.<ul><li>slowly</li></ul></li><li><p>Open it.</p><p>Wait.</p></li></ol>
<pre><span>if x &lt; 3:</span>
    stop()
</pre>
<table><caption>Limits</caption>
<thead><tr><th>Part</th><th>Min</th><th>Max</th></tr></thead>
<tbody><tr><td rowspan="2">Valve | A</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr>
<tr><td colspan="2">Seal</td><td>10<sup>3</sup></td></tr></tbody></table>
<dl><dt>bar</dt><dd><p>A unit.</p><p>Of pressure.</p></dd><dt>psi</dt><dd>Another.</dd></dl>
<aside class="footnote">Use oil only.</aside>
<h3></h3>
</main>
<aside>Related products</aside>
<footer>Imprint <a href="i">Contact</a></footer>
</body></html>"""

EXPECTED = """Pump P-7

Read this before you open the housing.
Keep it dry.

Setting the VALVE_A

3. Close it.
  - slowly
4. Open it.
Wait.

if x < 3:
    stop()

Limits

| Part | Min | Max |
| --- | --- | --- |
| Valve \\| A | 1 | 2 |
| Valve \\| A | 3 | 4 |
| Seal |  | 10^3 |

bar
A unit.

Of pressure.

psi
Another.

Use oil only.
"""


def read(folder: Path, page: str | bytes) -> Content:
    path = folder / "page.html"
    path.write_bytes(page if isinstance(page, bytes) else page.encode())
    return load_file(path, media.HTML, LoadSettings())


def test_the_main_text_of_a_page(tmp_path: Path) -> None:
    content = read(tmp_path, PAGE)
    assert content.text == EXPECTED
    assert content.title == "Pump P-7 — Service manual"
    assert content.language == "en-GB"
    assert content.dropped == {"characters outside the main text": 60}


def test_sections_and_blocks_point_at_their_text(tmp_path: Path) -> None:
    content = read(tmp_path, PAGE)
    assert [(section.level, section.title) for section in content.sections] == [
        (1, "Pump P-7"),
        (2, "Setting the VALVE_A"),
    ]
    assert all(content.text.startswith(section.title, section.start) for section in content.sections)
    code, table = content.blocks
    assert (code.kind, content.text[code.start : code.end]) == ("code", "if x < 3:\n    stop()")
    assert (table.kind, table.caption, table.header) == ("table", "Limits", "| Part | Min | Max |")
    assert content.text[table.start : table.end].endswith("| Seal |  | 10^3 |")


def test_a_power_keeps_its_height_and_a_note_does_not(tmp_path: Path) -> None:
    content = read(tmp_path, "<p>10<sup>3</sup> Pa, see<sup><a href='#n'>[1]</a></sup></p>")
    assert content.text == "10^3 Pa, see[1]\n"


def test_a_page_without_a_marked_main_part_keeps_everything_but_navigation(tmp_path: Path) -> None:
    page = """<body><div class="toc"><a href="1">One</a> <a href="2">Two</a></div>
    <div class="content"><h1>One</h1><p>First words.</p></div><div id="links">Not links at all.</div>
    <div class="navfooter"><a href="2">Next</a></div></body>"""
    assert read(tmp_path, page).text == "One\n\nFirst words.\n\nNot links at all.\n"


def test_an_index_page_of_nothing_but_links_is_kept(tmp_path: Path) -> None:
    items = '<li><a href="a">Install</a></li><li><a href="b">Use</a></li>'
    page = f'<body><div class="toc"><ul>{items}</ul></div></body>'
    assert read(tmp_path, page).text == "- Install\n- Use\n"
    assert read(tmp_path, '<body><nav><a href="a">Install</a></nav></body>').text == "Install\n"


def test_a_small_main_part_does_not_hide_the_rest(tmp_path: Path) -> None:
    page = "<body><main>Search</main><div>" + "<p>The whole manual stands here.</p>" * 5 + "</div></body>"
    assert read(tmp_path, page).text.count("The whole manual") == 5


def test_layout_tables_are_running_text(tmp_path: Path) -> None:
    page = "<table><tr><td><h2>Left</h2><p>One.</p></td><td><p>Two.</p></td></tr></table>"
    content = read(tmp_path, page)
    assert content.text == "Left\n\nOne.\n\nTwo.\n"
    assert [section.title for section in content.sections] == ["Left"]
    assert content.blocks == ()


@pytest.mark.parametrize(
    "page",
    [
        "<meta charset='shift_jis'><p>電源を入れる</p>".encode("shift_jis"),
        "<meta http-equiv='Content-Type' content='text/html; charset=EUC-JP'><p>電源を入れる</p>".encode(
            "euc_jp"
        ),
        "<?xml version='1.0' encoding='utf-16'?><p>電源を入れる</p>".encode("utf-16"),
        "<meta charset='no-such'><p>電源を\n  入れる</p>".encode(),
        "<meta charset='ascii'><p>電源\u200bを入れる</p>".encode("utf-8-sig"),
    ],
)
def test_a_page_is_decoded_by_what_it_says_of_itself_where_that_is_true(tmp_path: Path, page: bytes) -> None:
    assert read(tmp_path, page).text == "電源を入れる\n"


def test_ruby_and_soft_hyphens_do_not_split_words(tmp_path: Path) -> None:
    page = "<p><ruby>電源<rp>(</rp><rt>でんげん</rt><rp>)</rp></ruby>を re\u00adstart</p>"
    assert read(tmp_path, page).text == "電源を restart\n"


def test_deeply_nested_and_unclosed_pages(tmp_path: Path) -> None:
    assert "bottom" in read(tmp_path, "<div>" * 1500 + "bottom").text
    assert read(tmp_path, "<ul><li>one<li>two<p>three").text == "- one\n- two\nthree\n"


def test_pages_without_text(tmp_path: Path) -> None:
    with pytest.raises(NoText):
        read(tmp_path, "<html><body><script>render()</script></body></html>")
    with pytest.raises(EmptyFile):
        read(tmp_path, "")


TAGS = re.findall(r"\w+", "div p ul ol li table tr td th pre h1 h3 dl dt dd br span sup a main")
tags = st.sampled_from(TAGS)
pieces = st.one_of(
    tags.map(lambda tag: f"<{tag}>"),
    tags.map(lambda tag: f"</{tag}>"),
    st.sampled_from(["&#8;", "&#x1f", "&#0;", "&amp;", "&#65;", "&#12;"]),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="<>&"), max_size=8),
)


@given(st.lists(pieces, max_size=40).map("".join))
def test_any_tag_soup_gives_sorted_sections_and_blocks_inside_the_text(soup: str) -> None:
    from treegraph.indexer.loaders.html import parse_html

    content = parse_html(soup + "<p>end</p>")
    spans = [(block.start, block.end) for block in content.blocks]
    assert all(0 <= start < end <= len(content.text) for start, end in spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    starts = [section.start for section in content.sections]
    assert starts == sorted(starts)
    assert all(content.text.startswith(section.title, section.start) for section in content.sections)
    assert "end" in content.text
