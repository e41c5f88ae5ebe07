"""JSONL: one document a line, pre-cut chunks, and what a bad line comes to."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.errors import BadRecord, UnreadableFile
from treegraph.indexer.loaders import Loaded
from treegraph.indexer.loaders.records import read_records
from treegraph.indexer.loaders.records_cuts import locate


def write(path: Path, *records: Any) -> Path:
    lines = [record if isinstance(record, bytes) else json.dumps(record).encode() for record in records]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def read(path: Path, source: str | None = None) -> list[Loaded]:
    return list(read_records(path, source))


def test_one_document_a_line(tmp_path: Path) -> None:
    path = write(
        tmp_path / "faq.jsonl",
        {"_id": "a/1", "title": "T", "text": "One.\r\nTwo.", "year": 2020, "labels": ["x"]},
        b"",
        {"text": "no id, on line three"},
        {"_id": 7, "title": "only a title", "text": " "},
    )
    first, second, third = read(path, "root/faq.jsonl")
    assert first.source == "root/faq.jsonl#a/1"
    assert first.content is not None
    assert (first.content.text, first.content.title) == ("One.\nTwo.", "T")
    assert first.metadata == {"year": 2020, "labels": ["x"]}
    assert (second.source, second.error) == ("root/faq.jsonl#3", None)
    assert third.source == "root/faq.jsonl#7"
    assert third.content is not None
    assert third.content.text == "only a title"
    assert read(path)[0].source == "faq.jsonl#a/1"


def test_bad_lines_are_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl",
        b"\xef\xbb\xbf" + b'{"_id": "ok", "text": "x"}',
        b'{"_id": "known", "text": "cut of',
        b'["a list"]',
        b'{"_id": "ok", "text": "twice"}',
        b'{"_id": true, "text": "x"}',
        b'{"_id": "e"}',
        b'{"_id": "n", "text": "x", "score": NaN}',
        b'{"_id": "b", "text": "\xff"}',
        b'{"text": ' + b"[" * 20_000 + b"}",
        b'{"_id": "last", "text": "\\ud800 half"}',
    )
    loaded = read(path)
    bad = {each.source: str(each.error) for each in loaded if each.error is not None}
    assert [each.source for each in loaded if each.error is None] == ["a.jsonl#ok", "a.jsonl#last"]
    assert all(isinstance(each.error, BadRecord) for each in loaded if each.content is None)
    # Under its own id where that can still be read, so that an index may keep what it had.
    assert "line 2" in bad["a.jsonl#known"]
    assert "line 3" in bad["a.jsonl#line 3"]
    assert "stands above" in bad["a.jsonl#line 4"]
    assert "line 6" in bad["a.jsonl#e"]
    assert "NaN" in bad["a.jsonl#n"]
    assert "UTF-8" in bad["a.jsonl#b"]
    assert len(bad) == 8
    last = loaded[-1].content
    assert last is not None
    assert last.text == "\ufffd half"


def test_a_line_that_is_too_long_is_one_error_and_the_next_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treegraph.indexer.loaders.records.MAX_LINE", 64)
    path = write(tmp_path / "a.jsonl", {"_id": "big", "text": "x" * 500}, {"_id": "next", "text": "y"})
    big, following = read(path)
    assert (big.source, big.error is not None) == ("a.jsonl#big", True)
    assert "longer" in str(big.error)
    assert (following.source, following.error) == ("a.jsonl#next", None)


def test_versions_follow_the_line_alone(tmp_path: Path) -> None:
    one, two = {"_id": "1", "text": "x"}, {"_id": "2", "text": "y"}
    before = {each.source: each.version for each in read(write(tmp_path / "a.jsonl", one, two))}
    after = {each.source: each.version for each in read(write(tmp_path / "a.jsonl", two | {"k": 1}, one))}
    assert before["a.jsonl#1"] == after["a.jsonl#1"]
    assert before["a.jsonl#2"] != after["a.jsonl#2"]


def test_pre_cut_records_become_one_document(tmp_path: Path) -> None:
    text = "fn a() {}\n\nfn b() {}\nfn c() {}\n"
    write(
        tmp_path / "documents.jsonl",
        {"_id": "d", "text": text, "path": "src/x.rs", "media_type": "text/x-rust"},
    )
    path = write(
        tmp_path / "corpus.jsonl",
        {"_id": "d#10", "title": "", "text": "fn c() {}", "team": "core", "n": 10},
        {"_id": "alone#1", "text": "its document is not there"},
        {"_id": "d#2", "title": "", "text": "fn b() {}\n", "team": "core", "n": 2},
        {"_id": "d#0", "title": "", "text": "fn a()  {}", "team": "core", "n": 0},
    )
    alone, cut = read(path)
    assert alone.source == "corpus.jsonl#alone#1"
    assert cut.source == "corpus.jsonl#d"
    assert cut.metadata == {"team": "core", "path": "src/x.rs", "media_type": "text/x-rust"}
    content = cut.content
    assert content is not None
    assert (content.text, content.media_type) == (text, "text/x-rust")
    assert [(c.record, content.text[c.start : c.end]) for c in content.cuts] == [
        ("d#0", "fn a() {}"),
        ("d#2", "fn b() {}\n"),
        ("d#10", "fn c() {}"),
    ]
    write(tmp_path / "documents.jsonl", {"_id": "d", "text": text + "// end", "media_type": "text/x-rust"})
    assert read(path)[1].version != cut.version


def test_records_that_the_document_does_not_hold_are_its_text(tmp_path: Path) -> None:
    write(tmp_path / "documents.jsonl", {"_id": "d", "text": "something else", "title": "D"})
    path = write(tmp_path / "c.jsonl", {"_id": "d#0", "text": "one"}, {"_id": "d#1", "text": "two"})
    [cut] = read(path)
    assert cut.content is not None
    assert (cut.content.text, cut.content.title) == ("one\ntwo", "D")
    assert [(c.start, c.end) for c in cut.content.cuts] == [(0, 3), (4, 7)]


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile):
        read(tmp_path / "gone.jsonl")


@given(st.text("ab \n", min_size=1, max_size=60), st.lists(st.integers(1, 9), min_size=1, max_size=12))
def test_cuts_of_a_document_are_found_where_they_were_made(text: str, sizes: list[int]) -> None:
    bounds = [0]
    for size in sizes:
        bounds.append(min(len(text), bounds[-1] + size))
    pieces = [text[a:b] for a, b in pairwise(bounds) if text[a:b].strip()]
    records = [(f"d#{n}", piece) for n, piece in enumerate(pieces)]
    found, cuts = locate(text, records)
    assert found == text
    assert [found[cut.start : cut.end] for cut in cuts] == pieces
    assert all(a.end <= b.start for a, b in pairwise(cuts))


def test_overlapping_chunks_are_found_too() -> None:
    text = "alpha beta gamma delta"
    _, cuts = locate(text, [("d#0", "alpha beta gamma"), ("d#1", "gamma delta")])
    assert [(cut.start, cut.end) for cut in cuts] == [(0, 16), (11, 22)]
