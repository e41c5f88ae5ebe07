"""Folders with manuals and the indexes built from them, for the tests of the command line and the tree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pymupdf
import pytest
from command_line import Here, treegraph
from folder_copies import copy_folder
from small_guide import GUIDE, INDEX_ID, write_guide, write_pages
from small_index import build, moved
from small_plant import INDEX_ID as PLANT_ID
from small_plant import PLANT, write_plant


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
    copy_folder(workplace, tmp_path / "copy")
    return Here.entered(tmp_path / "copy", monkeypatch, capsys)


@pytest.fixture(scope="session")
def grown_guide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the small guide and a PDF in ``guide``, and the index over it, with its tree, in
    ``index``."""
    folder = tmp_path_factory.mktemp("grown")
    write_guide(folder / "guide")
    write_pages(folder / "guide" / "paged.pdf", "rotor", "stator")
    build(folder / "index", folder / "guide", config=GUIDE, index_id=INDEX_ID)
    return folder


@pytest.fixture
def guide_copy(grown_guide: Path, tmp_path: Path) -> Path:
    """A copy of that folder, for what changes it."""
    copy = copy_folder(grown_guide, tmp_path / "copy")
    moved(copy / "index", copy / "guide")
    return copy


@pytest.fixture(scope="session")
def grown_plant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with manuals of a small plant in ``plant``, and the index over them, with its graph, in
    ``index``."""
    folder = tmp_path_factory.mktemp("plants")
    build(folder / "index", write_plant(folder / "plant"), config=PLANT, index_id=PLANT_ID)
    return folder


@pytest.fixture
def plant_copy(grown_plant: Path, tmp_path: Path) -> Path:
    """A copy of that folder, for what changes it."""
    copy = copy_folder(grown_plant, tmp_path / "copy")
    moved(copy / "index", copy / "plant")
    return copy
