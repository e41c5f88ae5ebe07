"""What this index holds of a question, read off the hybrid result and a few look-ups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..graph_link import Link
from ..question import Candidate, Found

FIRST, SEVERAL, MANY = 3, 10, 40
"""How many of the best passages are looked at: for the answer, what is around it, and its subject."""
NEAR = 2
"""Passages this far apart in a document stand together."""


@dataclass(frozen=True, slots=True)
class Probes:
    """What the hybrid route found of a question; all in 0..1 but counts.

    ``relevance`` is that of the best passage. ``said`` is the share of the question's words, by IDF, in the
    one of the first three that says most, ``together`` in all three. ``steep`` is how far the best score
    stands above the tenth, ``long`` the mean score of the first forty over the best. ``gathered`` is the
    share of the first forty that stand beside another of them; ``sections`` and ``documents`` are how many
    of them the first ten stand in. ``heading`` is how well a heading fits.
    """

    relevance: float = 0.0
    cosine: float = 0.0
    said: float = 0.0
    together: float = 0.0
    steep: float = 0.0
    long: float = 0.0
    gathered: float = 0.0
    sections: int = 0
    documents: int = 0
    heading: float = 0.0


@dataclass(frozen=True, slots=True)
class Linked:
    """What the graph knows of a question's names: how many it was sure of (``names``) or guessed
    (``phrases``), how many of the first ten passages name one (``named``, 0..1), and whether two of them
    are related (``related``)."""

    names: int = 0
    phrases: int = 0
    related: bool = False


def probe(found: Found) -> Probes:
    """The probes of what the hybrid route found, at least its first forty."""
    best = found.candidates[:MANY]
    if not best:
        return Probes()
    first = best[:FIRST]
    top = best[0].score or 1.0
    tenth = best[min(SEVERAL, len(best)) - 1].score
    return Probes(
        relevance=max(each.relevance for each in first),
        cosine=max(each.dense for each in best),
        said=max(each.match.terms for each in first),
        together=_share(frozenset().union(*(each.match.found for each in first)), found.terms),
        steep=1 - tenth / top,
        long=sum(each.score for each in best) / (len(best) * top),
        gathered=_gathered(best),
        sections=len({_section(each) for each in best[:SEVERAL]}),
        documents=len({each.payload["document"] for each in best[:SEVERAL]}),
        heading=max(each.match.heading for each in best[:SEVERAL]),
    )


def linked(links: Sequence[Link], related: bool) -> Linked:
    """What the links of a question come to."""
    by = Counter(link.by for link in links)
    sure = len({link.said for link in links if link.by in ("name", "alike")})
    return Linked(sure, by["phrase"], related)


def _share(found: frozenset[str], terms: Mapping[str, float]) -> float:
    total = sum(terms.values())
    return sum(weight for form, weight in terms.items() if form in found) / total if total > 0 else 0.0


def _gathered(candidates: Sequence[Candidate]) -> float:
    places = {(each.payload["document"], each.payload["ordinal"]) for each in candidates}
    beside = [
        any((document, ordinal + offset) in places for offset in range(-NEAR, NEAR + 1) if offset)
        for document, ordinal in places
    ]
    return sum(beside) / len(beside)


def _section(candidate: Candidate) -> tuple[str, ...]:
    payload = candidate.payload
    return (str(payload["document"]), *(payload.get("section") or ()))
