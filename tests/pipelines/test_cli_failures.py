"""How a command fails: the exit code, the message on stderr, the document on stdout."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Here


@pytest.mark.parametrize(
    ("arguments", "code", "kind", "part"),
    [
        (("search",), 2, "UsageError", "QUESTION"),
        (("search", "x", "--route", "sideways"), 2, "UsageError", "sideways"),
        (("search", "x", "-k", "0"), 2, "UsageError", "-k"),
        (("search", "x", "--as-of", "soon"), 2, "UsageError", "soon"),
        (("search", "x", "--filter", "nonsense"), 2, "ConfigurationError", "nonsense"),
        (("search", ""), 2, "ConfigurationError", ""),
        (("search", "x", "-i", "nowhere"), 3, "IndexNotFound", "nowhere"),
        (("read", "nothing-like-it"), 2, "ConfigurationError", "nothing-like-it"),
        (("status", "-i", "nowhere"), 3, "IndexNotFound", "nowhere"),
        (("build", "missing-folder"), 3, "SourceUnreadable", "missing-folder"),
        (("build", "manuals", "--without", "leaves"), 2, "ConfigurationError", "leaves"),
        (("build", "manuals", "--neo4j", "bolt://localhost:1"), 3, "IndexIncompatible", "its own folder"),
        (("build", "manuals", "--llm", "model"), 2, "ConfigurationError", "MODEL@URL"),
        (
            ("build", "manuals", "--qdrant", "https://a:b@host"),
            2,
            "ConfigurationError",
            "TREEGRAPH_QDRANT_API_KEY",
        ),
        (("remove", "manuals/unknown.md"), 2, "ConfigurationError", "manuals/unknown.md"),
        (("config", "--config", "missing.toml"), 2, "ConfigurationError", "missing.toml"),
        (("corpora", "fetch", "unheard-of"), 2, "ConfigurationError", "unheard-of"),
        (("unheard-of",), 2, "UsageError", "unheard-of"),
        (("search", "x", "--unheard-of"), 2, "UsageError", "--unheard-of"),
    ],
)
def test_a_failure_has_its_exit_code_and_its_document(
    here: Here, arguments: tuple[str, ...], code: int, kind: str, part: str
) -> None:
    done = here(*arguments, "--json")
    error = done.json("error")["error"]
    assert (done.code, error["type"], error["exit_code"]) == (code, kind, code)
    assert part in error["message"]
    assert part in done.err
    plain = here(*arguments)
    assert (plain.code, plain.out) == (code, "")


def test_a_build_that_indexes_nothing_does_not_look_like_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = Here.entered(tmp_path, monkeypatch, capsys)
    (tmp_path / "scans").mkdir()
    for arguments in (("build", "scans"), ("build", "scans", "--dry-run")):
        done = here(*arguments)
        assert (done.code, done.out) == (3, "")
        assert "nothing to index in" in done.err
        assert "Markdown" in done.err
        assert not (tmp_path / "treegraph.index").exists()
    (tmp_path / "scans" / "page.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    done = here("build", "scans", "--json")
    assert done.code == 1
    assert "scans/page.png" in done.err
    assert "the index holds nothing. What is read: PDF, images (PNG, JPEG, TIFF), HTML, Markdown" in done.err
    assert done.json("build")["chunks"] == 0
    (tmp_path / "scans" / "page.md").write_text("# Page\n\nOne.\n")
    assert "holds nothing" not in here("build", "scans").err
