"""``treegraph read``: a chunk, a document, a range of pages, a node, an entity or a community, whole."""

from __future__ import annotations

import click

from .common import Common, command
from .output import emit, show
from .search import parse_labels


@command("read", short_help="What an id names, a document or pages, whole.")
@click.argument("id", metavar="ID")
@click.option("--labels", metavar="a,b", help='As a reader with these labels; "" is the public.')
def read(common: Common, id: str, labels: str | None) -> int:
    """Print what ID names, whole, with what is above, below and beside it.

    ID is the id of a chunk, of a document, of a node of the tree, of an entity or a community of the graph,
    a document's source, or SOURCE@FIRST-LAST for pages.
    """
    config = common.effective().config
    reader = parse_labels(labels)
    from ..opening import open_index

    with open_index(common.index_path, config=config) as index:
        reading = index.read(id, labels=reader)
        if common.json:
            emit(reading.to_json())
            return 0
        tree = index.tree(reading.id, depth=1, labels=reader) if reading.node else None
    from .readings import render_reading

    show(*render_reading(reading, tree))
    return 0
