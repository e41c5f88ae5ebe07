"""Gathering the names of one chunk: one entry for each, however often and in whatever writing it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..names import LONGEST_NAME, NameKind, form
from .extraction import Named, Role, Stated

MOST_NAMES = 64
MOST_STATEMENTS = 96

_MERIT: dict[NameKind, float] = {"name": 2.0, "identifier": 2.0, "acronym": 1.5, "term": 1.0}


@dataclass(slots=True)
class _Entry:
    name: str
    order: int
    count: int = 0
    merit: float = 0.0
    type: str = ""
    role: Role = "mention"
    local: bool = False
    description: str = ""
    aliases: list[str] = field(default_factory=list)


class Gathered:
    """The names of a chunk by their forms. The first writing of a name is the one that it keeps."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, bool], _Entry] = {}
        self._same: dict[tuple[str, bool], tuple[str, bool]] = {}
        self._next = 0
        self.faults: Counter[str] = Counter()

    def add(
        self,
        name: str,
        *,
        kind: NameKind = "name",
        type: str = "",
        role: Role = "mention",
        local: bool = False,
        count: int = 1,
        description: str = "",
        aliases: Iterable[str] = (),
    ) -> str | None:
        """Takes a name in and returns it as the chunk's names have it, or None if it cannot be one."""
        name = " ".join(name.split())
        key = form(name)
        if not key:
            return None
        if len(name) > LONGEST_NAME:
            self.faults["name too long"] += 1
            return None
        at = self._same.get((key, local), (key, local))
        entry = self._entries.get(at)
        if entry is None:
            entry = self._entries[at] = _Entry(name, self._next, local=local)
            self._next += 1
        if at != (key, local):
            aliases = (name, *aliases)
        entry.count += count
        entry.merit = max(entry.merit, _MERIT[kind])
        entry.type = entry.type or type
        entry.description = entry.description or description
        if role == "subject":
            entry.role = role
        for alias in aliases:
            self._alias(entry, at, " ".join(alias.split()))
        return entry.name

    def _alias(self, entry: _Entry, at: tuple[str, bool], alias: str) -> None:
        """``alias`` is another name of an entry: where it has an entry already, that is taken into this."""
        key = (form(alias), entry.local)
        if not key[0] or key == at or len(alias) > LONGEST_NAME or self._same.get(key, at) != at:
            return
        known = {form(other) for other in entry.aliases}
        if key[0] not in known:
            entry.aliases.append(alias)
        self._same[key] = at
        other = self._entries.pop(key, None)
        if other is None:
            return
        entry.count += other.count
        entry.merit = max(entry.merit, other.merit)
        entry.order = min(entry.order, other.order)
        entry.type = entry.type or other.type
        entry.description = entry.description or other.description
        if other.role == "subject":
            entry.role = other.role
        for name in other.aliases:
            self._same.pop((form(name), entry.local), None)
            self._alias(entry, at, name)

    def find(self, name: str, local: bool = False) -> str | None:
        """The name as it was first written, None if it was not added."""
        key = (form(name), local)
        entry = self._entries.get(self._same.get(key, key))
        return entry.name if entry else None

    def statements(self, stated: Iterable[Stated]) -> tuple[Stated, ...]:
        """The statements that are none of a thing with itself, each once, at most ``MOST_STATEMENTS``."""
        kept: dict[tuple[str, str, str, str], Stated] = {}
        for one in stated:
            if form(one.source) == form(one.target):
                self.faults["relation to itself"] += 1
            elif len(kept) < MOST_STATEMENTS:
                kept.setdefault((one.source, one.type, one.target, one.sentence), one)
            else:
                self.faults["relation over the limit"] += 1
        return tuple(kept.values())

    def named(self, statements: Iterable[Stated]) -> tuple[Named, ...]:
        """The names, by where they first stand; over ``MOST_NAMES`` the most telling: subjects, ends of
        statements, then names and identifiers before other terms, and the longer and more frequent."""
        ends = {end for one in statements for end in (one.source, one.target)}
        entries = sorted(self._entries.values(), key=lambda entry: entry.order)
        if len(entries) > MOST_NAMES:
            entries.sort(key=lambda entry: (-self._telling(entry, ends), entry.order))
            self.faults["name over the limit"] += len(entries) - MOST_NAMES
            entries = sorted(entries[:MOST_NAMES], key=lambda entry: entry.order)
        return tuple(
            Named(
                name=entry.name, type=entry.type, role=entry.role, count=max(entry.count, 1),
                local=entry.local, description=entry.description, aliases=tuple(entry.aliases),
            )
            for entry in entries
        )  # fmt: skip

    @staticmethod
    def _telling(entry: _Entry, ends: set[str]) -> float:
        return (
            100 * (entry.role == "subject")
            + 50 * (entry.name in ends)
            + 10 * bool(entry.aliases or entry.description)
            + 2 * entry.merit
            + min(entry.count, 5)
            + 2 * (" " in entry.name)
        )
