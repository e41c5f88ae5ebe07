"""The tree of an index, held against all that a build promises of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.stores.ledger_nodes import NodeLedger, NodeRow, skeleton_of
from treegraph.indexer.stores.ports import Filter, Row
from treegraph.indexer.tree.skeleton import Leaf, Leaves, Limits, Skeleton
from treegraph.indexer.tree.soundness import faults
from treegraph.indexer.types import Document, access_class


@dataclass(frozen=True, slots=True)
class GrownTree:
    """The tree that a generation holds: by id the ledger's rows of nodes, the store's rows of nodes and
    chunks; and the documents."""

    generation: int
    nodes: dict[str, NodeRow]
    rows: dict[str, Row]
    chunks: dict[str, Row]
    documents: dict[str, Document]

    @property
    def skeleton(self) -> Skeleton:
        """Its shape, as the ledger has it."""
        skeleton = skeleton_of(self.nodes.values())
        if not skeleton.branches and len(self.chunks) == 1:
            return Skeleton({}, next(iter(self.chunks)))
        return skeleton

    @property
    def keys(self) -> dict[str, str]:
        """The key of each node's row, by its id."""
        return {name: node.key for name, node in self.nodes.items()}

    def above(self, chunks: set[str]) -> set[str]:
        """The nodes that hold any of these chunks, however far beneath them."""
        held = set(chunks)
        for branch in self.skeleton.upward():
            if held.intersection(branch.children):
                held.add(branch.id)
        return held - chunks

    def beneath(self, node: str) -> set[str]:
        """The chunks that a node rests on."""
        found: set[str] = set()
        for child in self.nodes[node].branch.children:
            found |= self.beneath(child) if child in self.nodes else {child}
        return found


def grown_tree(path: Path, generation: int | None = None) -> GrownTree:
    """The tree of the published generation, or of another one."""
    folder = IndexFolder.open(path)
    try:
        number = generation or folder.manifest().published
        assert number is not None
        store = folder.vectors()
        snapshot = store.read(number)
        rows = snapshot.fetch(Filter(), vectors=True)
        snapshot.close()
        store.close()
        return GrownTree(
            number,
            {node.branch.id: node for node in NodeLedger(folder.ledger).nodes(number)},
            {row.payload["id"]: row for row in rows if row.payload["kind"] == "node"},
            {row.payload["id"]: row for row in rows if row.payload["kind"] == "chunk"},
            {row.document.id: row.document for row in folder.ledger.documents(number)},
        )
    finally:
        folder.close()


def whole_tree(path: Path, limits: Limits | None = None) -> GrownTree:
    """The published tree, which covers every chunk and is right in all that its rows say."""
    tree = grown_tree(path)
    assert faults(tree.skeleton, _leaves(tree), limits or Limits()) == []
    true_rows(tree)
    return tree


def true_rows(tree: GrownTree) -> None:
    """What the store says of each node is what follows from the chunks beneath it, whether or not the tree
    covers all of them."""
    assert tree.rows.keys() == tree.nodes.keys()
    for name, node in tree.nodes.items():
        row, said = tree.rows[name], tree.rows[name].payload
        assert row.key == node.key
        beneath = [tree.chunks[chunk].payload for chunk in tree.beneath(name)]
        documents = sorted({chunk["document"] for chunk in beneath})
        assert said["document"] == documents == list(node.documents)
        labels = [tree.documents[document].labels for document in documents]
        assert said["class"] == sorted({access_class(each) for each in labels})
        assert (said["level"], said["kind"]) == (node.branch.level, "node")
        assert (said["first_page"], said["last_page"]) == _pages(beneath, documents)
        assert said["token_count"] == node.tokens <= 120
        assert said["text"].strip()
        true_facts(tree, name)
        assert row.dense is not None
        assert abs(float(np.linalg.norm(row.dense)) - 1) < 1e-3
        assert row.sparse is not None
        assert row.sparse.indices


def true_facts(tree: GrownTree, name: str) -> None:
    """What was counted over a node is what there is beneath it, and its members are just that."""
    stored = tree.rows[name].payload["facts"]
    documents = tree.nodes[name].documents
    if len(documents) > 1:
        titles = {document: tree.documents[document].title for document in documents}
        (fact,) = stored
        assert (fact["kind"], sorted(fact["members"])) == ("documents", sorted(documents))
        assert str(len(documents)) in fact["text"]
        assert [title for title in titles.values() if title not in fact["text"]] == []
        return
    beneath = tree.beneath(name)
    expected = _sections_in(tree, documents[0], beneath)
    if len(expected) < 2:
        assert stored == []
        return
    (fact,) = stored
    assert (fact["kind"], len(fact["members"])) == ("sections", len(expected))
    assert fact["text"] == f"{len(expected)} sections: {'; '.join(title for title, _ in expected)}"
    for member, (_, held) in zip(fact["members"], expected, strict=True):
        first = min(held, key=lambda chunk: int(tree.chunks[chunk].payload["ordinal"]))
        assert (tree.beneath(member) == held) if member in tree.nodes else (member == first)
        assert held <= beneath


def _sections_in(tree: GrownTree, document: str, beneath: set[str]) -> list[tuple[str, set[str]]]:
    """The sections directly in ``beneath``, of chunks that the tree holds: titles, and their chunks."""
    held = {child for node in tree.nodes.values() for child in node.branch.children}
    chunks = [row.payload for row in tree.chunks.values() if row.payload["document"] == document]
    ordered = sorted((chunk for chunk in chunks if chunk["id"] in held), key=lambda chunk: chunk["ordinal"])
    depth, around = 0, ordered
    while True:
        inner = _runs(around, depth + 1)
        whole = [run for run in inner if beneath <= {chunk["id"] for chunk in run}]
        if not whole:
            break
        depth, around = depth + 1, whole[0]
    ids = [(run[0]["section"][depth], {chunk["id"] for chunk in run}) for run in inner]
    return [(" ".join(title.split()), run) for title, run in ids if title.strip() and run <= beneath]


def _runs(chunks: list[Any], depth: int) -> list[list[Any]]:
    """The stretches of chunks under one path of ``depth`` titles."""
    runs = [list(run) for _, run in groupby(chunks, key=lambda chunk: tuple(chunk["section"][:depth]))]
    return [run for run in runs if len(run[0]["section"]) >= depth]


def everything_kept(path: Path, generation: int) -> str:
    """All that the ledger and the store say in one generation, as one text."""
    folder = IndexFolder.open(path)
    try:
        store = folder.vectors()
        snapshot = store.read(generation)
        stored = [dict(row.payload) for row in snapshot.fetch(Filter())]
        snapshot.close()
        store.close()
        kept: list[Any] = [*stored]
        for table in ("files", "documents", "chunks", "nodes"):
            sql = f"SELECT * FROM {table} WHERE since <= ? AND until > ?"
            kept += [dict(row) for row in folder.ledger.rows(sql, generation, generation)]
        return json.dumps(kept, ensure_ascii=False)
    finally:
        folder.close()


def _leaves(tree: GrownTree) -> Leaves:
    ordered = sorted(tree.chunks.values(), key=lambda row: (row.payload["document"], row.payload["ordinal"]))
    items = [
        Leaf(said["id"], said["document"], said["ordinal"], tuple(said["section"]), said["token_count"])
        for said in (row.payload for row in ordered)
    ]
    return Leaves(items, np.array([row.dense for row in ordered], dtype=np.float32))


def _pages(beneath: list[Any], documents: list[str]) -> tuple[int | None, int | None]:
    if len(documents) > 1 or any(chunk["first_page"] is None for chunk in beneath):
        return None, None
    return min(chunk["first_page"] for chunk in beneath), max(chunk["last_page"] for chunk in beneath)
