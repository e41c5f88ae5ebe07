"""The tree to look at: its nodes with their titles and sizes, down to some depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..indexer.errors import ConfigurationError
from .quoting import quoted
from .reading_nodes import NodeReader, Payload
from .result import SCHEMA, page_list
from .tree_map import Places


@dataclass(frozen=True, slots=True)
class TreeView:
    """A node, and what is below it.

    ``title`` is the author's, of its section or of the document that it holds all of; empty for a cluster,
    of which ``holds`` gives the titles beneath instead: the first and the last, or those of its documents.
    ``passages`` counts the chunks beneath, ``documents`` are their sources, sorted, ``pages`` goes from the
    first to the last page of its one document (None where there are several, or no pages), ``tokens`` are
    the summary's. ``children`` are the nodes below, in order; ``folded`` of them are not shown, being too
    deep.

    A document of one chunk has no node: among the others it stands as that chunk, at ``level`` 0, without a
    summary.

    Where the reader may see several of these and none above them all, ``id`` is None, ``level`` one more
    than the highest of theirs, and ``summary`` empty.
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
    holds: str = ""

    def to_json(self) -> dict[str, Any]:
        """The tree as JSON values, schema 1, nested as it is."""
        return {"schema": SCHEMA, **self._nested()}

    def _nested(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "level": self.level,
            "title": self.title,
            "holds": self.holds,
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
    chunks = {row["id"]: row for row in nodes.chunks([each for each in shown if each not in nodes.tree])}
    inner = [each for each in shown if each in nodes.tree]
    drawing = _Drawing(nodes, {**chunks, **(nodes.payloads(inner) if inner else {})})
    if len(tops) == 1:
        return drawing.any(tops[0], depth)
    return drawing.together(tops, depth)


def _tops(nodes: NodeReader, name: str | None, documents: Mapping[str, str]) -> list[str]:
    """The highest of what is asked for, in the order of reading."""
    tree = nodes.tree
    if name is not None and (name in nodes.readable or nodes.shows(name)):
        return [name]
    asked = nodes.readable
    singles = [chunk for chunk in tree.singles if tree.leaf_count == 1 or tree.parents(chunk)]
    if name is not None:
        document = documents.get(name, name)
        asked = frozenset(node for node in asked if tree.nodes[node].documents == (document,))
        singles = [chunk for chunk, of in tree.singles.items() if of == document]
    tops = [node for node in asked if asked.isdisjoint(tree.parents(node))]
    tops += [chunk for chunk in singles if nodes.shows(chunk) and asked.isdisjoint(tree.parents(chunk))]
    if name is not None and not tops:
        raise ConfigurationError(
            f"no node to show under {quoted(name)}: give the id of a node (treegraph tree --ids shows them), "
            "or the source of a document"
        )
    return sorted(tops, key=lambda each: (int(_held(nodes, each)[0]), each))


def _shown(nodes: NodeReader, tops: Sequence[str], depth: int) -> list[str]:
    """What is to be seen down to ``depth`` levels below ``tops``."""
    found: dict[str, None] = {}
    level = list(tops) if depth >= 0 else []
    for _ in range(depth + 1):
        found.update(dict.fromkeys(level))
        level = list(dict.fromkeys(child for each in level for child in _below(nodes, each)))
        if not level:
            break
    return list(found)


def _below(nodes: NodeReader, name: str) -> list[str]:
    """The nodes below a node, and the documents of one chunk, by that chunk."""
    node = nodes.tree.nodes.get(name)
    if node is None:
        return []
    several = len(node.documents) > 1
    return [child for child in node.children if child in nodes.tree or (several and nodes.shows(child))]


def _held(nodes: NodeReader, name: str) -> Places:
    """The places of the chunks beneath a node, or that of a chunk."""
    if name in nodes.tree:
        return nodes.tree.beneath(name)
    return np.array([nodes.tree.place(name)], dtype=np.int32)


@dataclass(frozen=True, slots=True)
class _Drawing:
    """Makes views of nodes and chunks, whose rows are at hand."""

    nodes: NodeReader
    payloads: Mapping[str, Payload]

    def any(self, name: str, depth: int) -> TreeView:
        """A node with ``depth`` levels below it, or a document of one chunk."""
        return self._node(name, depth) if name in self.nodes.tree else self._single(name)

    def _node(self, node: str, depth: int) -> TreeView:
        tree = self.nodes.tree
        shape = tree.nodes[node]
        payload = self.payloads.get(node, {})
        below = _below(self.nodes, node)
        return TreeView(
            id=node,
            level=shape.level,
            title=tree.titles.title(node),
            summary=payload.get("text", ""),
            passages=len(tree.beneath(node)),
            documents=self.nodes.sources(shape.documents),
            pages=page_list(payload) if len(shape.documents) == 1 else None,
            tokens=shape.tokens,
            children=tuple(self.any(child, depth - 1) for child in below) if depth else (),
            folded=0 if depth else len(below),
            holds=tree.titles.holds(node),
        )

    def _single(self, chunk: str) -> TreeView:
        document = self.nodes.tree.singles[chunk]
        return TreeView(
            id=chunk,
            level=0,
            title=self.nodes.tree.titles.document(document),
            summary="",
            passages=1,
            documents=self.nodes.sources([document]),
            pages=page_list(self.payloads.get(chunk, {})),
            tokens=0,
        )

    def together(self, tops: Sequence[str], depth: int) -> TreeView:
        """What the reader may see nothing above, side by side."""
        tree = self.nodes.tree
        held = [np.empty(0, dtype=np.int32), *(_held(self.nodes, each) for each in tops)]
        known = [tree.nodes[each] for each in tops if each in tree]
        documents = {name for shape in known for name in shape.documents}
        documents.update(tree.singles[each] for each in tops if each not in tree)
        return TreeView(
            id=None,
            level=1 + max((shape.level for shape in known), default=0 if tops else -1),
            title="",
            summary="",
            passages=len(np.unique(np.concatenate(held))),
            documents=self.nodes.sources(documents),
            pages=None,
            tokens=0,
            children=tuple(self.any(each, depth - 1) for each in tops) if depth else (),
            folded=0 if depth else len(tops),
        )
