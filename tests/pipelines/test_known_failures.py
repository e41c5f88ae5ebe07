"""Failures that were told of, and whose files have not changed, are no news."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import treegraph
from command_line import Here
from small_index import build, manual, moved

BROKEN = b"%PDF-1.7\nnothing that follows is a PDF\n"


def known(report: treegraph.BuildReport) -> dict[str, bool]:
    return {failure.source: failure.known for failure in report.failed}


def test_the_exit_code_tells_of_new_failures_and_of_files_that_changed(copied: Here) -> None:
    broken = copied.path / "manuals" / "broken.pdf"
    moved(copied.path / "treegraph.index", copied.path / "manuals")
    again = copied("build", "manuals")
    assert again.code == 0
    assert "1 known failure, of files that have not changed: treegraph status --failed" in again.err
    assert "broken.pdf" not in again.err
    assert copied("build", "manuals", "-q").err == ""
    strict = copied("build", "manuals", "--strict")
    assert strict.code == 1
    assert "failed: manuals/broken.pdf: corrupt file" in strict.err
    assert copied("build", "manuals", "--json").json("build")["documents"]["failed"][0]["known"] is True
    planned, strictly = copied("plan", "manuals"), copied("plan", "manuals", "--strict")
    assert (planned.code, "broken.pdf" in planned.err) == (0, False)
    assert (strictly.code, "fails: manuals/broken.pdf" in strictly.err) == (1, True)
    broken.write_bytes(BROKEN + b"more\n")
    assert copied("plan", "manuals").code == 1
    changed = copied("build", "manuals")
    assert (changed.code, "failed: manuals/broken.pdf" in changed.err) == (1, True)
    assert copied("build", "manuals").code == 0
    failed = copied("status", "--failed", "--json")
    (row,) = failed.json("status")["failed"]
    assert (failed.code, row["source"], row["known"]) == (0, "manuals/broken.pdf", True)


def test_a_new_failure_beside_a_known_one_counts(tmp_path: Path) -> None:
    source = manual(tmp_path / "m", a="# A\n\nOne.\n")
    (source / "first.pdf").write_bytes(BROKEN)
    assert known(build(tmp_path / "index", source)) == {"m/first.pdf": False}
    (source / "second.pdf").write_bytes(BROKEN)
    assert known(build(tmp_path / "index", source)) == {"m/first.pdf": True, "m/second.pdf": False}
    assert known(build(tmp_path / "index", source)) == {"m/first.pdf": True, "m/second.pdf": True}


def test_a_file_that_is_tried_again_each_time_is_known_until_it_fails_otherwise(tmp_path: Path) -> None:
    source = manual(tmp_path / "m", a="# A\n\nOne.\n")
    (source / "picture.xyz").write_bytes(bytes(64))
    first = build(tmp_path / "index", source)
    (failure,) = first.failed
    assert failure.reason not in ("corrupt file", "empty file", "no text", "limit exceeded")
    assert (failure.known, known(build(tmp_path / "index", source))) == (False, {"m/picture.xyz": True})
    since = treegraph.status(tmp_path / "index")["failed"][0]["first_seen"]
    (source / "picture.xyz").write_bytes(b"")
    (empty,) = build(tmp_path / "index", source).failed
    assert (empty.reason, empty.known) == ("empty file", False)
    assert treegraph.status(tmp_path / "index")["failed"][0]["first_seen"] == since


def test_what_a_stopped_run_could_not_tell_is_news_in_the_next(tmp_path: Path) -> None:
    source = manual(tmp_path / "m", b="# B\n\n" + "One. " * 20)
    (source / "a.pdf").write_bytes(BROKEN)
    cancel = threading.Event()

    def stop(event: treegraph.Event) -> None:
        if (event.item, event.done) == ("m/a.pdf", 1):  # small, and so the first
            cancel.set()

    with pytest.raises(treegraph.Cancelled):
        build(tmp_path / "index", source, cancel=cancel, on_event=stop)
    assert [row["known"] for row in treegraph.status(tmp_path / "index")["failed"]] == [False]
    assert known(build(tmp_path / "index", source)) == {"m/a.pdf": False}
    assert known(build(tmp_path / "index", source)) == {"m/a.pdf": True}
