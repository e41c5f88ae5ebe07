"""Follows the documents of changed files until each file is whole in the generation being built."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..indexer.errors import Cancelled, LoadError
from .events import Event
from .failures import failure_of, failure_row
from .generation import GenerationBuilder, Staged
from .preparation import FileRead, Prepared

if TYPE_CHECKING:
    from .building import Build


class FileProgress:
    """Follows the documents of changed files through the builder, and closes each file when it is whole."""

    def __init__(self, build: Build, builder: GenerationBuilder, files: int) -> None:
        self._build = build
        self._builder = builder
        self._total = files
        self._seen: dict[str, dict[str, bool]] = {}
        self._failed: dict[str, list[tuple[str, LoadError]]] = {}
        self._ended: list[FileRead] = []
        self._pages = self._chunks = self._done = 0

    def consume(self, items: Iterable[Prepared | FileRead]) -> None:
        """Take everything that is prepared, until all of it is staged."""
        for item in items:
            if isinstance(item, FileRead):
                self._ended.append(item)
                self._build.report.add(item.dropped, "dropped")
                continue
            self._seen.setdefault(item.file, {})[item.document.id] = False
            self._take(self._builder.put(item))
            self._chunks += len(item.chunks)
            self._pages += item.document.page_count or 0
            self._tell(item.document.source)
            if self._build.cancel.is_set():
                raise Cancelled("stopped; what was read and embedded is kept")
        self._take(self._builder.drain())

    def _take(self, staged: Iterable[Staged]) -> None:
        for one in staged:
            source = one.prepared.file
            self._seen[source][one.prepared.document.id] = True
            if one.error is not None:
                failed = LoadError(str(one.error))
                self._failed.setdefault(source, []).append((one.prepared.document.source, failed))
            else:
                self._note(one)
        while self._ended and all(self._seen.get(self._ended[0].change.file.source, {}).values()):
            self._close(self._ended.pop(0))

    def _note(self, one: Staged) -> None:
        report = self._build.report
        if one.changed:
            kind = report.added if one.prepared.is_new else report.changed
            kind.append(one.prepared.document.source)

    def _close(self, read: FileRead) -> None:
        """All documents of a file are staged: what it does not hold any more goes."""
        build, change = self._build, read.change
        failures = [*read.failures, *self._failed.pop(change.file.source, [])]
        held = {
            row.document.source: row.document
            for row in build.folder.ledger.documents_of(change.file.source, build.h)
        }
        if change.previous is not None and change.previous.source != change.file.source:
            old = change.previous.source
            for row in build.folder.ledger.documents_of(old, build.h):
                held[change.file.source + row.document.source.removeprefix(old)] = row.document
        seen = self._seen.pop(change.file.source, {})
        failed = {source for source, _ in failures}
        whole = change.file.source in failed
        gone = {} if whole else {s: d for s, d in held.items() if d.id not in seen and s not in failed}
        self._builder.remove([document.id for document in gone.values()])
        build.report.removed += gone
        rows = [
            failure_row(
                source,
                change.file.root,
                change.file.source,
                error,
                change.version,
                change.recipe,
                source in held,
            )
            for source, error in failures
        ]
        with build.folder.ledger.transaction():
            build.log.replace_failures([change.file.source], rows)
            if not whole:
                if change.previous is not None:
                    build.folder.ledger.end_files([change.previous.source], build.h)
                build.folder.ledger.put_file(change.row(), build.h)
        build.report.failed += [failure_of(row) for row in rows]
        self._done += 1
        self._tell(change.file.source)

    def _tell(self, item: str) -> None:
        listen = self._build.listen
        listen(Event("index", self._done, self._total, "files", item))
        listen(Event("index", self._pages, None, "pages", item))
        listen(Event("index", self._builder.embedded + self._builder.reused, None, "chunks", item))
