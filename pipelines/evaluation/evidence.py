"""The evidence that a prompt would hold: hits in rank order, until one does not fit the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ...indexer.types import Hit
from .measures import Gold, f1
from .places import Unit, ranking


@dataclass(frozen=True, slots=True)
class Evidence:
    """What fits: the texts, the places that they rest on, and their tokens."""

    texts: tuple[str, ...]
    places: tuple[str, ...]
    tokens: int

    def metrics(self, gold: Gold, unit: Unit) -> dict[str, float]:
        """``<unit>_recall`` and ``<unit>_f1`` of the places, how many places there are (``pages`` or
        ``records``), and the tokens."""
        found = set(self.places)
        return {
            f"{unit}_recall": len(found & gold.keys()) / len(gold),
            f"{unit}_f1": f1(found, gold),
            f"{unit}s": float(len(found)),
            "tokens": float(self.tokens),
        }


def gather_evidence(
    hits: Iterable[Hit],
    unit: Unit,
    left_out: frozenset[str],
    budget: int,
    count: Callable[[str], int],
) -> Evidence:
    """Fill ``budget`` tokens in rank order; the first hit that does not fit ends it.

    A hit that rests on nothing but places left out is passed over, as it is in the ranking.
    """
    texts: list[str] = []
    held: list[Hit] = []
    tokens = 0
    for hit in hits:
        if left_out and not ranking([hit], unit, left_out):
            continue
        size = count(hit.text)
        if tokens + size > budget:
            break
        tokens += size
        texts.append(hit.text)
        held.append(hit)
    return Evidence(tuple(texts), tuple(ranking(held, unit, left_out)), tokens)
