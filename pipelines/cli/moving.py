"""``treegraph export`` and ``import``: an index as one file, out of its stores and into others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .common import Common, command
from .flags import effective_with
from .interrupt import cancelled_by_interrupt
from .output import emit, say
from .progress import progress

_FILE = click.Path(path_type=Path, dir_okay=False)


@command("export", short_help="Write the index to one file, to move it or keep a copy.")
@click.argument("archive", type=_FILE, metavar="FILE")
def export(common: Common, archive: Path) -> int:
    """Write the published generation of the index to FILE, whatever stores it lives in.

    The index may be searched and built meanwhile. What models were paid for goes with it.
    """
    from ..exporting import export_index

    work = f"exporting {common.index_path}"
    with cancelled_by_interrupt(common) as cancel, progress(work, common.quiet) as on_event:
        done = export_index(common.index_path, archive, on_event=on_event, cancel=cancel)
    return _show(f"wrote generation {done['generation']} of {common.index_path} to {archive}", done, common)


@command("import", short_help="Make an index again of what export wrote.")
@click.argument("archive", type=_FILE, metavar="FILE")
@click.option("--yes", is_flag=True, help="Replace what a server holds under the index's id.")
@click.option("--qdrant", metavar="URL", help="Keep the vectors on this Qdrant server ([stores] qdrant).")
@click.option("--neo4j", metavar="URL", help="Keep the graph on this Neo4j server ([stores] neo4j).")
def import_(common: Common, archive: Path, yes: bool, qdrant: str | None, neo4j: str | None) -> int:
    """Make the index that FILE holds in a folder that has none yet, in its own stores or on servers.

    It keeps its id, so that citations stay true and a later build goes on from it.
    """
    from ..importing import import_index

    config = effective_with(common, None, qdrant, neo4j, None).config
    work = f"importing {archive}"
    with cancelled_by_interrupt(common) as cancel, progress(work, common.quiet) as on_event:
        done = import_index(
            archive, common.index_path, config=config, yes=yes, on_event=on_event, cancel=cancel
        )
    return _show(f"published generation {done['generation']} of {common.index_path}", done, common)


def _show(headline: str, done: dict[str, Any], common: Common) -> int:
    if common.json:
        emit(done)
        return 0
    held = ", ".join(f"{count:,} {kind}" for kind, count in done["graph"].items())
    say(
        f"{headline}\n{done['rows']:,} rows{f'; graph: {held}' if held else ''}; {done['images']:,} images; "
        f"{done['bytes'] / 2**20:,.1f} MiB, {done['seconds']:.1f} s"
    )
    return 0
