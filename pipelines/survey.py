"""What stands between the sources as they are and the index as it is: added, changed, renamed, gone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..indexer.errors import Cancelled, LoadError
from ..indexer.sources import Root, SourceFile, Walk, read_stable
from ..indexer.stores.ledger_rows import FileRow
from ..indexer.stores.ledger_runs import FailureRow
from .events import Event, Listener

_RACY_NS = 2_000_000_000
"""A clock this close to when we looked does not prove that nothing was written since."""
_LASTING = frozenset({"corrupt file", "empty file", "no text", "limit exceeded"})
"""Reasons that the same bytes under the same recipe and limits give again."""


@dataclass(frozen=True, slots=True)
class Change:
    """A file to read. ``previous`` is what the index holds of it, perhaps under another name."""

    file: SourceFile
    version: str
    recipe: str
    seen_ns: int
    previous: FileRow | None = None
    limits: str = ""

    @property
    def failing_recipe(self) -> str:
        """Under what a failure stands: the recipe, and the limits that were in force."""
        return f"{self.recipe} {self.limits}"

    def row(self, recipe: str | None = None) -> FileRow:
        """The ledger's row once the file is read; ``recipe`` is the full one, where its pages add to it."""
        f = self.file
        path = storable_path(f.path)
        return FileRow(
            f.source,
            f.root,
            path,
            self.version,
            recipe or self.recipe,
            f.size,
            f.mtime_ns,
            f.inode,
            self.seen_ns,
        )


@dataclass(slots=True)
class Survey:
    """The difference. ``renamed`` need no reading; ``failing`` failed before and would again."""

    changes: list[Change] = field(default_factory=list)
    renamed: list[Change] = field(default_factory=list)
    touched: list[Change] = field(default_factory=list)
    unchanged: list[FileRow] = field(default_factory=list)
    removed: list[FileRow] = field(default_factory=list)
    failing: list[FailureRow] = field(default_factory=list)
    problems: list[tuple[SourceFile, LoadError]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Surveyor:
    """Compares the files of a walk with those of an index. ``recipe`` gives a file's recipe, ``stands`` says
    whether one that was read under the first recipe would be read the same under the second."""

    recipe: Callable[[SourceFile], str]
    limits: str = ""
    listener: Listener | None = None
    cancel: threading.Event | None = None
    stands: Callable[[str, str], bool] = str.__eq__

    def survey(
        self,
        roots: Sequence[Root],
        walk: Walk,
        known: Mapping[str, FileRow],
        failures: Mapping[str, FailureRow],
    ) -> Survey:
        """What a build that mirrors ``roots`` has to do; ``known`` and ``failures`` are the index's."""
        names = {root.name for root in roots}
        present = {file.source for file in walk.files}
        gone = {
            source: row
            for source, row in known.items()
            if row.root in names and source not in present and not source.startswith(tuple(walk.unreadable))
        }
        survey = Survey()
        for file in self._ticking(walk.files):
            try:
                self._look(file, known.get(file.source), failures, gone, survey)
            except LoadError as error:
                survey.problems.append((file, error))
        survey.removed = sorted(gone.values(), key=lambda row: row.source)
        return survey

    def _look(
        self,
        file: SourceFile,
        row: FileRow | None,
        failures: Mapping[str, FailureRow],
        gone: dict[str, FileRow],
        survey: Survey,
    ) -> None:
        recipe = self.recipe(file)
        if row is not None and self.stands(row.recipe, recipe) and _same_clock(file, row):
            survey.unchanged.append(row)
            return
        seen = time.time_ns()
        change = Change(file, read_stable(file.path, file), recipe, seen, row, self.limits)
        if row is not None and row.version == change.version and self.stands(row.recipe, recipe):
            survey.touched.append(change)
        elif (failed := failures.get(file.source)) is not None and _lasts(failed, change):
            survey.failing.append(failed)
        elif row is None and (old := _same_bytes(change, gone)) is not None:
            del gone[old.source]
            moved = replace(change, previous=old)
            (survey.renamed if self.stands(old.recipe, recipe) else survey.changes).append(moved)
        else:
            survey.changes.append(change)

    def _ticking(self, files: Sequence[SourceFile]) -> Iterator[SourceFile]:
        for number, file in enumerate(files, 1):
            if self.cancel is not None and self.cancel.is_set():
                raise Cancelled("stopped before anything was changed")
            yield file
            if self.listener is not None and (number % 100 == 0 or number == len(files)):
                self.listener(Event("survey", number, len(files), "files", file.source))


def storable_path(path: Path) -> str:
    """A path as text that SQLite takes: bytes that are no UTF-8 are spelled out."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _lasts(failed: FailureRow, change: Change) -> bool:
    same = (failed.version, failed.recipe) == (change.version, change.failing_recipe)
    return same and failed.reason in _LASTING


def _same_clock(file: SourceFile, row: FileRow) -> bool:
    same = (file.size, file.mtime_ns, file.inode) == (row.size, row.mtime_ns, row.inode)
    return same and file.companion is None and row.mtime_ns < row.seen_ns - _RACY_NS


def _same_bytes(change: Change, gone: Mapping[str, FileRow]) -> FileRow | None:
    for source in sorted(gone):
        if gone[source].version == change.version:
            return gone[source]
    return None
