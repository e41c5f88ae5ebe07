"""A reading for people: where it stands, the text as it is, and what to read next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rich.text import Text

from ..plain_text import safe
from .drawing import label
from .hits import called, pages, place, rests_on
from .output import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ...query.read_result import CommunityFacts, Reading
    from ...query.tree_view import TreeView

_DIM = "dim"
MEMBERS = 20
"""Members of a community that are listed."""


def render_reading(reading: Reading, tree: TreeView | None = None) -> Iterator[RenderableType]:
    """A reading; ``tree`` has the nodes just below it, where it is a node."""
    if reading.entity:
        yield Text(safe(reading.text), no_wrap=True, overflow="ignore")
        return
    yield from _heading(reading)
    yield Text(f"\n{safe(reading.text)}\n", no_wrap=True, overflow="ignore")
    for step in reading.above:
        if step["kind"] in ("node", "community"):
            yield _other("above", str(step["id"]), called(step))
    for name, other in (reading.beside or {}).items():
        if other:
            yield _other(name, other)
    for image in reading.images:
        size = f"{image.width} x {image.height}"
        yield _other(f"image on page {image.page}", image.id, f"{size}  {image.caption}")
    if reading.community:
        yield from _community(reading, reading.community)
    elif reading.node:
        known = _below(reading, tree)
        yield from (_other("below", child, known.get(child, "")) for child in reading.below)
    elif reading.below:
        yield _dim(f"chunks: {len(reading.below)}, the first {reading.below[0]}")


def _community(reading: Reading, community: CommunityFacts) -> Iterator[Text]:
    yield from (_other("below", child, title) for child, title in community.communities)
    for citation in reading.citations:
        yield _other("rests on", citation.chunk, f"{citation.source}  {pages(citation.pages)}")
    names = ", ".join(member.name for member in community.members[:MEMBERS])
    more = len(community.members) - MEMBERS
    yield _dim(f"members: {names}{f', and {more:,} more' if more > 0 else ''}")


def _heading(reading: Reading) -> Iterator[Text]:
    first = reading.citations[0] if reading.citations else None
    if first and reading.kind == "chunk":
        yield place(first)
    elif first and reading.node:
        yield rests_on(first, reading.node.documents, reading.node.passages, reading.node.pages)
        yield _dim(f"level {reading.node.level}, {reading.node.tokens:,} tokens")
        yield from (_dim(fact.text) for fact in reading.node.facts)
    elif reading.community:
        facts = reading.community
        yield Text(one_line(facts.title), style="bold")
        members = _counted(len(facts.members), "entity", "entities")
        documents = _counted(len(facts.documents), "document", "documents")
        yield _dim(f"community of {members}, level {facts.level}, over {documents}")
    else:
        name = f"{first.source}  {first.title}" if first and reading.kind == "document" else reading.id
        yield Text(one_line(name), style="bold")
    titles = [str(step["title"]) for step in reading.above if step["kind"] in ("document", "section")]
    if reading.node:
        titles = [title for title in (reading.context, reading.node.holds) if title]
    if titles or reading.node:
        yield _dim(" > ".join(titles))


def _below(reading: Reading, tree: TreeView | None) -> Mapping[str, str]:
    """What the children are: nodes by their titles, passages by their pages."""
    known = {citation.chunk: pages(citation.pages) for citation in reading.citations}
    known.update((child.id, label(child)) for child in (tree.children if tree else ()) if child.id)
    return known


def _other(name: str, identifier: str, what: str = "") -> Text:
    return _dim(f"{name}: {identifier}  {what}")


def _counted(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"


def _dim(text: str) -> Text:
    return Text(one_line(text), style=_DIM)
