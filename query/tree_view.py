"""The tree to look at: its nodes with their titles and sizes, down to some depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..indexer.errors import ConfigurationError
from .reading_nodes import NodeReader, Payload
from .result import SCHEMA, page_list


@dataclass(frozen=True, slots=True)
class TreeView:
    """A node, and what is below it.

    ``title`` is the author's, of its section or of the document that it holds all of; empty for a cluster.
    ``passages`` counts the chunks beneath, ``documents`` are their sources, sorted, ``pages`` goes from the
    first to the last page of its one document (None where there are several, or no pages), ``tokens`` are
    the summary's. ``children`` are the nodes below, in order; ``folded`` of them are not shown, being too
    deep.

    Where the reader may see several nodes and none above them all, ``id`` is None, ``level`` one more than
    the highest of theirs, and ``summary`` empty.
    """

    id: str | None
    level: int
    title: str
    summary: str
    passages: int
    documents: tuple[str, ...]
    pages: tuple[int, ...] | None
    tokens: int
    children: tuple[TreeView, ...] = ()
    folded: int = 0

    def to_json(self) -> dict[str, Any]:
        """The tree as JSON values, schema 1, nested as it is."""
        return {"schema": SCHEMA, **self._nested()}

    def _nested(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "level": self.level,
            "title": self.title,
            "summary": self.summary,
            "passages": self.passages,
            "documents": list(self.documents),
            "pages": None if self.pages is None else list(self.pages),
            "tokens": self.tokens,
            "children": [child._nested() for child in self.children],
            "folded": self.folded,
        }


def view(nodes: NodeReader, name: str | None, depth: int, documents: Mapping[str, str]) -> TreeView:
    """The node called ``name`` (None: the highest there is) with ``depth`` levels below it.

    ``name`` is the id of a node, or the source or id of a document: ``documents`` has the ids by source.
    Raises ConfigurationError where there is no such node that the reader may see.
    """
    if depth < 0:
        raise ConfigurationError(f"depth must be 0 or more, not {depth}")
    tops = _tops(nodes, name, documents)
    shown = _shown(nodes, tops, depth if len(tops) == 1 else depth - 1)
    drawing = _Drawing(nodes, nodes.payloads(shown) if shown else {})
    if len(tops) == 1:
        return drawing.node(tops[0], depth)
    return drawing.together(tops, depth)


def _tops(nodes: NodeReader, name: str | None, documents: Mapping[str, str]) -> list[str]:
    """The highest of the nodes that are asked for, in the order of reading."""
    if name is not None and name in nodes.readable:
        return [name]
    asked = nodes.readable
    if name is not None:
        document = documents.get(name, name)
        asked = frozenset(node for node in asked if nodes.tree.nodes[node].documents == (document,))
        if not asked:
            raise ConfigurationError(
                f"no node to show under {name!r}: give the id of a node (treegraph tree --ids shows them), "
                "or the source of a document that has summaries of its own"
            )
    tops = [node for node in asked if asked.isdisjoint(nodes.tree.parents(node))]
    return sorted(tops, key=lambda node: (int(nodes.tree.beneath(node)[0]), node))


def _shown(nodes: NodeReader, tops: Sequence[str], depth: int) -> list[str]:
    """The nodes down to ``depth`` levels below ``tops``."""
    found: dict[str, None] = {}
    level = list(tops) if depth >= 0 else []
    for _ in range(depth + 1):
        found.update(dict.fromkeys(level))
        level = list(dict.fromkeys(child for node in level for child in _below(nodes, node)))
        if not level:
            break
    return list(found)


def _below(nodes: NodeReader, node: str) -> list[str]:
    return [child for child in nodes.tree.nodes[node].children if child in nodes.tree]


@dataclass(frozen=True, slots=True)
class _Drawing:
    """Makes views of nodes, whose rows are at hand."""

    nodes: NodeReader
    payloads: Mapping[str, Payload]

    def node(self, node: str, depth: int) -> TreeView:
        """A node with ``depth`` levels below it."""
        shape = self.nodes.tree.nodes[node]
        payload = self.payloads.get(node, {})
        below = _below(self.nodes, node)
        return TreeView(
            id=node,
            level=shape.level,
            title=self.nodes.title(node),
            summary=payload.get("text", ""),
            passages=len(self.nodes.tree.beneath(node)),
            documents=self.nodes.sources(shape.documents),
            pages=page_list(payload) if len(shape.documents) == 1 else None,
            tokens=shape.tokens,
            children=tuple(self.node(child, depth - 1) for child in below) if depth else (),
            folded=0 if depth else len(below),
        )

    def together(self, tops: Sequence[str], depth: int) -> TreeView:
        """Nodes that the reader may see none above, side by side."""
        tree = self.nodes.tree
        held = np.unique(np.concatenate([np.empty(0, dtype=np.int32), *map(tree.beneath, tops)]))
        return TreeView(
            id=None,
            level=1 + max((tree.nodes[node].level for node in tops), default=-1),
            title="",
            summary="",
            passages=len(held),
            documents=self.nodes.sources({name for node in tops for name in tree.nodes[node].documents}),
            pages=None,
            tokens=0,
            children=tuple(self.node(node, depth - 1) for node in tops) if depth else (),
            folded=0 if depth else len(tops),
        )
