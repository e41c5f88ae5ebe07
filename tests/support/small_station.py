"""A small pumping station for agents: a PDF with pages and chapters, files that state how parts hang
together, and one that only its staff may read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from small_guide import write_pages
from small_index import CONFIG, build
from treegraph.indexer.chunking import ChunkSettings
from treegraph.indexer.metadata import MetadataRule

STATION = replace(
    CONFIG,
    chunk=ChunkSettings(tokenizer="words", size=60),
    documents=(MetadataRule("**/closed.md", {"labels": "staff", "edition": "CANARYEDITION"}),),
)
CANARIES = ("CANARY", "Canary", "QX-99", "closed.md")
"""What stands in nothing but the closed file and its name."""

_OPEN = {
    "water": "# Water supply\n\n## Intake\n\nThe Cobalt Relay Yoke requires KIV-40 only if FLOOD = 1. KIV-40 "
    "uses PUMP-12.\n\n## Gate\n\nPUMP-12 sets GATE-3 unless FLOOD = 1. The gate opens at 8 bar.\n\n"
    "| Part | Pressure |\n| --- | --- |\n| PUMP-12 | 8 bar |\n| GATE-3 | 4 bar |\n",
    "steam": "# Steam\n\n## Outlet\n\nBLUEBIRD uses PUMP-12 only if LOCK_STATE = 1. BLUEBIRD requires "
    "FAN-3.\n\n## Care\n\nClean FAN-3 every month. FAN-3 stops when LOCK_STATE = 0.\n",
}
_CLOSED = (
    "# Canary handbook\n\n## Canary service\n\nPUMP-12 requires QX-99 and the CANARYCODE. QX-99 enables "
    "GATE-3 at 11 bar.\n"
)


def write_station(folder: Path) -> Path:
    """The files of the station."""
    folder.mkdir(exist_ok=True)
    for name, text in _OPEN.items():
        (folder / f"{name}.md").write_text(text, "utf-8")
    (folder / "closed.md").write_text(_CLOSED, "utf-8")
    write_pages(folder / "pump.pdf", "pressure", "membrane", "impeller")
    return folder


def build_station(home: Path) -> Path:
    """The folder of an index over the station, with its tree and graph."""
    report = build(home / "index", write_station(home / "station"), config=STATION)
    assert not report.failed
    return home / "index"
