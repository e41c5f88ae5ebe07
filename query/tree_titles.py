"""What the nodes of a tree are called: by their author, or by the titles beneath them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..indexer.types import NodeShape

NAMED = 3
"""Documents of a cluster that are named."""
Bounds = tuple[str, str]


class NodeTitles:
    """The titles of ``nodes``, each of which comes after those below it. ``documents`` has the titles of
    documents by id; ``whole`` says of a node of one document whether it holds all of it. Nothing of this is
    indexed."""

    def __init__(
        self, nodes: Mapping[str, NodeShape], documents: Mapping[str, str], whole: Callable[[str], bool]
    ) -> None:
        self._nodes = nodes
        self._documents = documents
        self._whole = whole
        self._bounds = _bounds(nodes)
        self._held: dict[str, str] = {}  # every path asks again, and many titles take long to put in order

    def title(self, node: str) -> str:
        """The author's title: of the section, or of the document that the node holds all of; empty for a
        cluster."""
        shape = self._nodes[node]
        if shape.title or len(shape.documents) != 1:
            return shape.title
        return self.document(shape.documents[0]) if self._whole(node) else ""

    def document(self, document: str) -> str:
        """The title of a document; empty for one that is not known."""
        return self._documents.get(document, "")

    def holds(self, node: str) -> str:
        """What a node without a title holds: the first and the last title beneath it in reading order, or
        the titles of its documents; empty where there are none, and for a node with a title."""
        if (known := self._held.get(node)) is None:
            known = self._held[node] = self._holds(node)
        return known

    def _holds(self, node: str) -> str:
        shape = self._nodes[node]
        if len(shape.documents) > 1 and not shape.title:
            titles = map(self.document, shape.documents)
            return _listed(sorted(filter(None, titles)))
        if self.title(node) or node not in self._bounds:
            return ""
        first, last = self._bounds[node]
        return first if first == last else f"{first} … {last}"


def _bounds(nodes: Mapping[str, NodeShape]) -> Mapping[str, Bounds]:
    """For each node that has a title or holds one, the first and the last of the highest ones."""
    found: dict[str, Bounds] = {}
    for name, shape in nodes.items():
        below = [found[child] for child in shape.children if child in found]
        if shape.title:
            found[name] = shape.title, shape.title
        elif below:
            found[name] = below[0][0], below[-1][1]
    return found


def _listed(titles: Sequence[str]) -> str:
    named = ", ".join(titles[:NAMED])
    more = len(titles) - NAMED
    return f"{named} and {more:,} more" if more > 0 else named
