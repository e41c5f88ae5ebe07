"""Plain text in any encoding, pages by form feed, limits."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.errors import EmptyFile, LimitExceeded, NoText, UnreadableFile
from treegraph.indexer.loaders import LoadSettings
from treegraph.indexer.loaders.encoding import decode
from treegraph.indexer.loaders.text import read_text

TEXTS = {
    "zh": "系统默认密码请及时修改。打开电源开关，等待指示灯变为绿色。\n请检查网络连接是否正常。\n",
    "tw": "系統預設密碼請及時修改。打開電源開關，等待指示燈變為綠色。\n請檢查網路連線是否正常。\n",
    "ja": "電源を入れる前に、取扱説明書をお読みください。\nランプが緑色に点灯します。\n",
    "ko": "전원을 켜기 전에 반드시 사용 설명서를 읽어 주십시오.\n표시등이 녹색으로 켜집니다.\n",
    "de": "Überprüfen Sie die Stromversorgung, bevor Sie den Netzstecker ziehen.\nMaße können abweichen.\n",
    "ru": "Перед включением питания внимательно прочитайте руководство пользователя.\nНажмите кнопку.\n",
}
ENCODINGS = [
    *[("zh", e) for e in ("gb18030", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")],
    *[("ja", e) for e in ("shift_jis", "euc_jp", "iso2022_jp", "utf-16-le")],
    *[("ko", e) for e in ("euc_kr", "utf-16-be")],
    *[("de", e) for e in ("latin_1", "cp1252", "utf-16-le", "utf-32-be")],
    ("tw", "big5"),
    ("ru", "cp1251"),
    ("ru", "koi8_r"),
]


@pytest.mark.parametrize(("language", "encoding"), ENCODINGS)
def test_every_encoding_gives_the_same_text(tmp_path: Path, language: str, encoding: str) -> None:
    path = tmp_path / "manual.txt"
    path.write_bytes(TEXTS[language].encode(encoding))
    content = read_text(path, LoadSettings())
    assert content.text == TEXTS[language]
    assert content.dropped == {}


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_utf8_comes_back_character_for_character(text: str) -> None:
    assert decode(text.encode()).text == text.removeprefix("\ufeff")


@given(st.binary())
def test_any_bytes_decode(data: bytes) -> None:
    decoded = decode(data)
    assert decoded.undecodable == (decoded.text.count("\ufffd") if decoded.undecodable else 0)
    decoded.text.encode("utf-8")


def test_broken_bytes_are_counted_not_dropped(tmp_path: Path) -> None:
    path = tmp_path / "manual.txt"
    path.write_bytes(TEXTS["ja"].encode() * 4 + b"\xff\n")
    content = read_text(path, LoadSettings())
    assert content.text == TEXTS["ja"] * 4 + "\ufffd\n"
    assert content.dropped == {"undecodable bytes": 1}


def test_form_feeds_end_pages_that_tile_the_text(tmp_path: Path) -> None:
    path = tmp_path / "rfc.txt"
    path.write_text("page one\n\fpage two\n\f\fpage four\n\f\n")
    content = read_text(path, LoadSettings())
    assert [content.text[page.start : page.end].strip() for page in content.pages] == [
        "page one",
        "page two",
        "",
        "page four",
    ]
    assert [page.number for page in content.pages] == [1, 2, 3, 4]
    assert content.pages[0].start == 0
    assert content.pages[-1].end == len(content.text)
    assert all(a.end == b.start for a, b in zip(content.pages, content.pages[1:], strict=False))


def test_line_ends_and_overstrikes_become_plain(tmp_path: Path) -> None:
    path = tmp_path / "page.txt"
    path.write_bytes(b"N\bNA\bAM\bME\bE\r\n  _\bt_\bh_\be command\rend\r\n")
    content = read_text(path, LoadSettings(), "text/x-shellscript")
    assert content.text == "NAME\n  the command\nend\n"
    assert content.media_type == "text/x-shellscript"
    assert content.pages == ()


RST = """=====
Title
=====

Sub :mod:`os`
-------------

text
----------

====  ====
A     B
====  ====

Sub two
-------

Deep
~~~~

::

  code
  ====
"""


def test_headings_of_text_markups_are_sections(tmp_path: Path) -> None:
    def outline(name: str, text: str, media_type: str) -> list[tuple[int, str, str]]:
        path = tmp_path / name
        path.write_text(text)
        content = read_text(path, LoadSettings(), media_type)
        assert content.text == text
        return [(s.level, s.title, text[s.start :].split("\n")[0]) for s in content.sections]

    assert outline("a.rst", RST, "text/x-rst") == [
        (1, "Title", "====="),
        (2, "Sub os", "Sub :mod:`os`"),
        (2, "text", "text"),
        (2, "Sub two", "Sub two"),
        (3, "Deep", "Deep"),
    ]
    fenced = "= One\n\n----\n== not\n----\n\n== Two ==\n==no\n"
    assert outline("a.adoc", fenced, "text/x-asciidoc") == [(1, "One", "= One"), (2, "Two", "== Two ==")]
    org = "* One\n#+BEGIN_SRC c\n* not\n#+END_SRC\n** Two\n*bold* no\n"
    assert outline("a.org", org, "text/x-org") == [(1, "One", "* One"), (2, "Two", "** Two")]
    assert outline("a.txt", RST, "text/plain") == []


def test_limits_and_nothing_to_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("0123456789")
    with pytest.raises(LimitExceeded, match="max_bytes"):
        read_text(path, LoadSettings(max_bytes=9))
    with pytest.raises(LimitExceeded, match="max_characters"):
        read_text(path, LoadSettings(max_characters=9))
    assert read_text(path, LoadSettings(max_bytes=10, max_characters=10)).text == "0123456789"
    path.write_text(" \n\t\n")
    with pytest.raises(NoText):
        read_text(path, LoadSettings())
    path.write_text("")
    with pytest.raises(EmptyFile):
        read_text(path, LoadSettings())
    with pytest.raises(UnreadableFile):
        read_text(tmp_path, LoadSettings())
