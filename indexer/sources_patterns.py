"""Which files of a root count: its glob, and ignore patterns as git reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import ConfigurationError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILE = ".treegraphignore"


@dataclass(frozen=True, slots=True)
class Glob:
    """A glob matched one folder at a time, so that a walk enters only folders that can match.

    ``parts`` are the pattern's components; ``**`` stands for any number of folders. A state is the set
    of positions in ``parts`` that the names so far may have come to.
    """

    parts: tuple[str, ...]

    def begin(self) -> frozenset[int]:
        """The state before any name."""
        return self._skip({0})

    def advance(self, state: frozenset[int], name: str) -> frozenset[int]:
        """The state after one more name; empty where nothing below can match."""
        after: set[int] = set()
        for position in state:
            if position == len(self.parts):
                continue
            part = self.parts[position]
            if part == "**":
                after.add(position)
            elif fnmatchcase(name, part):
                after.add(position + 1)
        return self._skip(after)

    def accepts(self, state: frozenset[int]) -> bool:
        """Whether the names so far match the whole pattern."""
        return len(self.parts) in state

    def _skip(self, state: set[int]) -> frozenset[int]:
        """``**`` may also stand for no folder at all."""
        reached = set(state)
        for position in sorted(state):
            while position < len(self.parts) and self.parts[position] == "**":
                position += 1
                reached.add(position)
        return frozenset(reached)


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """Ignore patterns in force in one folder: the innermost file that says anything decides.

    ``levels`` are (folder relative to the root, its patterns), outermost first.
    """

    levels: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    def within(self, folder: str, lines: Sequence[str], origin: str) -> IgnoreRules:
        """These rules and, for what lies in ``folder`` (relative to the root), ``lines`` as well.

        Raises ConfigurationError where a line is not a pattern; ``origin`` is where the lines stand.
        """
        if not lines:
            return self
        from pathspec import GitIgnoreSpec

        try:
            spec = GitIgnoreSpec.from_lines(lines)
        except ValueError as error:
            raise ConfigurationError(f"{origin}: not an ignore pattern: {error}") from error
        return IgnoreRules((*self.levels, (folder, spec)))

    def verdict(self, relative: str) -> bool | None:
        """True: ignored; False: taken although hidden, by a ``!pattern``; None: nothing is said.

        ``relative`` is the path from the root, with a ``/`` at its end for a folder.
        """
        for folder, spec in reversed(self.levels):
            include = spec.check_file(relative[len(folder) :]).include
            if include is not None:
                return include
        return None


def read_ignore_file(path: Path) -> list[str]:
    """The lines of an ignore file, undecodable bytes as file names have them. Raises OSError."""
    return path.read_bytes().decode("utf-8", "surrogateescape").splitlines()
