"""A folder with manuals and the index built from them, for the tests of the command line."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest
from command_line import Here, treegraph


def write_manual(path: Path, pages: Sequence[str]) -> None:
    document = pymupdf.open()
    for text in pages:
        document.new_page().insert_textbox((50, 50, 500, 700), text, fontsize=11)
    document.set_toc([[1, "Use", 1], [1, "Care", 2]])
    document.save(path)
    document.close()


def _filler(subject: str) -> str:
    sentences = (
        f"Step {number} of the {subject} procedure takes {number} minutes." for number in range(1, 16)
    )
    return " ".join(sentences)


@pytest.fixture(scope="session")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with manuals (one of them broken) and the index built from them."""
    folder = tmp_path_factory.mktemp("work")
    manuals = folder / "manuals"
    manuals.mkdir()
    pages = [
        "Use\n\nHold the green key for five seconds to reset the pump controller.\n\n" + _filler("pressure"),
        "Care\n\nReplace the membrane filter every 400 hours of operation.\n\n" + _filler("cleaning"),
    ]
    write_manual(manuals / "pump.pdf", pages)
    (manuals / "valve.md").write_text("# Valve\n\nOpen the drain valve VX-12 before transport.\n", "utf-8")
    (manuals / "notes.txt").write_text("The warranty ends after two years.\n", "utf-8")
    (manuals / "notes.txt.meta.toml").write_text('labels = ["dealer"]\n', "utf-8")
    (manuals / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing that follows is a PDF\n")
    built = treegraph(folder, "build", "manuals", "--json")
    (folder / "built.json").write_text(built.out, "utf-8")
    (folder / "built.err").write_text(built.err, "utf-8")
    assert built.code == 1, built.err
    return folder


@pytest.fixture
def here(workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    """The workplace, for what only reads."""
    return Here.entered(workplace, monkeypatch, capsys)


@pytest.fixture
def copied(
    workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Here:
    """A copy of the workplace, for what changes it."""
    shutil.copytree(workplace, tmp_path / "copy")
    return Here.entered(tmp_path / "copy", monkeypatch, capsys)
