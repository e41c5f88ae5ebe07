"""``treegraph tree``: the tree of summaries, printed like tree(1)."""

from __future__ import annotations

import click

from .common import Common, command
from .output import emit, note, show
from .search import parse_labels


@command("tree", short_help="The tree of summaries, like tree(1).")
@click.argument("node", required=False, metavar="[NODE]")
@click.option("--depth", type=click.IntRange(0, 100), default=3, show_default=True, help="Levels below NODE.")
@click.option("--labels", metavar="a,b", help='As a reader with these labels; "" is the public.')
@click.option("--ids", is_flag=True, help="Show each node's id, as -v does.")
def tree(common: Common, node: str | None, depth: int, labels: str | None, ids: bool) -> int:
    """Print the tree, or what is below NODE: the id of a node, or the source of a document.

    Each line has a title (of what has none the first and last titles beneath, or else the first words of
    the summary), how many passages are beneath, their pages, and the tokens of the summary. A document of one
    passage has no summary, and stands there by its title. `treegraph read NODE` shows a summary whole.
    """
    config = common.effective().config
    from ..opening import open_index

    with open_index(common.index_path, config=config) as index:
        found = index.tree(node, depth=depth, labels=parse_labels(labels))
        whole, now = index.status()["structures"].get("tree"), index.generation
    if whole != now and not common.quiet:
        note(f"treegraph: the tree is behind: it was last whole in generation {whole} of {now}")
    if common.json:
        emit(found.to_json())
    else:
        from .drawing import render_tree

        show(*render_tree(found, ids or common.verbose > 0))
    return 0
