"""The files under the roots, and everything that was left out with its reason."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from .errors import BadMetadata, SourceUnreadable, UnreadableFile
from .sources_files import SourceFile, Walk
from .sources_layout import (
    DOCUMENTS,
    SIDECAR,
    is_cut_from_documents,
    is_index,
    neighbours,
    orphans,
    reason_to_skip,
    sidecar_name,
)
from .sources_names import escape_name
from .sources_patterns import IGNORE_FILE, Glob, IgnoreRules, read_ignore_file
from .sources_roots import Root

_Identity = tuple[int, int]
_Names = frozenset[str]


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder still to be read; ``relative`` ends in a slash, but for the root's own.

    ``identity`` is its (device, inode), ``above`` those of the folders that it lies in. ``state`` is
    how far the root's glob has come, None where everything below is wanted.
    """

    path: Path
    relative: str
    identity: _Identity
    above: frozenset[_Identity]
    state: frozenset[int] | None
    rules: IgnoreRules


def walk(roots: Sequence[Root], ignore: Sequence[str] = ()) -> Walk:
    """Find the files under the roots.

    ``ignore`` are patterns as in .gitignore, relative to each root; a ``.treegraphignore`` in any
    folder adds to them for what lies below it. Hidden files are left out unless a ``!pattern`` takes
    them in; a file that is itself a root is always taken. Links are followed, and a folder is read
    once. A file that several roots or links reach belongs to the first root, and there to its own path
    rather than to a link.

    Raises SourceUnreadable where a root itself cannot be read, ConfigurationError for a bad pattern.
    """
    found = Walk()
    counts: Counter[str] = Counter()
    owned: set[tuple[_Identity, str]] = set()
    for root in roots:
        _RootWalk(root, found, counts, owned).run(ignore)
    found.files.sort(key=lambda file: file.source)
    found.problems.sort(key=lambda problem: problem[0])
    found.unreadable.sort()
    found.ignored.update(sorted(counts.items()))
    return found


class _RootWalk:
    """The walk of one root. What links lead to waits until everything else is read."""

    def __init__(
        self, root: Root, found: Walk, counts: Counter[str], owned: set[tuple[_Identity, str]]
    ) -> None:
        self.root = root
        self.found = found
        self.counts = counts
        self.owned = owned
        self.glob = Glob(tuple(root.pattern.split("/"))) if root.pattern else None
        self.folders: deque[_Folder] = deque()
        self.linked_folders: deque[_Folder] = deque()
        self.linked_files: list[tuple[str, Path, os.stat_result, _Names]] = []
        self.read: set[_Identity] = set()

    def run(self, ignore: Sequence[str]) -> None:
        path = self.root.path
        try:
            status = path.stat()
            if not S_ISDIR(status.st_mode):
                self._take("", path, status, neighbours(path))
                return
            rules = IgnoreRules().within("", ignore, "the ignore patterns")
            state = self.glob.begin() if self.glob else None
            self.folders.append(_Folder(path, "", _identity(status), frozenset(), state, rules))
            while self.folders or self.linked_folders:
                self._enter((self.folders or self.linked_folders).popleft())
        except OSError as error:
            shown = escape_name(str(path))
            raise SourceUnreadable(f"the source {shown} cannot be read: {error.strerror}") from error
        for linked in self.linked_files:
            self._take(*linked)

    def _enter(self, folder: _Folder) -> None:
        """Read one folder. Raises OSError where that is the root itself."""
        if folder.identity in self.read:
            self.counts["reached another way"] += 1
            return
        self.read.add(folder.identity)
        try:
            with os.scandir(folder.path) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
            rules = _with_ignore_file(folder, entries)
        except OSError as error:
            if not folder.relative:
                raise
            self._problem(folder.relative, f"the folder cannot be read: {error.strerror}", below=True)
            return
        names = frozenset(entry.name for entry in entries)
        if is_index(names):
            self.counts["an index"] += 1
            return
        folder = replace(folder, rules=rules)
        for entry in entries:
            if not entry.name.endswith(SIDECAR):
                self._sort(folder, entry, names)
        if self.glob is None:
            for name in orphans(names):
                stem = escape_name(name.removesuffix(SIDECAR))
                lost = BadMetadata(f"describes no file: there is no {stem} beside it")
                self.found.problems.append((self._source(folder.relative + name), lost))

    def _sort(self, folder: _Folder, entry: os.DirEntry[str], names: _Names) -> None:
        """Tell what an entry is: left out, a folder to read later, a file."""
        relative = folder.relative + entry.name
        path = folder.path / entry.name
        state = folder.state
        if self.glob is not None and state is not None:
            state = self.glob.advance(state, entry.name)
            if not state:
                return
        matched = self.glob is None or state is None or self.glob.accepts(state)
        try:
            linked, status = entry.is_symlink(), entry.stat()
        except OSError as error:
            if not matched:
                # It may have led to a folder, and so to files that the glob wants.
                self.found.unreadable.append(self._source(relative) + "/")
                self.counts["broken link"] += 1
            elif not self._skips(folder, entry.name, False, names):
                self._problem(relative, _why_unusable(path, error), below=True)
            return
        if S_ISDIR(status.st_mode):
            if not self._skips(folder, entry.name, True, names):
                self._queue(folder, path, relative + "/", status, linked, None if matched else state)
        elif not matched or self._skips(folder, entry.name, False, names):
            return
        elif not S_ISREG(status.st_mode):
            self.counts["not a regular file"] += 1
        elif linked:
            self.linked_files.append((relative, path, status, names))
        else:
            self._take(relative, path, status, names, folder.identity)

    def _skips(self, folder: _Folder, name: str, is_folder: bool, names: _Names) -> bool:
        """Whether an entry is left out on purpose; if so, it is counted by its reason."""
        verdict = folder.rules.verdict(folder.relative + name + "/" * is_folder)
        reason = reason_to_skip(folder.path, name, is_folder, names)
        if verdict:
            reason = "ignore pattern"
        elif reason is None and verdict is None and name.startswith("."):
            reason = "hidden"
        if reason is not None:
            self.counts[reason] += 1
        return reason is not None

    def _queue(
        self,
        parent: _Folder,
        path: Path,
        relative: str,
        status: os.stat_result,
        linked: bool,
        state: frozenset[int] | None,
    ) -> None:
        above = parent.above | {parent.identity}
        identity = _identity(status)
        if identity in above:
            self._problem(relative, "the link leads back into a folder that it lies in", below=False)
            return
        queue = self.linked_folders if linked else self.folders
        queue.append(_Folder(path, relative, identity, above, state, parent.rules))

    def _take(
        self,
        relative: str,
        path: Path,
        status: os.stat_result,
        names: _Names,
        folder: _Identity | None = None,
    ) -> None:
        """Add a file. ``folder`` is where it lies, None where links may have led to it."""
        owner = (folder, path.name) if folder is not None else _entry_of(path)
        if owner in self.owned:
            self.counts["reached another way"] += 1
            return
        self.owned.add(owner)
        self.found.files.append(self._file(relative, path, status, names))

    def _file(self, relative: str, path: Path, status: os.stat_result, names: _Names) -> SourceFile:
        beside = sidecar_name(path.name, names)
        companion = None
        if is_cut_from_documents(path.name, names):
            texts = path.parent / DOCUMENTS
            folder = relative.rpartition("/")[0]
            inside = f"{folder}/{DOCUMENTS}" if folder else DOCUMENTS
            companion = self._file(inside, texts, texts.stat(), frozenset())
        return SourceFile(
            root=self.root.name,
            source=self._source(relative),
            path=path,
            size=status.st_size,
            mtime_ns=status.st_mtime_ns,
            inode=status.st_ino,
            sidecar=path.parent / beside if beside else None,
            companion=companion,
        )

    def _source(self, relative: str) -> str:
        inside = relative.rstrip("/")
        return f"{self.root.name}/{escape_name(inside)}" if inside else self.root.name

    def _problem(self, relative: str, message: str, *, below: bool) -> None:
        source = self._source(relative)
        self.found.problems.append((source, UnreadableFile(message)))
        if below:
            self.found.unreadable.append(source + "/")


def _identity(status: os.stat_result) -> _Identity:
    return status.st_dev, status.st_ino


def _entry_of(path: Path) -> tuple[_Identity, str]:
    """The one folder entry behind all links: hard links stay files of their own."""
    real = Path(os.path.realpath(path))
    return _identity(real.parent.stat()), real.name


def _with_ignore_file(folder: _Folder, entries: Sequence[os.DirEntry[str]]) -> IgnoreRules:
    for entry in entries:
        if entry.name == IGNORE_FILE:
            path = folder.path / IGNORE_FILE
            return folder.rules.within(folder.relative, read_ignore_file(path), escape_name(str(path)))
    return folder.rules


def _why_unusable(path: Path, error: OSError) -> str:
    if not path.is_symlink():
        return f"cannot be read: {error.strerror}"
    target = escape_name(os.readlink(path))
    return f"is a link to {target}, which cannot be reached: {error.strerror}"
