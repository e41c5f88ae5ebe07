"""Roots: what a user may write, and the names that come of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.errors import ConfigurationError, SourceUnreadable
from treegraph.indexer.sources import Root, escape_name, parse_roots, unescape_name


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    (tmp_path / "manuals" / "old").mkdir(parents=True)
    (tmp_path / "other" / "manuals").mkdir(parents=True)
    for name in ("sdm.pdf", "manuals/a.pdf", "manuals/old/b.pdf", "x=y.txt", "odd[1].txt"):
        (tmp_path / name).write_text("x")
    return tmp_path


def test_files_folders_globs_and_names(cwd: Path) -> None:
    roots = parse_roots(["manuals/", "sdm.pdf", "old=manuals/old/*.pdf", "x=y.txt", "odd[1].txt"], cwd)
    assert roots == [
        Root("manuals", cwd / "manuals", f"{cwd}/manuals"),
        Root("sdm.pdf", cwd / "sdm.pdf", f"{cwd}/sdm.pdf"),
        Root("old", cwd / "manuals/old", f"{cwd}/manuals/old/*.pdf", "*.pdf"),
        Root("x=y.txt", cwd / "x=y.txt", f"{cwd}/x=y.txt"),
        Root("odd[1].txt", cwd / "odd[1].txt", f"{cwd}/odd[1].txt"),
    ]


def test_the_working_folder_and_its_globs_bear_its_name(cwd: Path) -> None:
    assert parse_roots(["."], cwd / "manuals")[0].name == "manuals"
    assert parse_roots(["**/*.pdf"], cwd / "manuals") == [
        Root("manuals", cwd / "manuals", f"{cwd}/manuals/**/*.pdf", "**/*.pdf")
    ]
    assert parse_roots([cwd / "manuals"], Path("/"))[0].path == cwd / "manuals"


def test_one_place_twice_is_one_root_and_two_of_one_name_are_an_error(cwd: Path) -> None:
    assert len(parse_roots(["manuals", "./manuals/", cwd / "manuals"], cwd)) == 1
    with pytest.raises(ConfigurationError, match=r"=.*/other/manuals"):
        parse_roots(["manuals", "other/manuals"], cwd)
    assert [root.name for root in parse_roots(["manuals", "new=other/manuals"], cwd)] == ["manuals", "new"]


def test_what_cannot_be_read_or_named(cwd: Path) -> None:
    with pytest.raises(SourceUnreadable, match=r"gone\.pdf"):
        parse_roots(["gone.pdf"], cwd)
    with pytest.raises(SourceUnreadable, match="nowhere"):
        parse_roots(["nowhere/*.pdf"], cwd)
    os.mkfifo(cwd / "pipe")
    with pytest.raises(SourceUnreadable, match="neither a file nor a folder"):
        parse_roots(["pipe"], cwd)
    with pytest.raises(ConfigurationError, match="NAME=/"):
        parse_roots(["/"], cwd)
    with pytest.raises(ConfigurationError, match="empty"):
        parse_roots([""], cwd)
    with pytest.raises(ConfigurationError, match=r"\.\."):
        parse_roots(["manuals/*/../x"], cwd)
    (cwd / "a.pdf.meta.toml").write_text("")
    with pytest.raises(ConfigurationError, match="sidecar"):
        parse_roots(["a.pdf.meta.toml"], cwd)


file_names = st.binary(min_size=1, max_size=12).filter(lambda b: b"\0" not in b).map(os.fsdecode)


@given(file_names, file_names)
def test_escaping_is_reversible_injective_and_printable(first: str, second: str) -> None:
    for name in (first, second):
        escaped = escape_name(name)
        assert unescape_name(escaped) == name
        escaped.encode("utf-8")
        assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in escaped)
    assert (escape_name(first) == escape_name(second)) == (first == second)


def test_ordinary_names_stay_as_they_are() -> None:
    for name in ("sdm.pdf", "C# in 100%.pdf", "手册 v2.pdf", "a=b&c.md"):
        assert escape_name(name) == name
    assert escape_name("a\nb%0A") == "a%0Ab%250A"
