"""A guide into which one string is planted wherever a source can hold one, and a look at all that an index
keeps of it: bytes of files, and rows of stores, which may be compressed there."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from byte_scan import found_in
from page_pictures import scanned_pdf
from pictured_manual import write_manual
from small_guide import GUIDE, write_guide
from treegraph.indexer.loaders.settings import LoadSettings
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.stores.ports import Filter

PLANTED = "Kéldwyn77"
KEEPING = replace(GUIDE, load=LoadSettings(keep_images=True))
SCANNED = f"The lamp of the {PLANTED} is orange."
"""What a test's reader of pictures is to say of the scan."""


def write_planted(folder: Path) -> Path:
    """The guide; and of the planted string a Markdown file of that name (title, section, table, field), a
    manual with a picture, a scan, and a file that fails."""
    write_guide(folder, "pump")
    text = f"""# The {PLANTED} gate

The {PLANTED} Gate Controller ({PLANTED}) requires the impeller of the pump. Turn the impeller before the
{PLANTED} opens.

## Of {PLANTED}

| part | name |
|---|---|
| 1 | {PLANTED} |
"""
    (folder / f"{PLANTED}.md").write_text(text)
    (folder / f"{PLANTED}.md.meta.toml").write_text(f'owner = "{PLANTED}"\nlabels = ["staff {PLANTED}"]\n')
    write_manual(folder / f"{PLANTED}.pdf", text=f"The gate of {PLANTED} stays shut.")
    scanned_pdf(folder / f"{PLANTED} scan.pdf", [("a",)])
    (folder / f"{PLANTED} bad.pdf").write_bytes(b"%PDF-1.7\nno more")
    return folder


def traces(index: Path, text: str = PLANTED) -> list[str]:
    """Where in an index's folder a string stands, in this spelling, in small letters, or without the letters
    before the last that is not ASCII, which may be written in many ways."""
    folded = {text, text.lower(), re.split(r"[^\x00-\x7f]", text)[-1]}
    found = {place for form in folded for place in found_in(index, form)}
    return sorted(found | {place for place, row in _rows(index) if any(form in row for form in folded)})


def _rows(index: Path) -> Iterator[tuple[str, str]]:
    for path in index.glob("*.db"):
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for (table,) in tables:
                if not table.startswith("alike"):
                    for row in connection.execute(f'SELECT * FROM "{table}"'):
                        yield f"{path.name}: {table}", "\n".join(map(str, row))
    folder = IndexFolder.open(index)
    try:
        for generation in folder.manifest().generations:
            with closing(folder.vectors()) as store, closing(store.read(generation)) as snapshot:
                for row in snapshot.fetch(Filter()):
                    yield f"vectors of {generation}", json.dumps(dict(row.payload), ensure_ascii=False)
    finally:
        folder.close()
