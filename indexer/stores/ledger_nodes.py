"""What the ledger knows of the tree: its shape and the rows that hold its summaries, versioned as chunks
are."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..owed import is_owed
from ..tree.skeleton import Branch, Skeleton
from ..types import NodeShape
from .ledger import Ledger
from .ports import OPEN


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A stored node: its row's key, its place in the tree, and what it was made of.

    ``tokens`` are its summary's, which ``by`` names the writer of; ``documents`` are those beneath it,
    sorted. ``made`` is the digest of all that the summary depends on, ``said`` that of its text,
    ``digest`` that of everything stored with it, ``embedded`` that of what its vectors depend on.
    """

    key: str
    branch: Branch
    tokens: int
    by: str
    documents: tuple[str, ...]
    made: str
    said: str
    digest: str
    embedded: str

    @property
    def shape(self) -> NodeShape:
        """Where it stands, for readers."""
        branch = self.branch
        return NodeShape(branch.id, branch.level, branch.children, self.tokens, branch.title, self.documents)


class NodeLedger:
    """Nodes, in the ledger's file."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def nodes(self, generation: int) -> list[NodeRow]:
        """The nodes live in ``generation``, by level and id."""
        sql = "SELECT * FROM nodes WHERE since <= ? AND until > ? ORDER BY level, id"
        return [_node(row) for row in self._ledger.rows(sql, generation, generation)]

    def keys(self, generation: int) -> set[str]:
        """The keys of the nodes live in ``generation``."""
        return self._ledger.live_keys(generation, "nodes")

    def ended(self, h: int) -> list[NodeRow]:
        """The nodes that the running build ended."""
        return [_node(row) for row in self._ledger.rows("SELECT * FROM nodes WHERE until = ?", h)]

    def owed(self, generation: int) -> int:
        """How many nodes live in ``generation`` a model is still to write; an older ledger knows of none."""
        if not self._ledger.rows("SELECT 1 FROM sqlite_master WHERE name = 'nodes'"):
            return 0
        sql = "SELECT made FROM nodes WHERE since <= ? AND until > ?"
        return sum(is_owed(row["made"]) for row in self._ledger.rows(sql, generation, generation))

    def add(self, rows: Sequence[NodeRow], h: int) -> None:
        """Nodes that the store now holds with ``since = h``."""
        values = [
            (
                row.key,
                row.branch.id,
                row.branch.level,
                row.tokens,
                _body(row),
                row.made,
                row.said,
                row.digest,
                row.embedded,
                h,
                OPEN,
            )
            for row in rows
        ]
        self._ledger.write("INSERT OR REPLACE INTO nodes VALUES (?,?,?,?,?,?,?,?,?,?,?)", values)

    def end(self, keys: Iterable[str], h: int) -> None:
        """Nodes that ``h`` does not hold; those first written in ``h`` are forgotten."""
        keys = list(keys)
        with self._ledger.transaction():
            self._ledger.write("DELETE FROM nodes WHERE key = ? AND since = ?", [(key, h) for key in keys])
            self._ledger.write("UPDATE nodes SET until = ? WHERE key = ?", [(h, key) for key in keys])

    def forget(self, keys: Iterable[str], h: int) -> None:
        """Nodes of the running build that its store lost."""
        self._ledger.write("DELETE FROM nodes WHERE key = ? AND since = ?", [(key, h) for key in keys])

    def restore(self, h: int) -> None:
        """Forget all that the running build did to nodes: those of its base are live again."""
        with self._ledger.transaction():
            self._ledger.write("DELETE FROM nodes WHERE since = ?", [(h,)])
            self._ledger.write("UPDATE nodes SET until = ? WHERE until = ?", [(OPEN, h)])

    def remake(self, made: Iterable[tuple[str, str]]) -> None:
        """Rows, by key, whose summaries came out the same of other things: what they are made of now."""
        self._ledger.write("UPDATE nodes SET made = ? WHERE key = ?", [(now, key) for key, now in made])

    def revive(self, keys: Iterable[str]) -> None:
        """Nodes ended in the running build that it holds after all."""
        self._ledger.write("UPDATE nodes SET until = ? WHERE key = ?", [(OPEN, key) for key in keys])


def skeleton_of(nodes: Iterable[NodeRow]) -> Skeleton:
    """The tree that these nodes are, ``root`` being the highest of them."""
    branches = {node.branch.id: node.branch for node in nodes}
    held = {child for branch in branches.values() for child in branch.children}
    tops = sorted(branches.keys() - held, key=lambda name: (-branches[name].level, name))
    return Skeleton(branches, tops[0] if tops else None)


def _body(row: NodeRow) -> str:
    branch = row.branch
    kept = {
        "children": branch.children,
        "title": branch.title,
        "document": branch.document,
        "section": branch.section,
        "drift": branch.drift,
        "documents": row.documents,
        "by": row.by,
    }
    return json.dumps(kept, ensure_ascii=True)


def _node(row: sqlite3.Row) -> NodeRow:
    kept = json.loads(row["body"])
    branch = Branch(
        id=row["id"],
        children=tuple(kept["children"]),
        level=row["level"],
        title=kept["title"],
        document=kept["document"],
        section=tuple(kept["section"]),
        drift=kept["drift"],
    )
    return NodeRow(
        row["key"],
        branch,
        row["tokens"],
        kept["by"],
        tuple(kept["documents"]),
        row["made"],
        row["said"],
        row["digest"],
        row["embedded"],
    )
