"""What a build says of itself: what its generation holds, how that differs, what models took."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..indexer.owed import BY_STAGE
from ..indexer.stores.folder import IndexFolder
from ..indexer.stores.ledger_rows import DocumentRow
from ..indexer.stores.ledger_runs import RunLog
from .coverage import pages_read
from .generation import Staged
from .model_counts import ModelCounts
from .owed import owed_in
from .report import BuildReport, Failure


@dataclass(frozen=True, slots=True)
class Accounts:
    """Writes the ``report`` of the build of generation ``h``, and what ``log`` remembers of its spending."""

    folder: IndexFolder
    h: int
    log: RunLog
    report: BuildReport

    def hold(self, generation: int) -> list[DocumentRow]:
        """Report what a generation holds; returns its documents."""
        ledger, report = self.folder.ledger, self.report
        documents = ledger.documents(generation)
        report.pages = sum(row.document.page_count or 0 for row in documents)
        report.read, report.unreadable = pages_read(documents, ledger.all_pages(generation))
        report.chunks = ledger.count("chunks", generation)
        report.nodes = ledger.count("nodes", generation)
        structures = self.folder.manifest().generations[generation].structures
        report.behind = {name: g for name, g in structures.items() if g != generation}
        report.owed = owed_in(ledger, generation)
        return documents

    def compare(self, published: int | None) -> None:
        """Report how the generation's documents differ from those that were ``published`` before."""
        rows, report = self.folder.ledger.documents, self.report
        before = {row.document.id: row for row in (rows(published) if published else [])}
        for row in rows(self.h):
            old = before.pop(row.document.id, None)
            if old is None:
                report.added.append(row.document.source)
            elif old.document.source != row.document.source and old.document.version == row.document.version:
                report.renamed.append(row.document.source)
            elif old.digest != row.digest:
                report.changed.append(row.document.source)
        report.removed += [row.document.source for row in before.values()]
        for sources in (report.added, report.changed, report.renamed, report.removed):
            sources.sort()

    def note_failures(self, staged: Iterable[Staged]) -> None:
        """Report what kept documents out of the generation."""
        for one in staged:
            if one.error is not None:
                failure = Failure(one.prepared.document.source, one.error.reason, str(one.error))
                self.report.failed.append(failure)

    def count_models(self, stage: str, counts: ModelCounts) -> None:
        """Report and remember what a stage's model calls took."""
        staged = {
            f"{stage}: {reason}" if reason in BY_STAGE else reason: n
            for reason, n in counts.fallen_back.items()
        }
        self.report.add(staged, "degraded")
        if not (counts.calls or counts.cached):
            return
        estimated = {"estimated": counts.estimated} if counts.estimated else {}
        tokens = {"in": counts.tokens_in, "out": counts.tokens_out, "calls": counts.calls}
        counted = self.report.tokens.setdefault(stage, {})
        for name, count in {**tokens, "cached": counts.cached, **estimated}.items():
            counted[name] = counted.get(name, 0) + count
        self.report.cost[stage] = self.report.cost.get(stage, 0.0) + counts.cost
        took = {"calls": counts.calls, "tokens_in": counts.tokens_in, "tokens_out": counts.tokens_out}
        self.log.spend(self.h, stage, {**took, **estimated, "cost": counts.cost})
