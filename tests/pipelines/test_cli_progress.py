"""Progress on stderr: bars on a terminal, lines elsewhere, nothing when asked to be quiet."""

from __future__ import annotations

import io
import re
import time

import pytest
from treegraph.pipelines.cli.progress import progress
from treegraph.pipelines.events import Event


class Terminal(io.StringIO):
    """A stderr that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "160")
    return stream


def plain(stream: Terminal) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", stream.getvalue())


def test_a_terminal_shows_stages_counts_rate_and_what_is_worked_on(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress("building x", quiet=False) as on_event:
        on_event(Event("survey", 11, 11, "files"))
        on_event(Event("index", 0, 11, "documents"))
        time.sleep(0.6)
        on_event(Event("index", 120, None, "chunks", "manuals/a.pdf"))
        on_event(Event("index", 3, 11, "documents", "manuals/\x1b[2Jb.pdf"))
    shown = plain(terminal)
    for part in ("survey", "11/11 files", "index", "3/11 documents", "120 chunks", "chunks/s", "b.pdf"):
        assert part in shown
    assert "\x1b[2J" not in terminal.getvalue()


def test_the_first_unit_with_a_total_moves_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress("fetching x", quiet=False) as on_event:
        on_event(Event("fetch", 10, None, "bytes", "a"))
        on_event(Event("fetch", 20, 20, "bytes", "a"))
        on_event(Event("fetch", 1, 4, "files", "a"))
    assert "20/20 bytes" in plain(terminal)
    assert "00:00" in plain(terminal)


def test_elsewhere_there_is_a_line_at_the_start_and_one_at_the_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with progress("building x", quiet=False) as on_event:
        on_event(Event("index", 3, 11, "documents"))
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"building x \.\.\.\nbuilding x: done in \d+\.\d s\n", err)


def test_elsewhere_a_line_now_and_then_says_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("building x", quiet=False, every=0.2) as on_event:
        time.sleep(0.3)
        on_event(Event("ocr", 0, 200, "pages", "a.pdf"))
        time.sleep(0.05)
        on_event(Event("ocr", 40, 200, "pages", "a.pdf"))
        on_event(Event("index", 1200, None, "chunks", "a\x1b[2J.pdf"))
        time.sleep(0.5)
    first, *lines, last = capsys.readouterr().err.splitlines()
    assert first == "building x ..."
    assert lines[0] == "building x: at work"
    assert re.fullmatch(r"building x: ocr 40 of 200 pages, \d+ s left; index 1,200 chunks", lines[1])
    assert lines[2] == "building x: still at index 1,200 chunks"
    assert last.startswith("building x: done in")


def test_quiet_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress("building x", quiet=True, every=0.01) as on_event:
        on_event(Event("index", 3, 11, "documents"))
        time.sleep(0.05)
    assert terminal.getvalue() == ""
