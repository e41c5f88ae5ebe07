"""Merges and splits that a person made by hand: they hold for names, and so survive every rebuild."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..digests import canonical_json
from ..errors import ConfigurationError
from ..names import form

SplitBy = Literal["name", "document"]


@dataclass(frozen=True, slots=True, order=True)
class Merge:
    """That two names mean one thing, wherever they stand; one name twice: that it has no homonyms."""

    first: str
    second: str


@dataclass(frozen=True, slots=True, order=True)
class Split:
    """That a name is not what it was taken for. ``by`` name: it means nothing that other names mean.
    ``by`` document: it also means another thing in every document."""

    name: str
    by: SplitBy = "name"


@dataclass(frozen=True, slots=True)
class Edits:
    """All edits by hand. Names are as a person wrote them. Splits undo what was found, and merges come after
    them, so that a merge by hand always holds. An edit of a name that no document holds waits for it."""

    merges: tuple[Merge, ...] = ()
    splits: tuple[Split, ...] = ()

    def merge(self, first: str, second: str) -> Edits:
        """These edits and that both names mean one thing; one name twice means one thing in all documents.
        Raises ConfigurationError for what is no name."""
        low, high = sorted((_checked(first), _checked(second)))
        return replace(self, merges=tuple(sorted({*self.merges, Merge(low, high)})))

    def split(self, name: str, by: SplitBy = "name") -> Edits:
        """These edits and that ``name`` stands by itself, without the merges by hand that say otherwise.
        Raises ConfigurationError for what is no name."""
        _checked(name)
        merges = tuple(merge for merge in self.merges if name not in (merge.first, merge.second))
        return Edits(merges, tuple(sorted({*self.splits, Split(name, by)})))

    def without(self, edit: Merge | Split) -> Edits:
        """These edits but for one: what was found by itself holds again."""
        return Edits(
            tuple(merge for merge in self.merges if merge != edit),
            tuple(split for split in self.splits if split != edit),
        )

    def to_json(self) -> str:
        """As one JSON text, which :meth:`from_json` reads."""
        return canonical_json(
            {
                "merges": [[merge.first, merge.second] for merge in self.merges],
                "splits": [[split.name, split.by] for split in self.splits],
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Edits:
        """What :meth:`to_json` wrote. Raises ConfigurationError for anything else."""
        try:
            held: Mapping[str, Any] = json.loads(text)
            merges = tuple(sorted(Merge(*map(_name, pair)) for pair in held["merges"]))
            splits = tuple(sorted(Split(_name(name), _by(by)) for name, by in held["splits"]))
        except (ValueError, TypeError, KeyError) as error:
            raise ConfigurationError(f"these are no edits of a graph: {error}") from error
        return cls(merges, splits)


NO_EDITS = Edits()


def _checked(name: str) -> str:
    if not form(name) or name != name.encode("utf-8", "replace").decode("utf-8"):
        raise ConfigurationError(f"{name!r} is no name")
    return name


def _name(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{value!r} is no name")
    return value


def _by(value: object) -> SplitBy:
    if value == "name" or value == "document":
        return value
    raise ValueError(f'a split is by "name" or "document", not {value!r}')
