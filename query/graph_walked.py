"""The walk of one question: where it begins, and what it gives each chunk and entity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .graph_arrays import Values, WalkGraph
from .graph_link import Link
from .graph_reading import GraphRead

REACHED = 500
"""Chunks and entities that a walk keeps: those where it is most."""


@dataclass(frozen=True, slots=True)
class Walked:
    """A walk over ``graph`` from ``seeds``, ending with the weights ``now`` (both by place). ``scores`` are
    those of chunks over the best one's, ``entities`` those of entities, by id; the best first."""

    graph: WalkGraph
    seeds: Values
    now: Values
    scores: Mapping[str, float]
    entities: Mapping[str, float]

    @property
    def reached(self) -> dict[str, int]:
        """How many entities and chunks the graph holds that was walked over."""
        return {"entities": len(self.graph.entities), "chunks": len(self.graph.chunks)}


def walked(read: GraphRead, links: Sequence[Link]) -> Walked:
    """The walk from the entities of ``links`` and from the chunks that the hybrid route found."""
    settings = read.graph.settings
    chunks = [candidate.payload["id"] for candidate in read.found.candidates[: settings.around]]
    graph = read.graph.around([link.entity.id for link in links], chunks)
    seeds = _seeds(read, graph, links)
    now = graph.walk(seeds, settings.restart, settings.steps)
    split = len(graph.entities)
    entities, by_chunk = _most(graph.entities, now[:split]), _most(graph.chunks, now[split:])
    top = max(by_chunk.values(), default=1.0)
    scores = {chunk: value / top for chunk, value in by_chunk.items()}
    return Walked(graph, seeds, now, scores, entities)


def _seeds(read: GraphRead, graph: WalkGraph, links: Sequence[Link]) -> Values:
    """Where the walk begins; sums to 1, or is all 0 where the graph holds nothing of it.

    An entity weighs its confidence over the number of chunks that name it. All together weigh as much as
    the surest of them is sure; the chunks ``passages`` times as much as entities that are sure.
    """
    settings = read.graph.settings
    entities, chunks = np.zeros(graph.size), np.zeros(graph.size)
    for link in links:
        if (place := graph.place.get(link.entity.id)) is not None:
            entities[place] = link.confidence / max(link.entity.mentions, 1)
    sure = max((link.confidence for link in links), default=0.0)
    top = max(candidate.score for candidate in read.found.candidates)
    for candidate in read.found.candidates[: settings.candidates]:
        if (place := graph.place.get(candidate.payload["id"])) is not None and top > 0:
            chunks[place] = max(candidate.score / top, 0.0) ** settings.power
    seeds = sure * _shares(entities) + settings.passages * _shares(chunks)
    return _shares(seeds)


def _shares(values: Values) -> Values:
    total = values.sum()
    return values / total if total > 0 else values


def _most(names: Sequence[str], values: Values) -> dict[str, float]:
    """The ``REACHED`` of the highest values above 0, the best first; ties in the order of ``names``."""
    count = min(REACHED, len(values))
    least = np.partition(values, len(values) - count)[len(values) - count] if count else 0.0
    among = np.flatnonzero((values >= least) & (values > 0))
    order = among[np.argsort(-values[among], kind="stable")][:count]
    return {names[at]: float(values[at]) for at in order.tolist()}
