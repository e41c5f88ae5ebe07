"""What the tools ``read`` and ``outline`` find."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...indexer.errors import ConfigurationError, RouteUnavailable
from ..read_result import Reading
from ..tree_view import TreeView
from .llama_arguments import NeighboursArguments, OutlineArguments, ReadArguments
from .llama_text import NOTE, Found, Item, line, page_label, places, where
from .llama_tools_graph import found_neighbours

if TYPE_CHECKING:
    from ..index import Index

Items = list[Callable[[], Item]]


def found_reading(index: Index, labels: Sequence[str] | None, asked: ReadArguments) -> Found:
    """What is under an id, a source or a range of pages, whole; what an entity has to it, by its id."""
    try:
        reading = index.read(asked.id, labels)
    except ConfigurationError as unread:
        try:
            return found_neighbours(index, labels, NeighboursArguments(entity=asked.id))
        except (ConfigurationError, ValueError):  # an unknown name, no graph, or too long for a name
            raise ConfigurationError(f"there is nothing to read under {asked.id!r}") from unread
    generation = index.generation or 0
    if reading.kind in ("document", "pages"):
        return Found(NOTE, _by_page(index, labels, reading), generation, _next([reading]))
    parts = _around(index, labels, reading, asked.neighbours) if reading.kind == "chunk" else [reading]
    return Found(NOTE, [partial(_part, part) for part in parts], generation, _next(parts))


def found_outline(index: Index, labels: Sequence[str] | None, asked: OutlineArguments) -> Found:
    """The tree from a node down, each node a line, with as much of it as ``detail`` says."""
    try:
        view = index.tree(asked.of or None, asked.depth, labels)
    except RouteUnavailable:
        raise
    except ConfigurationError as error:
        raise ConfigurationError(f"there is no node or document {asked.of!r} in the outline") from error
    items: Items = []
    for depth, node, above in _walk(view, 0, None):
        items.append(partial(_node, node, depth, above, asked.detail != "titles"))
        if asked.detail == "text" and node.id and not node.children:
            items += _passages(index, labels, node)
    hint = "Go down with `of` = an id; `read` an id for its summary and what is below it."
    return Found("" if asked.detail == "titles" else NOTE, items, index.generation or 0, hint, "\n")


def _around(index: Index, labels: Sequence[str] | None, middle: Reading, reach: int) -> list[Reading]:
    """A chunk with as many before and after it as are wanted and there."""
    parts = [middle]
    for side in ("previous", "next"):
        at = middle
        for _ in range(reach):
            name = (at.beside or {}).get(side)
            if name is None:
                break
            at = index.read(name, labels)
            parts.insert(0 if side == "previous" else len(parts), at)
    return parts


def _by_page(index: Index, labels: Sequence[str] | None, reading: Reading) -> Items:
    """A document, or pages of it, page by page, so that each can be cited; whole where it has no pages."""
    document, _, asked = reading.id.rpartition("@") if reading.kind == "pages" else (reading.id, "", "")
    texts = index.page_texts(document, labels)
    if asked:
        first, _, last = asked.partition("-")
        texts = {number: texts[number] for number in range(int(first), int(last) + 1) if number in texts}
    source = reading.citations[0].source if reading.citations else document
    if not texts:
        return [partial(Item, source, reading.text)]
    return [partial(Item, f"{source} p. {number}", text) for number, text in texts.items()]


def _part(reading: Reading) -> Item:
    if reading.node:
        return _summary(reading)
    return Item(f"{where(reading.citations[0])} (chunk {reading.id})", reading.text)


def _summary(reading: Reading) -> Item:
    node = reading.node
    assert node is not None
    title = node.title or node.holds or reading.context
    head = f"summary of {node.passages} passages on {line(title)}: {places(reading.citations)} ({reading.id})"
    known = {citation.chunk: citation for citation in reading.citations}
    below = [f"chunk {name}: {where(known[name])}" if name in known else name for name in reading.below]
    facts = [fact.text for fact in node.facts]
    return Item(head, "\n".join([reading.text.strip(), *facts, "below:", *below]))


def _next(parts: Sequence[Reading]) -> str:
    """What to read for what comes before and after."""
    first, last = (parts[0].beside or {}).get("previous"), (parts[-1].beside or {}).get("next")
    told = [f"{name}: {other}" for name, other in (("before it", first), ("after it", last)) if other]
    return "; ".join(told)


def _walk(
    view: TreeView, depth: int, above: TreeView | None
) -> Iterator[tuple[int, TreeView, TreeView | None]]:
    """The nodes with how deep they are and what they are under, in reading order."""
    yield depth, view, above
    for child in view.children:
        yield from _walk(child, depth + 1, view)


def _node(view: TreeView, depth: int, above: TreeView | None, summary: bool) -> Item:
    indent = "  " * depth
    head = f"{indent}- {_title(view)} ({', '.join(_sizes(view, above))})"
    if view.id:
        head += f" {view.id}"
    return Item(head, f"{indent}  {line(view.summary, 2000)}" if summary and view.summary else "")


def _title(view: TreeView) -> str:
    if view.id is None:
        return "all documents"
    return line(view.title or view.holds or view.summary or ", ".join(view.documents), 120)


def _sizes(view: TreeView, above: TreeView | None) -> Iterator[str]:
    """How much is beneath; the source only where it is not that of what is above."""
    if len(view.documents) > 1:
        yield f"{len(view.documents)} documents"
    elif view.documents and (above is None or above.documents != view.documents):
        yield view.documents[0]
    if view.pages:
        yield f"p. {page_label(view.pages)}"
    yield f"{view.passages} passage{'' if view.passages == 1 else 's'}"
    if view.folded:
        yield f"{view.folded} below"


def _passages(index: Index, labels: Sequence[str] | None, node: TreeView) -> Items:
    """The passages right beneath a node, or the one that it is."""
    assert node.id is not None
    below = index.read(node.id, labels).below if node.level else (node.id,)

    def passage(name: str) -> Item:
        return _part(index.read(name, labels))

    return [partial(passage, name) for name in below]
