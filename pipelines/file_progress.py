"""Follows the documents of changed files until each file is whole in the generation being built."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping

from ..indexer.errors import Cancelled, LoadError, ModelCallError
from ..indexer.types import Document
from .building import Build
from .events import Event
from .failures import failure_of, failure_row
from .generation import GenerationBuilder, Staged
from .preparation import FileRead, Prepared
from .survey import Change


class FileProgress:
    """Takes what is prepared through the builder, and closes each file when all of it is staged."""

    def __init__(self, build: Build, builder: GenerationBuilder, files: int) -> None:
        self._build = build
        self._ledger = build.folder.ledger
        self._builder = builder
        self._total = files
        self._staged: dict[str, dict[str, bool]] = {}
        self._failed: dict[str, list[tuple[str, LoadError | ModelCallError]]] = {}
        self._owed: Counter[str] = Counter()
        self._read: deque[FileRead] = deque()
        self._pages = self._done = 0

    def consume(self, items: Iterable[Prepared | FileRead]) -> None:
        """Take everything that is prepared, until all of it is staged. Raises Cancelled."""
        for item in items:
            if isinstance(item, FileRead):
                self._read.append(item)
                self._build.report.add(item.dropped, "dropped")
                continue
            self._staged.setdefault(item.file, {})[item.document.id] = False
            self._owed[item.file] += item.owed
            self._build.report.add(item.document.redacted, "redacted")
            self._take(self._builder.put(item))
            self._pages += item.document.page_count or 0
            self._tell(item.document.source)
            if self._build.cancel.is_set():
                raise Cancelled("stopped; what was read and embedded is kept")
        self._take(self._builder.drain())

    def _take(self, staged: Iterable[Staged]) -> None:
        for one in staged:
            prepared = one.prepared
            self._staged[prepared.file][prepared.document.id] = True
            if one.error is not None:
                self._failed.setdefault(prepared.file, []).append((prepared.document.source, one.error))
        while self._read and all(self._staged.get(self._read[0].change.file.source, {}).values()):
            self._close(self._read.popleft())

    def _close(self, read: FileRead) -> None:
        """All documents of a file are staged: what it does not hold any more goes."""
        change, source = read.change, read.change.file.source
        failures = [*read.failures, *self._failed.pop(source, [])]
        held = self._held(change)
        seen = self._staged.pop(source, {})
        failed = {failing for failing, _ in failures}
        if source not in failed:
            gone = {s: d for s, d in held.items() if d.id not in seen and s not in failed}
            self._builder.remove([document.id for document in gone.values()])
        rows = [
            failure_row(
                failing,
                change.file.root,
                source,
                error,
                change.version,
                change.failing_recipe,
                failing in held,
            )
            for failing, error in failures
        ]
        with self._ledger.transaction():
            rows = self._build.log.replace_failures([source], rows)
            if source not in failed:
                self._keep(read, sum(isinstance(error, ModelCallError) for _, error in failures))
        self._build.report.failed += [failure_of(row) for row in rows]
        self._done += 1
        self._tell(source)

    def _keep(self, read: FileRead, not_embedded: int) -> None:
        """Have the generation hold the file as it was read now, owing some of its records; where it does
        already, with the new clock."""
        change, h = read.change, self._builder.h
        owed: Counter[str] = Counter(context=self._owed.pop(change.file.source, 0), embed=not_embedded)
        owed.update(read.left)
        row = change.row(self._build.readers.recipe(change.recipe, read.open_to, owed))
        held = self._ledger.file(row.source, h)
        if held is not None and (held.root, held.version, held.recipe) == (row.root, row.version, row.recipe):
            self._ledger.touch_file(row)
            return
        self._ledger.end_files([change.previous.source] if change.previous else [], h)
        self._ledger.put_file(row, h)

    def _held(self, change: Change) -> Mapping[str, Document]:
        """The file's documents that the generation holds, by the sources that they have now."""
        now, root, h = change.file.source, change.file.root, self._builder.h
        held = {row.document.source: row.document for row in self._ledger.documents_of(now, root, h)}
        before = change.previous
        if before is not None and before.source != now:
            for row in self._ledger.documents_of(before.source, before.root, h):
                held[now + row.document.source.removeprefix(before.source)] = row.document
        return held

    def _tell(self, item: str) -> None:
        listen = self._build.listen
        listen(Event("index", self._done, self._total, "files", item))
        listen(Event("index", self._pages, None, "pages", item))
        listen(Event("index", self._builder.embedded + self._builder.reused, None, "chunks", item))
