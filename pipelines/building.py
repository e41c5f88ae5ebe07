"""One build from its survey to its publication."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..indexer.errors import StoreInconsistent, WorkError
from ..indexer.sources import Root, Walk
from ..indexer.stores.folder import IndexFolder
from ..indexer.stores.ledger import DocumentRow, document_row
from ..indexer.stores.ledger_runs import LedgerCallCache, RunLog
from ..indexer.stores.locks import leased_generations
from .config import Config
from .events import Event, Listener
from .failures import failure_of, failure_row
from .file_progress import FileProgress
from .generation import GenerationBuilder, Staged
from .intake import ChangeSituating, ContextCounts, FileReader, Situating
from .loading_models import Models
from .opening import check_models
from .preparation import Preparation
from .recipe import digest
from .report import BuildReport, Failure
from .survey import Change, Survey

if TYPE_CHECKING:
    from ..indexer.models.ports import Embedder, SparseEncoder


class Build:
    """The state of one build: what it mirrors, on which generation it stands, what it came to."""

    def __init__(
        self, folder: IndexFolder, roots: Sequence[Root], config: Config, models: Models,
        listen: Listener, cancel: threading.Event,
    ) -> None:  # fmt: skip
        self.folder = folder
        self.config = config
        self.models = models
        self.listen = listen
        self.cancel = cancel
        self.roots = roots
        self.log = RunLog(folder.ledger)
        self.report = BuildReport()
        self.scope = digest(sorted(root.name for root in roots))
        self.published = folder.manifest().published
        self.resumed = False
        self._begin()

    @property
    def state(self) -> int:
        """The generation whose rows this build compares with: its own, which begins as its base."""
        return self.h

    def _begin(self) -> None:
        """Go on with the build that was cut short, or clear away what is not published and start anew."""
        manifest = self.folder.manifest()
        running = self.log.running()
        if running and running.base == self.published and running.scope == self.scope:
            self.h, self.resumed = running.generation, True
            return
        newest = max(manifest.newest, self.log.newest())
        if newest > (self.published or 0):
            self._clear(self.published or 0)
        self.h = newest + 1

    def _clear(self, published: int) -> None:
        held = {g: pids for g, pids in leased_generations(self.folder.path).items() if g > published}
        for generation, pids in held.items():
            raise WorkError(
                f"generation {generation} was rolled back, but process {pids[0]} still reads it; "
                "close or refresh that index first"
            )
        store = self.folder.vectors()
        try:
            keep = [g for g in self.folder.manifest().generations if g <= published]
            store.forget(keep, published)
        finally:
            store.close()
        self.folder.ledger.erase_after(published)
        self.folder.drop_generations_after(published)

    def run(self, survey: Survey, found: Walk) -> BuildReport:
        """Do what the survey found, publish it, and report. Publishes nothing where nothing changed."""
        report = self.report
        report.ignored = dict(found.ignored)
        self._note_known_failures(survey, found)
        for change in survey.touched:
            self.folder.ledger.touch_file(change.row())
        work = bool(survey.changes or survey.renamed or survey.removed)
        if work or self.published is None or self.resumed:
            self._work(lambda builder: self._mirror(builder, survey))
        self._remember_roots()
        self._count()
        return report

    def run_removal(self, gone: Sequence[DocumentRow]) -> BuildReport:
        """Take documents out and publish what is left."""
        files = {row.file for row in gone}

        def take_out(builder: GenerationBuilder) -> None:
            builder.remove([row.document.id for row in gone])
            held = {file: self.folder.ledger.documents_of(file, self.h) for file in files}
            self.folder.ledger.end_files(files, self.h)
            self.log.replace_failures([file for file in files if not held[file]], [])

        self.report.removed = sorted(row.document.source for row in gone)
        self._work(take_out)
        self._count()
        return self.report

    def run_upsert(self, put: Callable[[GenerationBuilder], None]) -> BuildReport:
        """Let ``put`` write documents, and publish."""
        self._work(put)
        self._count()
        return self.report

    def note_all(self, staged: Iterable[Staged]) -> None:
        """Report documents that the generation now holds, or what kept them out."""
        for one in staged:
            source = one.prepared.document.source
            if one.error is not None:
                self.report.failed.append(Failure(source, "model call error", str(one.error)))
            elif one.changed:
                (self.report.added if one.prepared.is_new else self.report.changed).append(source)

    def _work(self, work: Callable[[GenerationBuilder], None]) -> None:
        if not self.resumed:
            self.log.start(self.h, self.published, self.scope)
        builder = GenerationBuilder(
            self.folder, self.h, self.published, self._encoders, self.config.embed.batch, self.cancel
        )
        began = time.monotonic()
        try:
            work(builder)
            self.report.seconds["index"] = time.monotonic() - began
            if self._differs():
                self._publish(builder)
            else:
                self.log.drop(self.h)
        except StoreInconsistent:
            builder.close()
            self._clear(self.published or 0)
            raise
        finally:
            builder.close()
            self.report.embedded, self.report.reused = builder.embedded, builder.reused

    def _mirror(self, builder: GenerationBuilder, survey: Survey) -> None:
        self._remove(builder, survey)
        self._rename(survey)
        self._read(builder, survey.changes)

    def _differs(self) -> bool:
        """Whether the generation holds anything else than the one before."""
        if self.published is None:
            return True
        rows = self.folder.ledger.rows
        touched = "SELECT 1 FROM {} WHERE since = ? OR until = ? LIMIT 1"
        return any(rows(touched.format(table), self.h, self.h) for table in ("files", "documents", "chunks"))

    def _publish(self, builder: GenerationBuilder) -> None:
        self.listen(Event("publish", 0, 1, "generations"))
        builder.publish(self.resumed, ["hybrid"])
        self.report.generation = self.h
        self.report.seconds.update(builder.seconds)
        self.log.finish(self.h, self.report.to_json())
        self.listen(Event("publish", 1, 1, "generations"))

    def _encoders(self) -> tuple[Embedder, SparseEncoder]:
        embedder, sparse = self.models.embedder(), self.models.sparse()
        check_models(
            self.folder.manifest(), {"embedder": embedder.name, "sparse": sparse.name}, embedder.dimension
        )
        return embedder, sparse

    def _remove(self, builder: GenerationBuilder, survey: Survey) -> None:
        ledger = self.folder.ledger
        for row in survey.removed:
            documents = ledger.documents_of(row.source, self.h)
            builder.remove([entry.document.id for entry in documents])
            self.report.removed += [entry.document.source for entry in documents]
        gone = [row.source for row in survey.removed]
        ledger.end_files(gone, self.h)
        self.log.replace_failures(gone, [])

    def _rename(self, survey: Survey) -> None:
        """Files that only go by another name now: their documents follow, nothing is read again."""
        ledger = self.folder.ledger
        for change in survey.renamed:
            assert change.previous is not None
            old, new = change.previous.source, change.file.source
            with ledger.transaction():
                for row in ledger.documents_of(old, self.h):
                    document = replace(row.document, source=new + row.document.source.removeprefix(old))
                    pages = ledger.pages(document.id, self.h)
                    ledger.put_document(document_row(document, pages, new, change.file.root), pages, self.h)
                ledger.end_files([old], self.h)
                ledger.put_file(change.row(), self.h)
            self.report.renamed.append(new)

    def _read(self, builder: GenerationBuilder, changes: Sequence[Change]) -> None:
        if not changes:
            return
        from ..indexer.loaders.child import ParserPool

        situating = self.situating()
        taken = {row.document.id for row in self.folder.ledger.documents(self.h)}
        index_id = self.folder.manifest().index_id
        situate = ChangeSituating(situating, index_id, self.folder.ledger, self.h, taken)
        with ParserPool(self.config.load) as pool:
            preparation = Preparation(FileReader(self.config, pool), situate, self.cancel)
            try:
                FileProgress(self, builder, len(changes)).consume(preparation.run(changes))
            finally:
                self.report.seconds.update(preparation.seconds)
                self.count_contexts(situating.counts)

    def situating(self) -> Situating:
        """What cuts and situates documents in this build."""
        from ..indexer.models.tokenizer import load_tokenizer

        tokenizer = load_tokenizer(self.config.chunk.tokenizer)
        cache = LedgerCallCache(self.folder.ledger)
        return Situating(self.config, tokenizer, self.models, cache, self.cancel)

    def count_contexts(self, counts: ContextCounts) -> None:
        """Report and remember what model-written contexts took."""
        self.report.add(counts.failures, "degraded")
        if not (counts.calls or counts.cached):
            return
        tokens = {"in": counts.tokens_in, "out": counts.tokens_out}
        self.report.tokens["context"] = {**tokens, "calls": counts.calls, "cached": counts.cached}
        self.report.cost["context"] = counts.cost
        spent = {"calls": counts.calls, "tokens_in": counts.tokens_in, "tokens_out": counts.tokens_out}
        self.log.spend(self.h, "context", {**spent, "cost": counts.cost})

    def _note_known_failures(self, survey: Survey, found: Walk) -> None:
        """Failures that stand without reading anything again."""
        ours = {root.name for root in self.roots}
        silent = {row.source for row in survey.unchanged} | {c.file.source for c in survey.touched}
        silent |= {row.source for row in survey.failing}
        for failure in self.log.failures().values():
            if failure.root in ours and failure.file in silent:
                self.report.failed.append(failure_of(failure))
        problems = [*found.problems, *((file.source, error) for file, error in survey.problems)]
        rows = []
        for source, error in problems:
            stale = bool(self.folder.ledger.documents_of(source, self.h))
            rows.append(failure_row(source, source.partition("/")[0], source, error, "", "", stale))
        self.report.failed += [failure_of(row) for row in rows]
        known = {file.source for file in found.files}
        over = [f.file for f in self.log.failures().values() if f.root in ours and f.file not in known]
        self.log.replace_failures([*over, *(row.file for row in rows)], rows)

    def _remember_roots(self) -> None:
        rows = [(root.name, _shown(root.path), root.spec) for root in self.roots]
        self.folder.ledger.write("INSERT OR REPLACE INTO roots VALUES (?,?,?)", rows)

    def _count(self) -> None:
        held = self.report.generation or self.published
        if held is not None:
            documents = self.folder.ledger.documents(held)
            told = {*self.report.added, *self.report.changed, *self.report.renamed}
            names = {root.name for root in self.roots}
            self.report.unchanged = [
                row.document.source
                for row in documents
                if row.root in names and row.document.source not in told and row.file not in told
            ]
            self.report.pages = sum(row.document.page_count or 0 for row in documents)
            self.report.chunks = self.folder.ledger.count("chunks", held)


def _shown(path: Path) -> str:
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
