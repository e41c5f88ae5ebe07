"""The whole way with the real encoder: files in, cited answers out."""

from __future__ import annotations

from pathlib import Path

import pytest
from treegraph.pipelines.build import build_index
from treegraph.pipelines.opening import open_index

NOTES = {
    "pump.md": "# Pump\n\n## Starting\n\nOpen the inlet before you switch the pump on.\n\n"
    "## Noise\n\nA rattling sound means that air is in the line. Bleed it at the upper screw.\n",
    "login.md": "# Login\n\n## Forgotten password\n\nAsk the front desk for a new one; it comes by post.\n",
    "limits.md": "# Limits\n\n| setting | value |\n|---|---|\n| MAX_BUFFER_SIZE | 4096 |\n| retries | 3 |\n",
}


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("onnxruntime", reason="the local extra is not installed")
    home = tmp_path_factory.mktemp("notes")
    (home / "notes").mkdir()
    for name, text in NOTES.items():
        (home / "notes" / name).write_text(text, encoding="utf-8")
    assert not build_index([home / "notes"], home / "index").failed
    return home / "index"


@pytest.mark.parametrize(
    ("question", "source", "section"),
    [
        ("why is my machine making a strange clatter?", "notes/pump.md", "Noise"),
        ("I cannot remember my login secret", "notes/login.md", "Forgotten password"),
        ("max buffer size", "notes/limits.md", "Limits"),
    ],
)
def test_questions_find_their_section(notes: Path, question: str, source: str, section: str) -> None:
    with open_index(notes) as index:
        hit = index.search(question, k=1)[0]
    assert hit.citations[0].source == source
    assert hit.citations[0].section[-1] == section


def test_what_is_not_there_is_less_relevant(notes: Path) -> None:
    with open_index(notes) as index:
        there = index.search("how do I get air out of the pump line", k=1)[0].relevance
        missing = index.search("which orchid blooms in the polar winter", k=1)[0].relevance
    assert there > 0.5 > missing
