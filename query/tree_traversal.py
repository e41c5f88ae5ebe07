"""Going down the tree from its root, on each level to the children that come nearest to the question.

The tree traversal of RAPTOR (Sarthi et al., arXiv 2401.18059, section 3): what is selected on all levels
together is the result. Here as a beam, since chunks and nodes stand side by side below one node, and by
words beside vectors, as the hybrid route finds chunks.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace

from .question import Candidate
from .tree_read import TreeRead


def traversal(read: TreeRead, limit: int) -> list[Candidate]:
    """The ``limit`` nearest of the nodes and chunks that the descent selects; ``path`` is the way that it
    took."""
    selected: dict[str, Candidate] = {}
    down: dict[str, str] = {}
    front = _beginning(read)
    while front:
        selected |= front
        below = _below(read, front, selected)
        front = _best(read, read.scored(below))
        down |= {child: below[child] for child in front}
    found = sorted(selected.values(), key=lambda each: (-each.score, each.key))[:limit]
    return read.ranked(replace(each, path=read.path(each.payload["id"], down)) for each in found)


def _below(read: TreeRead, front: Iterable[str], selected: Container[str]) -> dict[str, str]:
    """The children of the nodes in ``front``, each with the best of those that hold it."""
    below: dict[str, str] = {}
    for node in front:
        for child in read.tree.nodes[node].children if node in read.tree else ():
            if child not in selected:
                below.setdefault(child, node)
    return below


def _beginning(read: TreeRead) -> dict[str, Candidate]:
    """The highest nodes that the reader may see; beside them, where not all nodes are, the best of the
    chunks that stand in none."""
    tops = [node for node in read.readable if read.readable.isdisjoint(read.tree.parents(node))]
    alone: list[str] = []
    if len(read.readable) < len(read.tree.nodes) or not tops:
        alone = [leaf for leaf in read.chunks if read.readable.isdisjoint(read.tree.parents(leaf))]
    return _best(read, read.scored([*tops, *alone]))


def _best(read: TreeRead, found: Iterable[Candidate]) -> dict[str, Candidate]:
    return {each.payload["id"]: each for each in list(found)[: read.settings.beam]}
