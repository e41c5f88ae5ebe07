"""What one reader may see of one generation, as conditions of a query."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from .graph_sqlite_file import GraphFile
from .ports import Filter

T = TypeVar("T")
_REMEMBERED = 2048
_ACCESSES = 128
"""Accesses that are kept: each lists up to half of the grounds of all documents, some 130 KB of 20,000."""


@dataclass(frozen=True, slots=True)
class View:
    """One reader's access to one generation, through one thread's file.

    Queries take the generation as ``?1`` and the grounds of the access as ``?2``; what they ask for
    besides begins at ``?3``. ``tallied`` says that the counts made at the seal are the generation's.
    ``memory`` holds what was costly to find out; a generation's rows never change.
    """

    file: GraphFile
    generation: int
    access: Access
    tallied: bool
    memory: dict[Hashable, Any]

    def rows(self, sql: str, *values: Any) -> list[Any]:
        """The rows of a query."""
        return self.file.rows(sql, self.generation, self.access.grounds, *values)

    def remembered(self, key: Hashable, find: Callable[[], T]) -> T:
        """What ``find`` gives (never None), found once."""
        known = self.memory.get(key)  # one look: another thread may clear it after any
        return self.remember(key, find()) if known is None else cast("T", known)

    def remember(self, key: Hashable, found: T) -> T:
        """Have :meth:`remembered` know it."""
        if len(self.memory) >= _REMEMBERED:
            self.memory.clear()
        self.memory[key] = found
        return found

    def live(self, table: str) -> str:
        """That a row of ``table`` belongs to the generation."""
        return f"{table}.since <= ?1 AND {table}.until > ?1"

    def open(self, table: str) -> str:
        """That the reader may read what a row of ``table`` stands on."""
        return self.access.condition.format(table=table)

    def seen(self, table: str) -> str:
        """Both."""
        return f"{self.live(table)} AND {self.open(table)}"


@dataclass(frozen=True, slots=True)
class Access:
    """The grounds that are open to a reader, or closed, whichever are fewer, as a list in JSON."""

    condition: str
    grounds: str | None

    @property
    def all(self) -> bool:
        """Whether nothing is closed."""
        return self.grounds is None


EVERYTHING = Access("?2 IS NULL", None)
_ONLY = "{table}.ground IN (SELECT value FROM json_each(?2))"
_ALL_BUT = "{table}.ground NOT IN (SELECT value FROM json_each(?2))"


class Accesses:
    """The accesses to one generation, each worked out once.

    Every row of a published generation stands on a ground that was written before, so the list that is
    read first holds for good.
    """

    def __init__(self, grounds: Sequence[tuple[int, str, str]]) -> None:
        self._grounds = grounds
        self._known: dict[object, Access] = {}

    def of(self, where: Filter) -> Access:
        """What ``where`` leaves of the grounds."""
        key = filter_key(where)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _ACCESSES:
                for oldest in list(self._known)[:1]:  # another thread may have dropped it
                    self._known.pop(oldest, None)
            found = self._known[key] = self._worked_out(where)
        return found

    def _worked_out(self, where: Filter) -> Access:
        classes = None if where.classes is None else set(where.classes)
        documents = None if where.documents is None else set(where.documents)
        barred = set(where.not_documents or ())
        shut: list[int] = []
        free: list[int] = []
        for number, document, access in self._grounds:
            allowed = (classes is None or access in classes) and document not in barred
            (free if allowed and (documents is None or document in documents) else shut).append(number)
        if not shut:
            return EVERYTHING
        if len(free) <= len(shut):
            return Access(_ONLY, json.dumps(free))
        return Access(_ALL_BUT, json.dumps(shut))


def filter_key(where: Filter) -> tuple[tuple[str, ...] | None, ...]:
    """What tells one reader's access from another's."""
    parts = (where.classes, where.documents, where.not_documents)
    return tuple(None if part is None else tuple(part) for part in parts)
