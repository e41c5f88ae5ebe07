"""Second passages given the first: what a good chunk leads to, for what the question says beyond it.

A question of two hops is like its first passage and hardly like its second, whose own subject it does not
name. So a chunk that is linked to a good one is scored again: how near it is to the question, and how much it
holds of those words of the question that the first one leaves open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .graph_arrays import WalkGraph
from .graph_reading import GraphRead

HUB = 50
"""An entity in more chunks than this is no link between two of them."""


@dataclass(frozen=True, slots=True)
class Second:
    """That a chunk is reached from chunk ``first`` by the entity ``by`` that both name: what it gains."""

    first: str
    by: str
    gain: float


def seconds(read: GraphRead, graph: WalkGraph, scores: Mapping[str, float]) -> dict[str, Second]:
    """What chunks gain by those of the highest ``scores`` (of which the best is 1): by id, the most each."""
    settings = read.graph.settings
    firsts = sorted(scores, key=lambda chunk: (-scores[chunk], chunk))[: settings.firsts]
    links = [(first, by, other) for first in firsts for other, by in linked(graph, first, settings.rare)]
    chosen = _nearest(read, links, scores)
    best: dict[str, Second] = {}
    for first, by, chunk in chosen:
        gain = settings.second * scores[first] * _fit(read, first, chunk)
        if chunk not in best or gain > best[chunk].gain:
            best[chunk] = Second(first, by, gain)
    return best


def linked(graph: WalkGraph, chunk: str, rare: int) -> list[tuple[str, str]]:
    """The chunks that share an entity with ``chunk``, each with the one in the fewest chunks: one that either
    is about, or that no more than ``rare`` chunks name."""
    here = graph.place.get(chunk)
    if here is None:
        return []
    found: dict[int, int] = {}
    entities, about = graph.named_in(here)
    by_count = sorted(zip(graph.count[entities].tolist(), entities.tolist(), about.tolist(), strict=True))
    for count, entity, subject in by_count:
        if count > HUB or not graph.rare[entity]:
            continue
        places, subjects = graph.naming(entity)
        if not subject and count > rare:
            places = places[subjects]
        for place in places.tolist():
            if place != here:
                found.setdefault(place, entity)
    return [(graph.name(place), graph.name(entity)) for place, entity in found.items()]


def _nearest(
    read: GraphRead, links: Sequence[tuple[str, str, str]], scores: Mapping[str, float]
) -> list[tuple[str, str, str]]:
    """Of all ``links`` those to the chunks that are worth a closer look: by cosine times the first's score.
    These are known to ``read`` afterwards."""
    rows = read.near({chunk for _, _, chunk in links})
    cosine = {chunk: row.score for chunk, row in rows.items()}
    cosine |= {chunk: candidate.dense for chunk, candidate in read.chunks.items()}
    worth: dict[str, float] = {}
    for first, _, chunk in links:
        if chunk in cosine and first in read.chunks:
            worth[chunk] = max(worth.get(chunk, 0.0), scores[first] * cosine[chunk])
    looked = sorted(worth, key=lambda chunk: (-worth[chunk], chunk))[: read.graph.settings.seconds]
    read.admit(rows[chunk] for chunk in looked if chunk in rows)
    kept = set(looked)
    return [link for link in links if link[2] in kept and link[0] in read.chunks]


def _fit(read: GraphRead, first: str, second: str) -> float:
    """The mean of the second's cosine to the question and of the share of the question's words, by IDF, that
    it has and the first has not."""
    one, other = read.chunks[first], read.chunks[second]
    beyond = read.weigh(other.match.found - one.match.found)
    return (max(other.dense, 0.0) + beyond) / 2
