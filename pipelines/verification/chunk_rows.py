"""Rows of chunks in the vector store held against the ledger's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...indexer.digests import digest
from ...indexer.stores.ledger_rows import ChunkRow
from ...indexer.stores.ports import Stored
from .damage import Damage, Proven
from .holdings import Holdings, Marked, Place
from .row_proofs import chunk_digests, key_of, pages_of, proves
from .texts import embedded_text

LIVE_MARKS = "its marks are not those of the generation that wrote it"


class ChunkRows:
    """What was seen of a generation's rows of chunks so far."""

    def __init__(self, held: Holdings, damage: Damage) -> None:
        self._held = held
        self._damage = damage
        self._left = dict(held.chunks)
        self._ids = {marked.row.id for marked in held.chunks.values()}

    def takes(self, one: Stored) -> bool:
        """Whether a row is one of a chunk that the generation holds."""
        return one.row.key in self._left

    def proven(self, one: Stored) -> bool:
        """Whether a row is one of a chunk that some build made."""
        payload = one.row.payload
        return payload.get("kind") == "chunk" and proves(one, chunk_digests(self._held, payload)[1])

    def finish(self) -> None:
        """Note the rows that the store should hold and does not, unless they are none that a build made."""
        for key, marked in self._left.items():
            row, source = marked.row, self._held.source(marked.row.document)
            if key_of(row.id, marked.since, row.digest) != key:
                garbled(self._held, self._damage, "chunks", key, source)
                self._damage.documents.add(row.document)
                continue
            self._damage.add("row lost", "vectors", key, "the row of a chunk is gone", "embed", source)
            self._damage.chunks.add(key)

    def take(self, one: Stored) -> bool:
        key, payload = one.row.key, one.row.payload
        marked = self._left.pop(key)
        embedded, whole = chunk_digests(self._held, payload)
        row = ChunkRow(
            key, str(payload.get("id")), str(payload.get("document")), whole, embedded,
            payload["ordinal"] if isinstance(payload.get("ordinal"), int) else -1,
        )  # fmt: skip
        since = self._since(one, marked, whole)
        if since is None and self._renamed(one, marked):
            return self._again(one, marked)
        if since is None:
            self._altered(key, marked.row, payload)
            return False
        self._place(key, payload)
        if row != marked.row or since != marked.since:
            what = "the ledger's row of a chunk is not what its key was made of"
            source = self._held.source(row.document)
            self._damage.add("ledger row altered", "ledger", key, what, "restore", source, pages_of(payload))
            self._damage.proven.setdefault(key, Proven(row, since, marked.until, self._held.generation))
            self._held.chunks[key] = Marked(row, since, marked.until)
        if one.since != since:
            self._damage.add("marks", "vectors", key, LIVE_MARKS, "embed", self._held.source(row.document))
            self._damage.chunks.add(key)
        self._belongs(key, payload)
        return True

    def _since(self, one: Stored, marked: Marked, whole: str) -> int | None:
        """The generation that proves the key together with this digest, None for neither."""
        name, key = str(one.row.payload.get("id")), one.row.key
        return next((s for s in (marked.since, one.since) if key_of(name, s, whole) == key), None)

    def _renamed(self, one: Stored, marked: Marked) -> bool:
        """Whether the row is sound, and made with other encoders than the manifest names."""
        payload = one.row.payload
        if self._since(one, marked, digest([payload, marked.row.embedded])) is None:
            return False
        text = embedded_text(payload)
        stamps = [stamp for stamp in self._held.stamps if stamp != self._held.stamp]
        right = [s for s in stamps if digest([s, payload["language"], text]) == marked.row.embedded]
        if not right:
            return False
        what = "its rows were made with other encoders than the manifest names"
        self._damage.add("models", "manifest", str(self._held.generation), what, "correct")
        self._held.stamp = right[0]
        return True

    def _again(self, one: Stored, marked: Marked) -> bool:
        self._left[one.row.key] = marked
        return self.take(one)

    def _altered(self, key: str, row: ChunkRow, payload: Mapping[str, Any]) -> None:
        """A payload that is not what was written."""
        owner = self._held.access(row.document)
        given = payload.get("class")
        wider = " (it says that others may read it than its document does)" if given != owner else ""
        self._damage.add(
            "row altered", "vectors", key, f"the row of a chunk is not what was written{wider}", "read",
            self._held.source(row.document), pages_of(payload),
        )  # fmt: skip
        self._damage.chunks.add(key)

    def _belongs(self, key: str, payload: Mapping[str, Any]) -> None:
        """A row that is as it was written says of its document what the ledger does."""
        document = payload["document"]
        if document not in self._held.documents:
            self._damage.add(
                "document lost", "ledger", document, "the ledger lost a document that has chunks", "read"
            )
            self._damage.documents.add(document)
        elif payload["class"] != self._held.access(document):
            self._damage.add(
                "access", "vectors", key, "a chunk may be read by others than its document", "read",
                self._held.source(document), pages_of(payload),
            )  # fmt: skip
            self._damage.chunks.add(key)

    def take_unknown(self, one: Stored) -> bool:
        """A chunk's row that its key proves and the ledger does not have: it lost it, or this is a double."""
        payload, key = one.row.payload, one.row.key
        if payload["id"] in self._ids:
            self._damage.add("stray row", "vectors", key, "a chunk has a second row", "sweep")
            self._damage.strays.add(key)
            return False
        embedded, whole = chunk_digests(self._held, payload)
        row = ChunkRow(key, payload["id"], payload["document"], whole, embedded, payload["ordinal"])
        self._damage.add(
            "ledger row lost", "ledger", key, "the ledger lost the row of a chunk that the store holds",
            "restore", self._held.source(row.document), pages_of(payload),
        )  # fmt: skip
        self._damage.proven.setdefault(key, Proven(row, one.since, one.until, self._held.generation))
        self._held.chunks[key] = Marked(row, one.since, one.until)
        self._place(key, payload)
        self._belongs(key, payload)
        return True

    def _place(self, key: str, payload: Mapping[str, Any]) -> None:
        text, start = payload["text"], payload["start"]
        ink = (start + len(text) - len(text.lstrip()), start + len(text.rstrip()))
        self._held.places[payload["id"]] = Place(
            key, payload["document"], payload["class"], payload["ordinal"], start, payload["end"], ink,
            pages_of(payload), payload["record"],
        )  # fmt: skip


def garbled(held: Holdings, damage: Damage, table: str, key: str, source: str = "") -> None:
    """A row of the ledger that is nobody's: its key is not made of it, and no row of the store has it."""
    what = f"a row of {table} that no build made"
    damage.add("ledger row altered", "ledger", key, what, "sweep", source)
    damage.tables.add((table, "key", key))
    held.chunks.pop(key, None)
    held.nodes.pop(key, None)
