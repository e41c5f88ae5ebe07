"""``treegraph read``: a chunk, a document or a range of pages, whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from .common import Common, command
from .output import emit, one_line, safe, show
from .search import parse_labels

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ...query.reading import Reading


@command("read", short_help="A chunk, a document or pages, whole.")
@click.argument("id", metavar="ID")
@click.option("--labels", metavar="a,b", help='As a reader with these labels; "" is the public.')
def read(common: Common, id: str, labels: str | None) -> int:
    """Print what ID names, whole, with what is above, below and beside it.

    ID is the id of a chunk or document, a document's source, or SOURCE@FIRST-LAST for pages.
    """
    config = common.effective().config
    from ..opening import open_index

    with open_index(common.index_path, config=config) as index:
        reading = index.read(id, labels=parse_labels(labels))
    if common.json:
        emit(reading.to_json())
    else:
        show(*_render(reading))
    return 0


def _render(reading: Reading) -> Iterator[RenderableType]:
    """What it is and where it stands, the text as it is, and what to read next."""
    from rich.text import Text

    from .hits import place

    first = reading.citations[0] if reading.citations else None
    if first and reading.kind == "chunk":
        yield place(first)
    else:
        name = f"{first.source}  {first.title}" if first and reading.kind == "document" else reading.id
        yield Text(one_line(name), style="bold")
    if reading.above:
        yield Text(one_line(" > ".join(step["title"] for step in reading.above)), style="dim")
    yield Text(f"\n{safe(reading.text)}\n", no_wrap=True, overflow="ignore")
    for name, other in (reading.beside or {}).items():
        if other:
            yield Text(f"{name}: {one_line(other)}", style="dim")
    if reading.below:
        yield Text(f"chunks: {len(reading.below)}, the first {reading.below[0]}", style="dim")
