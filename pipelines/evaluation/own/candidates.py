"""Questions on their way into a set: what a kind finds in one document, put together and sampled."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from ..questions import Question, Withheld


class Identified(Protocol):
    """Something with an id that another run gives it too."""

    @property
    def id(self) -> str:
        """The id."""
        ...


Item = TypeVar("Item", bound=Identified)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that a document gave. ``places`` are its gold, ``fields`` what else is known of it.

    ``withheld`` is the entry of the document's outline that is not to be indexed if it is asked.
    """

    kind: str
    text: str
    source: str
    places: tuple[str, ...]
    fields: Mapping[str, Any] = field(default_factory=dict)
    withheld: Withheld | None = None

    @property
    def id(self) -> str:
        """The same for the same question of one kind, whatever document it comes from."""
        return f"{self.kind}-{_digest(self.kind, folded(self.text))[:12]}"

    def question(self) -> Question:
        """The candidate as a labelled question, every place of grade 1."""
        return Question(self.id, self.text, dict.fromkeys(self.places, 1), {"type": self.kind, **self.fields})


def folded(text: str) -> str:
    """``text`` as questions are told apart: without case and runs of white space."""
    return " ".join(text.split()).casefold()


def order(seed: int, id: str) -> str:
    """Where a question stands in the order of a seed: its own affair, whatever else there is."""
    return _digest(str(seed), id)


def together(found: Iterable[Candidate]) -> list[Candidate]:
    """One candidate a question: what several documents (or several places of one) answer has all of
    those places as its gold."""
    merged: dict[str, Candidate] = {}
    for candidate in found:
        known = merged.setdefault(candidate.id, candidate)
        if known is not candidate:
            places = dict.fromkeys((*known.places, *candidate.places))
            merged[candidate.id] = replace(known, places=tuple(places))
    return list(merged.values())


def alone(found: Iterable[Candidate]) -> list[Candidate]:
    """The candidates whose question no second one asks."""
    seen: dict[str, list[Candidate]] = {}
    for candidate in found:
        seen.setdefault(candidate.id, []).append(candidate)
    return [same[0] for same in seen.values() if len(same) == 1]


def sampled(items: Sequence[Item], seed: int, most: int) -> list[Item]:
    """At most ``most`` of the items, chosen by a hash of ``seed`` and their ids: another document takes
    the place of a few of them and leaves the others."""
    return sorted(items, key=lambda each: order(seed, each.id))[:most]


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
