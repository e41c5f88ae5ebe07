"""The tree of one generation in memory: who stands below whom, without any text.

A reader may read a node only where every document beneath is open to them, so titles and counts that
come from here are asked for readable nodes alone.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ..indexer.names_form import form
from ..indexer.types import NodeShape
from .access import Access
from .tree_titles import NodeTitles

Places = NDArray[np.int32]
Values = NDArray[np.float64]
_NUMBER = re.compile(r"(?:\w+ )?(?P<number>(?:\d+|[A-Z])(?:\.\d+)*)[.:)]?\s+(?=\S)")
"""The number before a title."""
CACHED = 128
"""Accesses whose readable nodes are kept: the same readers ask many questions."""


class TreeMap:
    """The nodes of a tree by id, and its leaves by their place. Safe from several threads.

    Places count the leaves in the order of reading: ``order`` has every chunk with its document, the chunks
    of one document one after the other; also those that no node holds yet. Leaves that it does not name
    follow as one meets them going down from the roots, children in their order. ``classes`` maps each
    document to its access class, ``titles`` to its title. ``singles`` has the documents of one chunk by
    that chunk's id: no node is theirs alone.
    """

    def __init__(
        self,
        shapes: Iterable[NodeShape],
        classes: Mapping[str, str] | None = None,
        order: Iterable[tuple[str, str]] = (),
        titles: Mapping[str, str] | None = None,
    ) -> None:
        ordered = sorted(shapes, key=lambda shape: (shape.level, shape.id))
        self.nodes: Mapping[str, NodeShape] = {shape.id: shape for shape in ordered}
        self._classes = dict(classes or {})
        self._parents: dict[str, list[str]] = {}
        for shape in ordered:
            for child in dict.fromkeys(shape.children):
                self._parents.setdefault(child, []).append(shape.id)
        order = list(order)
        chunks = Counter(document for _, document in order)
        self.singles: Mapping[str, str] = {leaf: name for leaf, name in order if chunks[name] == 1}
        self._document_titles = dict(titles or {})
        self._place, self.stretches = self._places(order)
        self._leaves = tuple(self._place)
        self._readable: dict[Access, frozenset[str]] = {}
        self._lock = threading.Lock()

    def __contains__(self, identifier: object) -> bool:
        return identifier in self.nodes

    @property
    def leaf_count(self) -> int:
        """How many chunks have a place."""
        return len(self._leaves)

    @property
    def roots(self) -> list[str]:
        """The nodes that no node holds; one, where the tree is whole."""
        return [node for node in self.nodes if node not in self._parents]

    def parents(self, identifier: str) -> Sequence[str]:
        """The nodes that hold a node or chunk; none for a root and for what is not in the tree."""
        return self._parents.get(identifier, ())

    def place(self, leaf: str) -> int | None:
        """The place of a chunk; None for one that is not in the tree."""
        return self._place.get(leaf)

    def leaf(self, place: int) -> str:
        """The chunk at a place."""
        return self._leaves[place]

    def beneath(self, node: str) -> Places:
        """The places of the chunks beneath a node, each once, ascending."""
        start, end = self._bounds[self._number[node] : self._number[node] + 2]
        return self._held[start:end]

    def sums(self, values: Values) -> Values:
        """For each node, in the order of ``nodes``, the sum of ``values`` (one a place) beneath it."""
        until: Values = np.concatenate([[0.0], np.cumsum(values[self._held])])
        sums: Values = until[self._bounds[1:]] - until[self._bounds[:-1]]
        return sums

    @property
    def sizes(self) -> Places:
        """For each node, in the order of ``nodes``, how many chunks stand beneath it."""
        return np.diff(self._bounds)

    def descent(self, identifier: str) -> list[str]:
        """The nodes from a root down to a node or chunk, along first parents; its own id is not in it."""
        steps: list[str] = []
        while parents := self.parents(identifier):
            identifier = parents[0]
            steps.append(identifier)
        return steps[::-1]

    @cached_property
    def titles(self) -> NodeTitles:
        """What the nodes are called."""
        return NodeTitles(self.nodes, self._document_titles, self._whole)

    @cached_property
    def titled(self) -> Mapping[str, Sequence[str]]:
        """The nodes by the normalised forms of their titles, with and without the number before it, and by
        that number; also those that a reader may not see."""
        found: dict[str, list[str]] = {}
        for node in self.nodes:
            title = self.titles.title(node)
            number = _NUMBER.match(title)
            names = [title] if number is None else [title, title[number.end() :], number["number"]]
            for name in filter(None, dict.fromkeys(map(form, names))):
                found.setdefault(name, []).append(node)
        return found

    def _whole(self, node: str) -> bool:
        """Whether a node of one document holds all of its chunks."""
        held = self.beneath(node)
        return len(held) == int(self._stretch_sizes[self.stretches[held[0]]])

    @cached_property
    def _stretch_sizes(self) -> NDArray[np.int64]:
        """How many leaves each stretch has, by its number."""
        return np.bincount(self.stretches)

    def step(self, node: str) -> Mapping[str, str | int]:
        """A node on the way down to another or to a chunk."""
        titles, level = self.titles, self.nodes[node].level
        return {
            "kind": "node",
            "id": node,
            "title": titles.title(node),
            "holds": titles.holds(node),
            "level": level,
        }

    def readable_singles(self, access: Access) -> frozenset[str]:
        """The chunks in ``singles`` of which ``access`` shows the document."""
        seen = self._seen(access)
        return frozenset(chunk for chunk, document in self.singles.items() if document in seen)

    def readable(self, access: Access) -> frozenset[str]:
        """The nodes of which ``access`` shows every document beneath."""
        with self._lock:
            if (known := self._readable.get(access)) is not None:
                return known
        found = self._find_readable(access)
        with self._lock:
            if len(self._readable) >= CACHED:
                self._readable.clear()
            self._readable[access] = found
        return found

    def _find_readable(self, access: Access) -> frozenset[str]:
        if access == Access():
            return frozenset(self.nodes)
        seen = self._seen(access)
        return frozenset(
            node for node, shape in self.nodes.items() if shape.documents and seen.issuperset(shape.documents)
        )

    def _seen(self, access: Access) -> set[str]:
        """The documents that ``access`` shows."""
        seen = set(self._classes if access.documents is None else access.documents)
        seen.difference_update(access.not_documents or ())
        if access.classes is not None:
            allowed = frozenset(access.classes)
            seen = {document for document in seen if self._classes.get(document) in allowed}
        return seen

    def _places(self, order: Iterable[tuple[str, str]]) -> tuple[dict[str, int], Places]:
        """The place of each leaf; and, by place, the number of the stretch that it belongs to: leaves of
        one stretch are of one document or, where that is not known, below one node."""
        place: dict[str, int] = {}
        stretch: list[int] = []
        number: dict[str, int] = {}
        for leaf, name in chain(order, self._downward()):
            if leaf not in place:
                place[leaf] = len(place)
                stretch.append(number.setdefault(name, len(number)))
        return place, np.array(stretch, dtype=np.int32)

    def _downward(self) -> Iterator[tuple[str, str]]:
        """The leaves from left to right, each with the highest node above it that is of one document, or
        else the one that holds it."""
        seen: set[str] = set()
        pending = [(root, "") for root in reversed(self.roots)]
        while pending:
            node, above = pending.pop()
            shape = self.nodes[node]
            whole = above or (node if len(shape.documents) == 1 else "")
            yield from ((child, whole or node) for child in shape.children if child not in self.nodes)
            inner = [child for child in shape.children if child in self.nodes and child not in seen]
            seen.update(inner)
            pending += [(child, whole) for child in reversed(inner)]

    @cached_property
    def _number(self) -> Mapping[str, int]:
        return {node: number for number, node in enumerate(self.nodes)}

    @cached_property
    def _rows(self) -> tuple[Places, Places]:
        """The places beneath all nodes one after the other, and where each node's begin."""
        beneath: dict[str, Places] = {}
        for node, shape in self.nodes.items():  # children before their parents
            inner = [beneath[child] for child in shape.children if child in self.nodes]
            own = [self._place[child] for child in shape.children if child not in self.nodes]
            beneath[node] = np.unique(np.concatenate([*inner, np.array(own, dtype=np.int32)]))
        bounds = np.cumsum([0, *map(len, beneath.values())])
        return np.concatenate([*beneath.values(), np.empty(0, dtype=np.int32)]), bounds

    @property
    def _held(self) -> Places:
        return self._rows[0]

    @property
    def _bounds(self) -> Places:
        return self._rows[1]
