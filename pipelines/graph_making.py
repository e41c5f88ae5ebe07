"""Making the graph of the generation being built: read chunks, resolve, store what changed, describe
communities.

The rows follow from all extractions together, so that a graph after any edits is the one that a fresh build
makes; what is written is only what differs from what the store holds.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from ..indexer.errors import Cancelled
from ..indexer.graph.assembly import Assembled, ExtractedChunk, assemble
from ..indexer.graph.communities import CommunitySettings, Group, detect
from ..indexer.graph.edits import Edits
from ..indexer.graph.reports import Draft, Reporter, Texts
from ..indexer.graph.settings import GraphSettings
from ..indexer.models.ports import Tokenizer
from ..indexer.owed import is_owed, owed_key
from ..indexer.stores.graph_ports import GraphWriter
from ..indexer.stores.graph_rows import CommunityRow, GraphKind, GraphRow
from ..indexer.stretches import stretches
from ..indexer.tree.summarizer import Summarizer, Summary
from ..indexer.types import Community
from .events import Event, Listener
from .model_counts import ModelCounts
from .results_in_order import results_in_order

_BATCH = 256
"""Communities described and stored at once: what a kill may lose."""
_ROWS = 5000
"""Rows handed to the store at once, so that a stop need not wait for all of them."""
STOPPED = "stopped; the reports that are finished are kept"


@dataclass(slots=True)
class GraphMaker:
    """Makes ``writer``'s generation hold the graph over ``chunks``. ``before`` are the communities of the
    generation that it stands on, where they were made with the same settings; ``texts`` gives chunks' texts
    by id. With ``upgrade`` a model is asked again for the reports that others stand in for.

    ``changed`` says whether anything was written, ``owed`` how many reports a model is still to write."""

    writer: GraphWriter
    settings: GraphSettings
    index_id: str
    edits: Edits
    summarizer: Summarizer
    tokenizer: Tokenizer
    texts: Texts
    before: Sequence[Community]
    listen: Listener
    cancel: threading.Event
    upgrade: bool = True
    changed: bool = False
    owed: int = 0
    counts: ModelCounts = field(default_factory=ModelCounts)
    held: dict[GraphKind, int] = field(default_factory=dict)
    resolved: Mapping[str, int] = field(default_factory=dict)

    def make(self, chunks: Sequence[ExtractedChunk]) -> None:
        """Write what differs, kind by kind, and verify what is held then. Raises StoreError and Cancelled;
        what was written is gone on with."""
        assembled = assemble(chunks, self.index_id, self.edits)
        self.resolved = assembled.counts
        self._hold("chunk", [chunk.place for chunk in chunks])
        self._hold("entity", assembled.entities)
        self._hold("mention", assembled.mentions)
        self._hold("relation", assembled.relations)
        self._describe(assembled, chunks)
        self.writer.seal(self.held)

    def _hold(self, kind: GraphKind, rows: Sequence[GraphRow]) -> None:
        """Have the generation hold these rows of a kind and no others."""
        live = self.writer.live(kind)
        wanted = {row.key: row for row in rows}
        self._put(kind, [row for key, row in wanted.items() if live.get(key) != row.digest])
        self._end(kind, [key for key in live if key not in wanted])
        self.held[kind] = len(wanted)

    def _put(self, kind: GraphKind, rows: Sequence[GraphRow]) -> None:
        for some in stretches(rows, _ROWS):
            self._check()
            self.changed = True
            self.writer.put(kind, some)

    def _end(self, kind: GraphKind, keys: Sequence[str]) -> None:
        for some in stretches(keys, _ROWS):
            self._check()
            self.changed = True
            self.writer.end(kind, some)

    def _describe(self, assembled: Assembled, chunks: Sequence[ExtractedChunk]) -> None:
        """Find the communities, and have each hold a report of what its members say now."""
        places = [chunk.place for chunk in chunks]
        limits = CommunitySettings(members=self.settings.community)
        changed = self.writer.touched()
        found = detect(assembled, places, self.index_id, limits, self.before, changed)
        languages = {chunk.place.document: chunk.language for chunk in chunks}
        reporter = Reporter(
            assembled,
            places,
            self.texts,
            self.tokenizer,
            self.summarizer.name,
            languages,
            self.settings.report_tokens,
        )
        done, total = 0, len(found.groups)
        live = self.writer.live("community")
        held = {row.made: row for row in self.writer.communities() if live.get(row.key) == row.digest}
        self._end("community", sorted(live.keys() - {group.id for group in found.groups}))
        with ThreadPoolExecutor(self.summarizer.concurrency, "treegraph-report") as pool:
            for groups in stretches(found.groups, _BATCH):
                rows = list(self._reported(groups, reporter, held, pool))
                self._put("community", [row for row in rows if live.get(row.key) != row.digest])
                self.owed += sum(is_owed(row.made) for row in rows)
                done += len(rows)
                self.listen(Event("graph", done, total, "communities"))
        self.held["community"] = total

    def _reported(
        self,
        groups: Sequence[Group],
        reporter: Reporter,
        held: Mapping[str, CommunityRow],
        pool: ThreadPoolExecutor,
    ) -> Iterator[CommunityRow]:
        drafts = reporter.drafts(groups)
        known = {draft.made: self._known(draft, held) for draft in drafts}
        new = [draft for draft in drafts if known[draft.made] is None]
        summaries = dict(zip((draft.made for draft in new), self._summarized(new, pool), strict=True))
        for draft in drafts:
            before = known[draft.made]
            row = draft.row(summaries[draft.made] if before is None else _said(before))
            yield row if before is None else replace(row, made=before.made)

    def _known(self, draft: Draft, held: Mapping[str, CommunityRow]) -> CommunityRow | None:
        """The row that says what the draft is to say, or what stands in for it while that is not asked."""
        known = held.get(draft.made)
        return held.get(owed_key(draft.made)) if known is None and not self.upgrade else known

    def _summarized(self, drafts: Sequence[Draft], pool: ThreadPoolExecutor) -> list[Summary]:
        def one(draft: Draft) -> Summary:
            summary = self.summarizer.summarize(draft.request)
            self.counts.take(summary)
            return summary

        return list(results_in_order(pool, one, drafts, self.cancel, STOPPED))

    def _check(self) -> None:
        if self.cancel.is_set():
            raise Cancelled("stopped; what was written of the graph is kept")


def _said(row: CommunityRow) -> Summary:
    """The report that a row holds already."""
    return Summary(row.report, 0, row.by)
