"""Rows of the tree's nodes in the vector store held against the ledger's."""

from __future__ import annotations

from ...indexer.digests import digest
from ...indexer.stores.ports import Stored
from .chunk_rows import LIVE_MARKS, garbled
from .damage import Damage
from .holdings import Holdings
from .row_proofs import key_of, node_digests, pages_of, proves


class NodeRows:
    """What was seen of a generation's rows of nodes so far."""

    def __init__(self, held: Holdings, damage: Damage) -> None:
        self._held = held
        self._damage = damage
        self._left = dict(held.nodes)

    def takes(self, one: Stored) -> bool:
        """Whether a row is one of a node that the generation holds."""
        return one.row.key in self._left

    def proven(self, one: Stored) -> bool:
        """Whether a row is one of a node that some build made."""
        return one.row.payload.get("kind") == "node" and proves(one, node_digests(self._held, one)[1])

    def finish(self) -> None:
        """Note the rows that the store should hold and does not, unless they are none that a build made."""
        for key, node in self._left.items():
            if key_of(node.id, node.since, node.digest) != key:
                garbled(self._held, self._damage, "nodes", key)
                self._damage.regrow = True
                continue
            self._damage.add("row lost", "vectors", key, "the row of a node is gone", "grow")
            self._damage.nodes.add(key)

    def take(self, one: Stored) -> bool:
        key, payload = one.row.key, one.row.payload
        node = self._left.pop(key)
        embedded, whole = node_digests(self._held, one)
        if not proves(one, whole) and key_of(str(payload.get("id")), node.since, whole) != key:
            what = "the row of a node is not what was written"
            self._damage.add("row altered", "vectors", key, what, "grow", "", pages_of(payload))
            self._damage.nodes.add(key)
            return False
        told = (
            payload["id"], payload["level"], payload["token_count"], payload["title"],
            tuple(payload["section"]), tuple(payload["document"]), payload["by"], digest(payload["text"]),
            whole, embedded,
        )  # fmt: skip
        known = (
            node.id, node.level, node.tokens, node.title, node.section, node.documents, node.by, node.said,
            node.digest, node.embedded,
        )  # fmt: skip
        if told != known or key_of(node.id, node.since, whole) != key:
            self._damage.add(
                "ledger row altered", "ledger", key, "the ledger's row of a node is not what its key was made"
                " of", "grow",
            )  # fmt: skip
            self._damage.regrow = True
            self._damage.nodes.add(key)
        if one.since != node.since:
            self._damage.add("marks", "vectors", key, LIVE_MARKS, "grow")
            self._damage.nodes.add(key)
        classes = {self._held.access(document) for document in payload["document"]}
        if set(payload["class"]) != classes:
            what = "a node may be read by others than the documents beneath it"
            self._damage.add("access", "vectors", key, what, "grow")
            self._damage.nodes.add(key)
        return True
