"""The tree of summaries for people, drawn as tree(1) draws folders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text
from rich.tree import Tree

from .hits import pages
from .output import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ...query.tree_view import TreeView

WORDS = 64
"""Characters of a summary that stand for the title that a cluster does not have."""
_DIM = "dim"


def render_tree(view: TreeView, ids: bool = False) -> Iterator[RenderableType]:
    """The nodes of ``view`` under one another, with their ids if wanted, and how many they are."""
    yield _drawn(view, ids)
    levels = list(_levels(view).values())
    count = _count(len(levels) - levels.count(0), "node")
    yield Text(f"\n{count}, {_count(view.passages, 'passage')}", style=_DIM)


def label(view: TreeView) -> str:
    """The title of a node; of one without, the titles that it holds, or the first words of its summary."""
    if view.id is None:
        return "all that may be seen" if view.children or view.folded else "no summaries"
    if view.title or view.holds:
        return one_line(view.title or view.holds)
    if not view.level:
        return one_line(", ".join(view.documents))
    words = one_line(view.summary)
    return words if len(words) <= WORDS else words[:WORDS].rsplit(" ", 1)[0] + " ..."


def _drawn(view: TreeView, ids: bool, above: TreeView | None = None) -> Tree:
    drawn = Tree(_line(view, ids, above), guide_style=_DIM)
    drawn.children.extend(_drawn(child, ids, view) for child in view.children)
    return drawn


def _line(view: TreeView, ids: bool, above: TreeView | None) -> Text:
    line = Text(label(view), style="" if view.title else "italic")
    line.append(f"  ({', '.join(_sizes(view, above))})", style=_DIM)
    if ids and view.id:
        line.append(f"  {view.id}", style="cyan")
    return line


def _sizes(view: TreeView, above: TreeView | None) -> Iterator[str]:
    """How much is beneath; the source only where it is not the same as ``above``."""
    yield _count(view.passages, "passage")
    if len(view.documents) > 1:
        yield _count(len(view.documents), "document")
    elif view.documents and (above is None or above.documents != view.documents):
        yield one_line(view.documents[0])
    if view.pages:
        yield pages(view.pages)
    if view.tokens:
        yield _count(view.tokens, "token")
    if view.folded:
        yield f"{view.folded:,} below"


def _levels(view: TreeView) -> dict[str, int]:
    """The levels of all that is shown, by id, so that what has two parents is there once."""
    found = {view.id: view.level} if view.id else {}
    for child in view.children:
        found.update(_levels(child))
    return found


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"
