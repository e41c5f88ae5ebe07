"""A shelf of small manuals for agents: files with pages and without, names that are linked, chapters that
make a tree of several levels, and one manual for the staff alone, with words that stand nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from small_guide import write_guide, write_pages
from small_index import build
from small_plant import PLANT, write_plant
from treegraph.indexer.models.usage import estimate_tokens
from treegraph.query.index import Index
from treegraph.query.tools.tool import Desk
from treegraph.query.tools.toolbox import Toolbox

COUNT = estimate_tokens
LEAST, PLENTY = 800, 1_000_000
"""A budget that parts everything into pages, and one that parts nothing."""

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("documents", {}),
    ("outline", {"depth": 6}),
    ("outline", {"depth": 6, "detail": "summaries"}),
    ("outline", {"depth": 6, "detail": "text"}),
    ("search", {"question": "Which step turns the gasket of the valve?", "k": 60}),
    ("search", {"question": "What is there on the pump as a whole?", "route": "tree", "k": 40}),
    ("search", {"question": "What does the Ring Pressure Monitor require?", "route": "graph", "k": 40}),
    ("read", {"id": "shelf/guide/valve.md"}),
    ("read", {"id": "shelf/pages/press.pdf"}),
    ("read", {"id": "shelf/pages/press.pdf@2-9"}),
    ("neighbours", {"entity": "RPM"}),
    ("path", {"from": "Ring Pressure Monitor", "to": "Steam Outlet Gate"}),
)

CLOSED = (
    "# Canary Titleword Handbook\n\n## Canary Sectionword\n\n"
    "The Primary Feed Controller (CNRY) requires CNRY-1.STATE only if CNRY_COND = 1. "
    "The Ring Pressure Monitor requires CNRY-2.\n\n"
    "CNRY-1.STATE enables the Steam Outlet Gate. "
    "The Vacuum Line Sensor enables CNRY-2 unless CNRY-3 is set.\n\n"
    "## More\n\nThe Primary Feed Controller uses FAN-3 while the CNRYWORD holds. See Table 99-7.\n"
)
META = 'labels = ["staff"]\nedition = "Canary edition"\nsite = "CANARY-SITE"\n'
HIDDEN = ("CNRY", "cnry", "Canary", "CANARY", "Titleword", "Sectionword", "FAN-3", "Table 99")


def write_shelf(folder: Path, closed: bool = True) -> Path:
    """The manuals, with the closed one among them or not."""
    folder.mkdir(exist_ok=True)
    write_plant(folder / "plant")
    write_guide(folder / "guide")
    write_pages(folder / "pages" / "press.pdf", *(f"ram{number}" for number in range(12)))
    (folder / "pages" / "press.pdf.meta.toml").write_text(
        'edition = "B"\nvalid_from = 2020-01-01\nline = 4\n'
    )
    if closed:
        (folder / "cnryfile.md").write_text(CLOSED)
        (folder / "cnryfile.md.meta.toml").write_text(META)
    return folder


def build_shelf(index: Path, folder: Path, **options: Any) -> Path:
    """The index over the manuals in ``folder``."""
    build(index, folder, config=PLANT, **options)
    return index


def box(index: Index, labels: tuple[str, ...] | None = (), tokens: int = 2000) -> Toolbox:
    """The tools for a reader."""
    return Toolbox(Desk(index, labels), tokens)


def pages(tools: Toolbox, tool: str, **arguments: Any) -> list[dict[str, Any]]:
    """All pages of a result, each by the cursor of the one before."""
    found: list[dict[str, Any]] = []
    cursor = ""
    while True:
        reply = tools.call(tool, {**arguments, "cursor": cursor})
        assert not reply.failed, reply.text
        found.append(reply.document)
        if not (cursor := reply.document.get("more", "")):
            return found


def joined(found: list[dict[str, Any]], name: str, key: str = "text") -> list[dict[str, Any]]:
    """The items of all pages; one whose text was cut is put together again."""
    items: list[dict[str, Any]] = []
    for page in found:
        for item in page[name]:
            if item.get("continued"):
                items[-1] = {**items[-1], key: items[-1][key] + item[key]}
            else:
                items.append(item)
    return [{name: value for name, value in item.items() if name != "goes_on"} for item in items]
