"""The graph route: what the question names, and where a walk from there over the graph comes to.

Linked to entities, a question is walked from them and from what the hybrid route found, by personalised
PageRank over entities and chunks together (HippoRAG 2, arXiv 2502.14802). The best chunks then lift those
that they lead to (:mod:`.graph_second`), and what is stated between the question's names, or of one of them
in the direction of the question, lifts its evidence (:mod:`.graph_paths`, :mod:`.graph_hops`). A broad
question gets reports of communities besides. Where a question links to nothing, the hybrid order stands.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from ..indexer.stores.graph_ports import GraphSnapshot
from ..indexer.stores.ports import VectorSnapshot
from ..indexer.types import Entity
from .access import Access
from .graph_explain import Explainer
from .graph_lift import Lift, lifts
from .graph_link import Finder, Link, Linker
from .graph_open import GraphReaders, ReadableGraph
from .graph_reading import Clock, GraphRead
from .graph_reports import among, is_broad, reports
from .graph_second import Second, seconds
from .graph_settings import GraphReadSettings
from .graph_walked import walked
from .question import Candidate, Found, Question, Retriever

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class GraphFound(Found):
    """What the graph route found; ``links`` are the question's entities."""

    links: Sequence[Link] = ()


class GraphRetriever:
    """The graph route over one generation's snapshots; a Retriever. Everything that it shows comes from what
    ``access`` shows."""

    def __init__(
        self,
        vectors: VectorSnapshot,
        graph: GraphSnapshot,
        hybrid: Retriever,
        settings: GraphReadSettings,
        finder: Finder | None = None,
    ) -> None:
        self._vectors = vectors
        self._hybrid = hybrid
        self._settings = settings
        self._readers = GraphReaders(graph, settings)
        self._linker: Callable[[Question, ReadableGraph], list[Link]] = Linker(finder)

    def over(self, hybrid: Retriever, links: Sequence[Link] | None = None) -> GraphRetriever:
        """This route with another way to find where the walk begins: what ``hybrid`` found already, say, and
        the question's ``links`` where they are known."""
        other = copy(self)
        other._hybrid = hybrid
        if links is not None:
            other._linker = lambda question, graph: list(links)
        return other

    def entities(self, access: Access) -> tuple[Entity, ...]:
        """Every entity that ``access`` shows, kept for the next call: for graphs that are small enough to
        hold. Raises StoreError."""
        return () if access.empty else self._readers.entities(access)

    def links(self, question: Question, access: Access) -> list[Link]:
        """The question's entities, without a walk."""
        return [] if access.empty else self._linker(question, self._readers.unheld(access))

    def __call__(self, question: Question, access: Access, limit: int) -> GraphFound:
        """The ``limit`` best chunks and reports that ``access`` shows."""
        found = self._hybrid(question, access, max(limit, self._settings.candidates))
        if access.empty:
            return GraphFound((), found.weight, found.terms)
        opened = self._readers.open(access)  # the first question of a reader does not pay for it
        read = GraphRead(self._vectors, opened, question, found, Clock(self._settings.time_limit))
        links = self._linker(question, read.graph)
        if not links or not found.candidates:
            order = _as_found(found, limit)
            return GraphFound(order, found.weight, found.terms, means=_means(links), links=links)
        return self._walk(read, links, limit)

    def _walk(self, read: GraphRead, links: Sequence[Link], limit: int) -> GraphFound:
        walk, late = walked(read, links), _Late(read.clock)
        second = {} if late("second passages") else seconds(read, walk.graph, walk.scores)
        lifted = {} if late("paths") else lifts(read, links)
        late("paths")
        scores = dict(walk.scores)
        for chunk, gain in (*_gains(second), *_gains(lifted)):
            scores[chunk] = scores.get(chunk, 0.0) + gain
        chosen = _best(read, scores, limit)
        paths = Explainer(read, links, walk, second, lifted).paths(chosen)
        candidates = [replace(one, path=path) for one, path in zip(chosen, paths, strict=True)]
        means = _means(links, walked=walk.reached, second=len(second), paths=len(lifted))
        if is_broad(read.question.text, links) and not late("reports"):
            about = reports(read, walk.entities)
            candidates = among(candidates, about.candidates)[:limit]
            means["reports"] = {"communities": about.looked, "reports": len(about.candidates)}
        return GraphFound(_ranked(candidates), read.found.weight, read.found.terms, late.steps, means, links)


class _Late:
    """Which steps were left out, or cut short, because the time was up."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.steps: tuple[str, ...] = ()

    def __call__(self, step: str) -> bool:
        over = self._clock.over
        if over and step not in self.steps:
            log.info("the time for the graph is up: %s are left out or not complete", step)
            self.steps = (*self.steps, step)
        return over


def _means(links: Sequence[Link], **counts: int | Mapping[str, int]) -> dict[str, Any]:
    """What the question was linked to, and how much each step looked at or gave."""
    linked = [
        {
            "said": link.said,
            "id": link.entity.id,
            "name": link.entity.name,
            "by": link.by,
            "confidence": link.confidence,
        }
        for link in links
    ]
    return {"links": linked, **counts}


def _gains(found: Mapping[str, Second] | Mapping[str, Lift]) -> list[tuple[str, float]]:
    return [(chunk, one.gain) for chunk, one in found.items()]


def _best(read: GraphRead, scores: Mapping[str, float], limit: int) -> list[Candidate]:
    """The chunks of the highest ``scores`` as candidates; where these are too few, what the hybrid route
    found besides, in its order."""
    order = sorted(scores, key=lambda chunk: (-scores[chunk], chunk))[:limit]
    read.admit(read.near(order).values())
    chosen = [
        replace(read.chunks[chunk], score=scores[chunk], fused=scores[chunk])
        for chunk in order
        if chunk in read.chunks
    ]
    taken = {one.payload["id"] for one in chosen}
    rest = [one for one in read.found.candidates if one.payload["id"] not in taken]
    return [*chosen, *(replace(one, score=0.0, fused=0.0) for one in rest)][:limit]


def _as_found(found: Found, limit: int) -> list[Candidate]:
    """The hybrid order, each chunk its own path."""
    return _ranked(
        replace(one, path=({"kind": "chunk", "id": one.payload["id"]},)) for one in found.candidates[:limit]
    )


def _ranked(candidates: Iterable[Candidate]) -> list[Candidate]:
    """``candidates`` in their order, with their rank as ``graph``."""
    return [replace(one, ranks={**one.ranks, "graph": rank}) for rank, one in enumerate(candidates, start=1)]
