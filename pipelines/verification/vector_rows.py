"""Rows of the vector store held against the ledger's: keys, payloads and vectors.

A row's key is made of its item's id, the generation that wrote it and the digest of all that is stored with
it, so that whichever of store and ledger still has what the key was made of is the one that is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from ...indexer.context import indexed_text
from ...indexer.digests import digest
from ...indexer.errors import GenerationGone, StoreError, StoreUnreachable
from ...indexer.stores.folder import IndexFolder
from ...indexer.stores.ledger_rows import ChunkRow
from ...indexer.stores.ports import Stored
from ..events import Event, Listener
from ..rows import row_key
from .damage import Damage, Proven
from .holdings import Holdings, Marked, Place
from .texts import bare_chunk, embedded_text
from .vectors import VectorCheck

_BATCH = 512
_LIVE_MARKS = "its marks are not those of the generation that wrote it"


def check_vectors(
    folder: IndexFolder, held: Holdings, damage: Damage, check: VectorCheck, unwritten: bool, listen: Listener
) -> int:
    """Look at every row that the vector store keeps for a generation; returns how many. ``unwritten`` says
    that no build is writing, so that rows of later generations belong to nothing. Raises StoreUnreachable."""
    looked = _Looked(held, damage)
    total, done = len(held.chunks) + len(held.nodes), 0
    listen(Event("verify", 0, total, "rows"))
    try:
        with closing(folder.vectors()) as store, closing(store.read(held.generation)) as snapshot:
            if snapshot.shape() != (held.entry.dimension, held.entry.idf):
                damage.add(
                    "shape", "manifest", str(held.generation),
                    f"the manifest says {held.entry.dimension} dimensions (IDF: {held.entry.idf}), the store"
                    f" keeps {snapshot.shape()[0]} (IDF: {snapshot.shape()[1]})", "correct",
                )  # fmt: skip
            for batch in _batches(snapshot.stored()):
                sound = [one for one in batch if _lives(one, held.generation) and looked.take(one)]
                strays = [one for one in batch if not _lives(one, held.generation)]
                _other_generations(folder, held, strays, damage, unwritten)
                check.take([one.row for one in sound])
                done += len(batch)
                listen(Event("verify", min(done, total), total, "rows"))
    except StoreUnreachable:
        raise
    except (GenerationGone, StoreError) as error:
        damage.add("vectors unreadable", "vectors", str(held.generation), str(error), "read")
        damage.chunks.update(held.chunks)
        damage.nodes.update(held.nodes)
        return done
    looked.finish()
    return done


def _lives(one: Stored, generation: int) -> bool:
    return one.since <= generation < one.until


def _batches(rows: Iterator[Stored]) -> Iterator[list[Stored]]:
    batch: list[Stored] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    yield batch


def _other_generations(
    folder: IndexFolder, held: Holdings, rows: Sequence[Stored], damage: Damage, unwritten: bool
) -> None:
    """Rows that lie there and that this generation does not hold: of others that are kept, or of none."""
    for one in rows:
        key = one.row.key
        if key in held.chunks or key in held.nodes:
            continue  # is reported as lost
        tables = ("chunks", "nodes")
        known = any(folder.ledger.rows(f"SELECT 1 FROM {each} WHERE key = ?", key) for each in tables)
        if not known and (unwritten or one.since <= held.generation):
            damage.add("stray row", "vectors", key, "a row that the ledger knows nothing of", "sweep")
            damage.strays.add(key)


class _Looked:
    """What was seen of a generation's rows so far."""

    def __init__(self, held: Holdings, damage: Damage) -> None:
        self._held = held
        self._damage = damage
        self._left_chunks = dict(held.chunks)
        self._left_nodes = dict(held.nodes)
        self._ids = {marked.row.id for marked in held.chunks.values()}

    def take(self, one: Stored) -> bool:
        """Hold a row against the ledger's; returns whether its vectors are worth looking at."""
        key, payload = one.row.key, one.row.payload
        if key in self._left_chunks:
            return self._chunk(one)
        if key in self._left_nodes:
            return self._node(one)
        if payload.get("kind") == "chunk" and self._proves(one, self._chunk_digest(payload)[1]):
            return self._unknown(one)
        if payload.get("kind") == "node" and self._proves(one, self._node_digest(one)[1]):
            self._damage.add(
                "node unknown",
                "ledger",
                key,
                "the ledger lost the row of a node that the store holds",
                "grow",
            )
            self._damage.regrow = True
        self._damage.add("stray row", "vectors", key, "a row that the ledger knows nothing of", "sweep")
        self._damage.strays.add(key)
        return False

    def finish(self) -> None:
        """Note the rows that the store should hold and does not, unless they are none that a build made."""
        for key, marked in self._left_chunks.items():
            row, source = marked.row, self._held.source(marked.row.document)
            if _key(row.id, marked.since, row.digest) != key:
                self._garbled("chunks", key, source)
                self._damage.documents.add(row.document)
                continue
            self._damage.add("row lost", "vectors", key, "the row of a chunk is gone", "embed", source)
            self._damage.chunks.add(key)
        for key, node in self._left_nodes.items():
            if _key(node.id, node.since, node.digest) != key:
                self._garbled("nodes", key, "")
                self._damage.regrow = True
                continue
            self._damage.add("row lost", "vectors", key, "the row of a node is gone", "grow")
            self._damage.nodes.add(key)

    def _garbled(self, table: str, key: str, source: str) -> None:
        """A row of the ledger that is nobody's: its key is not made of it, and no row of the store has it."""
        what = f"a row of {table} that no build made"
        self._damage.add("ledger row altered", "ledger", key, what, "sweep", source)
        self._damage.tables.add((table, "key", key))
        self._held.chunks.pop(key, None)
        self._held.nodes.pop(key, None)

    def _chunk(self, one: Stored) -> bool:
        key, payload = one.row.key, one.row.payload
        marked = self._left_chunks.pop(key)
        embedded, whole = self._chunk_digest(payload)
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
            self._damage.add("ledger row altered", "ledger", key, what, "restore", source, _pages(payload))
            self._damage.proven.setdefault(key, Proven(row, since, marked.until, self._held.generation))
            self._held.chunks[key] = Marked(row, since, marked.until)
        if one.since != since:
            self._damage.add("marks", "vectors", key, _LIVE_MARKS, "embed", self._held.source(row.document))
            self._damage.chunks.add(key)
        self._belongs(key, payload)
        return True

    def _since(self, one: Stored, marked: Marked, whole: str) -> int | None:
        """The generation that proves the key together with this digest, None for neither."""
        name, key = str(one.row.payload.get("id")), one.row.key
        return next((s for s in (marked.since, one.since) if _key(name, s, whole) == key), None)

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
        self._left_chunks[one.row.key] = marked
        return self._chunk(one)

    def _altered(self, key: str, row: ChunkRow, payload: Mapping[str, Any]) -> None:
        """A payload that is not what was written."""
        owner = self._held.access(row.document)
        given = payload.get("class")
        wider = " (it says that others may read it than its document does)" if given != owner else ""
        self._damage.add(
            "row altered", "vectors", key, f"the row of a chunk is not what was written{wider}", "read",
            self._held.source(row.document), _pages(payload),
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
                self._held.source(document), _pages(payload),
            )  # fmt: skip
            self._damage.chunks.add(key)

    def _unknown(self, one: Stored) -> bool:
        """A chunk's row that its key proves and the ledger does not have: it lost it, or this is a double."""
        payload, key = one.row.payload, one.row.key
        if payload["id"] in self._ids:
            self._damage.add("stray row", "vectors", key, "a chunk has a second row", "sweep")
            self._damage.strays.add(key)
            return False
        embedded, whole = self._chunk_digest(payload)
        row = ChunkRow(key, payload["id"], payload["document"], whole, embedded, payload["ordinal"])
        self._damage.add(
            "ledger row lost", "ledger", key, "the ledger lost the row of a chunk that the store holds",
            "restore", self._held.source(row.document), _pages(payload),
        )  # fmt: skip
        self._damage.proven.setdefault(key, Proven(row, one.since, one.until, self._held.generation))
        self._held.chunks[key] = Marked(row, one.since, one.until)
        self._place(key, payload)
        self._belongs(key, payload)
        return True

    def _node(self, one: Stored) -> bool:
        key, payload = one.row.key, one.row.payload
        node = self._left_nodes.pop(key)
        embedded, whole = self._node_digest(one)
        if not self._proves(one, whole) and _key(str(payload.get("id")), node.since, whole) != key:
            what = "the row of a node is not what was written"
            self._damage.add("row altered", "vectors", key, what, "grow", "", _pages(payload))
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
        if told != known or _key(node.id, node.since, whole) != key:
            self._damage.add(
                "ledger row altered", "ledger", key, "the ledger's row of a node is not what its key was made"
                " of", "grow",
            )  # fmt: skip
            self._damage.regrow = True
            self._damage.nodes.add(key)
        if one.since != node.since:
            self._damage.add("marks", "vectors", key, _LIVE_MARKS, "grow")
            self._damage.nodes.add(key)
        classes = {self._held.access(document) for document in payload["document"]}
        if set(payload["class"]) != classes:
            what = "a node may be read by others than the documents beneath it"
            self._damage.add("access", "vectors", key, what, "grow")
            self._damage.nodes.add(key)
        return True

    def _place(self, key: str, payload: Mapping[str, Any]) -> None:
        text, start = payload["text"], payload["start"]
        ink = (start + len(text) - len(text.lstrip()), start + len(text.rstrip()))
        self._held.places[payload["id"]] = Place(
            key, payload["document"], payload["class"], payload["ordinal"], start, payload["end"], ink,
            _pages(payload), payload["record"],
        )  # fmt: skip

    def _chunk_digest(self, payload: Mapping[str, Any]) -> tuple[str, str]:
        """The digests of what was embedded and of all that is stored, as this payload has them."""
        text = indexed_text(bare_chunk(payload))
        embedded = digest([self._held.stamp, payload.get("language"), text])
        return embedded, digest([payload, embedded])

    def _node_digest(self, one: Stored) -> tuple[str, str]:
        payload = {name: value for name, value in one.row.payload.items() if name != "text"}
        said = digest(one.row.payload.get("text"))
        embedded = digest([self._held.stamp, payload.get("language"), payload.get("context"), said])
        whole = digest([payload, said, embedded])
        known = self._held.nodes.get(one.row.key)
        bare = known is not None and not known.embedded
        return ("", digest([whole, ""])) if bare else (embedded, whole)

    def _proves(self, one: Stored, whole: str) -> bool:
        return _key(str(one.row.payload.get("id")), one.since, whole) == one.row.key


def _key(name: str, since: int, whole: str) -> str:
    try:
        return row_key(name, since, whole)
    except ValueError:
        return ""


def _pages(payload: Mapping[str, Any]) -> tuple[int, int] | None:
    first, last = payload.get("first_page"), payload.get("last_page")
    return (first, last) if isinstance(first, int) and isinstance(last, int) else None
