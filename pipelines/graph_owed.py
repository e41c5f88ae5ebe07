"""What the graph owes: in the generation before, and in the one being built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .owed import GRAPH, REPORTS, owes_chunks, read_note

if TYPE_CHECKING:
    from ..indexer.stores.ledger import Ledger
    from .extracting import ChunkReader
    from .graph_making import GraphMaker


class GraphOwed:
    """``now`` counts the chunks that a model is still to read and the reports that one is to write, by stage;
    ``other`` says whether the graph became another one, or owes something else, and ``provisional`` is as in
    :class:`.owed.OwedNote`."""

    def __init__(self, ledger: Ledger, published: int | None) -> None:
        note = read_note(ledger, published)
        self._ledger = ledger
        self._before: Mapping[str, int] = note.graph
        self.now: Mapping[str, int] = note.graph
        self.other = False
        self.provisional = note.provisional & {GRAPH}

    @property
    def any_before(self) -> bool:
        """Whether the generation before owes anything."""
        return any(self._before.values())

    def settle(self, h: int, reader: ChunkReader, maker: GraphMaker, reports_by_model: bool) -> None:
        """Take note of the graph that ``maker`` made for generation ``h`` of what ``reader`` read."""
        counts = {GRAPH: reader.owed, REPORTS: maker.owed}
        self.now = {stage: count for stage, count in counts.items() if count}
        self.other = maker.changed or self.now != self._before
        paid = reports_by_model and maker.owed < maker.held["community"]
        waits = bool(counts[GRAPH] or owes_chunks(self._ledger, h))
        self.provisional = frozenset({GRAPH} if waits and not paid and not maker.before else ())
