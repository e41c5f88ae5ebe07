"""Writing the tree's nodes: what is there already stays, what changed gets its vectors and a row."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from ..indexer.errors import BudgetSpent, ModelCallError, ModelUnavailable
from ..indexer.models.ports import Embedder, SparseEncoder, SparseVector, Vectors
from ..indexer.owed import BUDGET_SPENT, is_owed, owed_key
from ..indexer.stores.ledger_nodes import NodeLedger, NodeRow
from ..indexer.stores.ports import Row
from ..indexer.stretches import stretches
from .embedding import embed_each
from .leaves import FETCH, rows_lost
from .node_rows import NodeContent, WantedNode, wanted_node
from .owed import EMBED
from .results_in_order import results_in_order
from .rows import encoders_digest
from .stage_clock import StageClock

_PIECE = 16
"""Texts that one thread embeds between two looks at whether to stop."""
_GIVE_UP = 16
"""Texts in a row that cannot be embedded: the model is gone, not the texts bad."""

NOT_EMBEDDED = "summary not embedded"
STOPPED = "stopped; the summaries that are finished are kept"

_Dense = Vectors | ModelCallError | None
Fetch = Callable[[Sequence[str]], Mapping[str, Row]]
Write = Callable[[Sequence[Row]], None]


@dataclass(frozen=True, slots=True)
class _New:
    """A node that needs a row: with the text that it says, and the vectors where some row has them."""

    content: NodeContent
    wanted: WantedNode
    text: str
    dense: Vectors | None = None
    sparse: SparseVector | None = None


class NodeWriter:
    """Makes generation ``h`` hold nodes. ``before`` are those of its base, ``fetch`` and ``write`` are the
    store's.

    A node whose text the embedder refuses is kept without a dense vector, counted in ``faults``, and tried
    again whenever the tree grows next: what its chunks are worth to a question still speaks for it. One that
    was not to be paid for is kept so as well, and owed.
    ``cancel`` is set by whoever asks to stop.
    """

    def __init__(
        self,
        nodes: NodeLedger,
        h: int,
        before: Sequence[NodeRow],
        fetch: Fetch,
        write: Write,
        encoders: tuple[Embedder, SparseEncoder],
        cancel: threading.Event,
        clock: StageClock,
    ) -> None:
        self._clock = clock
        self._nodes = nodes
        self._h = h
        self._fetch = fetch
        self._write = write
        self._embedder, self._sparse = encoders
        self.faults: dict[str, int] = {}
        self._failed_in_a_row = 0
        self._stamp = encoders_digest({"embedder": self._embedder.name, "sparse": self._sparse.name})
        self.cancel = cancel
        self._live = {row.branch.id: row for row in nodes.nodes(h)}
        self._ended = {(row.branch.id, row.digest): row for row in nodes.ended(h)}
        self._made = {(row.branch.id, row.made): row for row in [*before, *self._live.values()]}
        self._keys: dict[str, str] = {}

    def known(self, node: str, made: str) -> NodeRow | None:
        """The row that says what a node made of just this would say, if there is one."""
        return self._made.get((node, made))

    def put(self, contents: Sequence[NodeContent]) -> None:
        """Have the generation hold these nodes, and only them under their ids. Raises Cancelled."""
        new: list[tuple[NodeContent, WantedNode]] = []
        for content in contents:
            wanted = wanted_node(content, self._stamp)
            live = self._live.get(content.branch.id)
            ended = self._ended.get((content.branch.id, wanted.digest))
            if live is not None and live.digest == wanted.digest and live.branch == content.branch:
                self._keep(live, content.made)
            elif ended is not None and ended.branch == content.branch:
                self._nodes.revive([ended.key])
                self._keep(ended, content.made)
            else:
                new.append((content, wanted))
        for some in stretches(new, FETCH):
            self._store(list(self._with_texts(some)))

    def texts(self, keys: Mapping[str, str | None]) -> dict[str, str]:
        """The texts of chunks and nodes by id; ``keys`` has the rows of chunks, None for a node that was
        put before."""
        rows = {key or self._keys[name]: name for name, key in keys.items()}
        ordered = sorted(rows)
        found: dict[str, str] = {}
        for some in stretches(ordered, FETCH):
            stored = self._fetch(some)
            found.update((rows[key], str(row.payload["text"])) for key, row in stored.items())
        if len(found) < len(keys):
            raise rows_lost(len(keys) - len(found))
        return found

    def finish(self, held: Collection[str]) -> None:
        """End every node that the generation does not hold any more."""
        self._nodes.end(self._nodes.keys(self._h) - {self._keys[name] for name in held}, self._h)

    def _keep(self, row: NodeRow, made: str) -> None:
        """Let a row stand. Where its text came out the same of other things, the ledger learns of those:
        else it would be made again at every build."""
        self._keys[row.branch.id] = row.key
        if row.made != made:
            self._nodes.remake([(row.key, made)])

    def _with_texts(self, new: Sequence[tuple[NodeContent, WantedNode]]) -> Iterator[_New]:
        """Nodes with their texts, and with their vectors where only something else of them changed. Raises
        StoreInconsistent where the store does not hold a text that the ledger knows of."""
        sources = {content.branch.id: self._made.get((content.branch.id, content.made)) for content, _ in new}
        stored = self._fetch([row.key for row in sources.values() if row is not None])
        for content, wanted in new:
            source = sources[content.branch.id]
            row = stored.get(source.key) if source is not None else None
            if content.text is not None:
                yield _New(content, wanted, content.text)
                continue
            if row is None:
                raise rows_lost(1)
            same = source is not None and source.embedded == wanted.embedded
            text = str(row.payload["text"])
            yield _New(content, wanted, text, row.dense if same else None, row.sparse if same else None)

    def _store(self, new: Sequence[_New]) -> None:
        todo = [each for each in new if each.dense is None]
        vectors = dict(zip((each.wanted.id for each in todo), self._embedded(todo), strict=True))
        rows, nodes = [], []
        for each in new:
            found, sparse = vectors.get(each.wanted.id, (each.dense, each.sparse))
            dense = None if isinstance(found, ModelCallError) else found
            node = _row(each, each.wanted if dense is not None else each.wanted.bare(), self._h)
            if isinstance(found, BudgetSpent) and not is_owed(node.made):
                node = replace(node, made=owed_key(node.made))
            if dense is None and self._stands(node):
                continue
            rows.append(Row(node.key, {**each.wanted.payload, "text": each.text}, dense, sparse))
            nodes.append(node)
        self._write(rows)
        replaced = [self._live[node.branch.id].key for node in nodes if node.branch.id in self._live]
        written = {node.key for node in nodes}
        self._nodes.end([key for key in replaced if key not in written], self._h)
        self._nodes.add(nodes, self._h)
        for node in nodes:
            self._live[node.branch.id] = self._made[node.branch.id, node.made] = node
            self._keys[node.branch.id] = node.key

    def _stands(self, node: NodeRow) -> bool:
        """Whether a node that has no vector again is there already, so that nothing is to be written."""
        live = self._live.get(node.branch.id)
        if live is None or (live.digest, live.branch) != (node.digest, node.branch):
            return False
        self._keep(live, node.made)
        return True

    def _embedded(self, new: Sequence[_New]) -> list[tuple[_Dense, SparseVector]]:
        """Both vectors of each text, an error for the dense one where the embedder refuses it. Raises
        ModelUnavailable where it refuses one after the other."""
        with self._clock.time("tree embed", alone=True):
            return self._vectors(new)

    def _vectors(self, new: Sequence[_New]) -> list[tuple[_Dense, SparseVector]]:
        texts = [_indexed(each) for each in new]
        sparse = self._sparse.encode(texts, [each.content.language for each in new])
        pieces = stretches(texts, _PIECE)
        dense: list[_Dense] = []
        with ThreadPoolExecutor(self._embedder.concurrency, "treegraph-embed") as pool:
            for vectors in results_in_order(pool, self._piece, pieces, self.cancel, STOPPED):
                self._watch(vectors)
                dense += vectors
        return list(zip(dense, sparse, strict=True))

    def _piece(self, texts: Sequence[str]) -> list[_Dense]:
        return [*embed_each(self._embedder, texts)]

    def _watch(self, vectors: Sequence[_Dense]) -> None:
        for vector in vectors:
            if not isinstance(vector, ModelCallError):
                self._failed_in_a_row = 0
                continue
            refused = isinstance(vector, BudgetSpent)
            self._failed_in_a_row += not refused
            fault = f"{EMBED}: {BUDGET_SPENT}" if refused else NOT_EMBEDDED
            self.faults[fault] = self.faults.get(fault, 0) + 1
        if self._failed_in_a_row >= _GIVE_UP:
            raise ModelUnavailable(
                f"the embedding model {self._embedder.name} fails for every summary; what was made is kept: "
                "run the same command again once the model answers"
            )


def _indexed(new: _New) -> str:
    context = new.content.context
    return f"{context}\n{new.text}" if context else new.text


def _row(new: _New, wanted: WantedNode, h: int) -> NodeRow:
    content = new.content
    return NodeRow(
        key=wanted.key(h),
        branch=content.branch,
        tokens=content.tokens,
        by=content.by,
        documents=content.documents,
        made=content.made,
        said=content.said,
        digest=wanted.digest,
        embedded=wanted.embedded,
    )
