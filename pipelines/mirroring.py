"""Bringing an index to what its sources are: removed, renamed and changed files, and those that fail."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

from ..indexer.sources import Root, Walk
from ..indexer.stores.ledger_readings import ReadingLedger
from ..indexer.stores.ledger_rows import document_row
from .building import Build
from .editing import Edit
from .engines.engine import FileTerms, PreparationWork
from .failures import failure_of, failure_row
from .file_progress import FileProgress
from .generation import GenerationBuilder
from .owed_files import standing
from .preparation import smallest_first
from .reembedding import reembed
from .report import BuildReport
from .situating import DocumentIds
from .survey import Change, Survey, storable_path


class Mirroring:
    """One build that makes the index mirror ``roots``, as ``survey`` found them and ``edit`` changes them."""

    def __init__(
        self, build: Build, roots: Sequence[Root], survey: Survey, found: Walk, edit: Edit | None = None
    ) -> None:
        self._build = build
        self._ledger = build.folder.ledger
        self._roots = roots
        self._survey = survey
        self._found = found
        self._edit = edit

    def run(self) -> BuildReport:
        """Do what the survey found and publish it. Publishes nothing where nothing changed."""
        build, survey = self._build, self._survey
        build.report.ignored = dict(self._found.ignored)
        self._note_standing_failures()
        for change in survey.touched:
            self._ledger.touch_file(change.row())
        changed = survey.changes or survey.renamed or survey.removed
        due = build.resumed or build.reembeds or build.owes_structures
        if changed or build.published is None or due:
            build.run(self._work)
        else:
            build.check_configured_models()
        rows = [(root.name, storable_path(root.path), root.spec) for root in self._roots]
        self._ledger.write("INSERT OR REPLACE INTO roots VALUES (?,?,?)", rows)
        return build.finish({root.name for root in self._roots})

    def _work(self, builder: GenerationBuilder) -> None:
        self._remove(builder)
        if self._build.reembeds:
            reembed(self._build, builder)
        for change in self._survey.renamed:
            self._rename(change)
        if self._survey.changes:
            self.read(builder, self._survey.changes)

    def _remove(self, builder: GenerationBuilder) -> None:
        gone = self._survey.removed
        for row in gone:
            documents = self._ledger.documents_of(row.source, row.root, builder.h)
            builder.remove([entry.document.id for entry in documents])
        self._ledger.end_files([row.source for row in gone], builder.h)
        self._build.log.replace_failures([row.source for row in gone], [])
        ReadingLedger(self._ledger).drop(row.source for row in gone)

    def _rename(self, change: Change) -> None:
        """A file that only goes by another name now: its documents follow, nothing is read again."""
        before, file, h = change.previous, change.file, self._build.h
        assert before is not None
        with self._ledger.transaction():
            for row in self._ledger.documents_of(before.source, before.root, h):
                old = row.document
                document = replace(old, source=file.source + old.source.removeprefix(before.source))
                if old.title == before.source.rpartition("/")[2]:
                    document = replace(document, title=file.source.rpartition("/")[2])
                pages = self._ledger.pages(old.id, h)
                self._ledger.put_document(document_row(document, pages, file.source, file.root), pages, h)
            self._ledger.end_files([before.source], h)
            self._ledger.put_file(change.row(before.recipe), h)
            ReadingLedger(self._ledger).move(before.source, file.source)

    def read(self, builder: GenerationBuilder, changes: Sequence[Change]) -> None:
        """Read these files into the generation being built."""
        build = self._build
        index_id = build.folder.manifest().index_id
        ids = DocumentIds(self._ledger, index_id, build.h)
        orders, terms = map(ids.order, smallest_first(changes)), FileTerms(index_id, ids.moved, self._edit)
        work = PreparationWork()
        try:
            with closing(build.engine.prepared(build, orders, terms, work)) as prepared:
                FileProgress(build, builder, len(changes)).consume(prepared)
            build.submit_batch("context")
        finally:
            build.accounts.count_models("context", work.contexts)
            build.report.add(work.failed, "degraded")
            build.accounts.count_models("native", work.native)

    def _note_standing_failures(self) -> None:
        """Report the failures that stand without reading anything again, and forget those that are over.

        A failure belongs to bytes and recipe; a file that is back to what the index holds of it has none.
        """
        build, ours = self._build, {root.name for root in self._roots}
        held = {row.source: row for row in self._survey.unchanged}
        held |= {change.file.source: change.row() for change in self._survey.touched}
        failing = {row.source for row in self._survey.failing}
        changing = {change.file.source for change in [*self._survey.changes, *self._survey.renamed]}
        over, gone = [], set()
        for failure in build.log.failures().values():
            row = held.get(failure.file)
            inside = failure.source != failure.file  # a record's: of a file that is held whole there is none
            stands = (
                row is not None
                and inside
                and failure.version == row.version
                and failure.recipe.startswith(standing(row.recipe))
            )
            if failure.root in ours and (stands or failure.source in failing):
                build.report.failed.append(failure_of(failure))
            elif failure.root in ours and failure.file not in changing:
                over.append(failure.source)
                gone |= {failure.file} if row is None else set()
        problems = [*self._found.problems, *((f.source, error) for f, error in self._survey.problems)]
        rows = []
        for source, error in problems:
            root = source.partition("/")[0]
            stale = bool(self._ledger.documents_of(source, root, build.state))
            rows.append(failure_row(source, root, source, error, "", "", stale))
        again = {row.source for row in rows}
        build.log.forget_failures(source for source in over if source not in again)
        ReadingLedger(self._ledger).drop(gone - again)
        rows = build.log.replace_failures([], rows)
        build.report.failed += [failure_of(row) for row in rows]
