"""One question through the read side: route, retrieve, rerank, cite."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from time import perf_counter
from typing import Any

from ..indexer.errors import ConfigurationError, GenerationGone, ModelUnavailable
from ..indexer.stores.ports import Filter, VectorSnapshot
from ..indexer.types import Citation, Hit, Neighbour
from .access import Access
from .models import Models
from .opened import OpenGeneration
from .question import Candidate, Found, Retriever
from .rerank import RerankLimits, rerank
from .result import RouteDecision, SearchResult, cite, facts_of, page_list
from .routes import decide
from .settings import SearchSettings
from .tree_hits import leaf_citations

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Request:
    """A question and how it is to be answered; None stands for the setting's value."""

    question: str
    k: int | None = None
    route: str | None = None
    labels: Sequence[str] | None = None
    filters: Sequence[str] = ()
    sources: Sequence[str] = ()
    as_of: date | None = None
    neighbours: int | None = None
    min_relevance: float | None = None
    explain: bool = False
    rerank: bool | None = None

    def settled(self, settings: SearchSettings) -> SearchSettings:
        """``settings`` with what this request asks otherwise. Raises ConfigurationError."""
        if not isinstance(self.question, str) or not self.question.strip():
            raise ConfigurationError("the question is empty")
        for name in ("labels", "filters", "sources"):
            if isinstance(getattr(self, name), str):
                raise ConfigurationError(f"{name} takes a list of texts, not one text")
        if self.as_of is not None and not isinstance(self.as_of, date):
            raise ConfigurationError(f"as_of takes a date, not {self.as_of!r}")
        asked = {
            name: getattr(self, name)
            for name in ("k", "route", "neighbours", "min_relevance")
            if getattr(self, name) is not None
        }
        return replace(settings, **asked)


def search(
    request: Request,
    opened: OpenGeneration | None,
    models: Models,
    settings: SearchSettings,
    limits: RerankLimits,
) -> SearchResult:
    """Answer ``request`` from ``opened``. Raises GenerationGone for None: nothing is published."""
    begin = perf_counter()
    settings = request.settled(settings)
    if opened is None:
        raise GenerationGone("nothing is published in this index yet; build it: treegraph build SOURCE...")
    route = decide(settings.route, opened.catalogue.structures)
    if request.rerank:
        models.reranker()
    return _Search(request, opened, models, settings, limits, route, begin).result()


@dataclass(slots=True)
class _Search:
    """One search under way."""

    request: Request
    opened: OpenGeneration
    models: Models
    settings: SearchSettings
    limits: RerankLimits
    route: RouteDecision
    begin: float

    def result(self) -> SearchResult:
        """Go through all steps, timing each."""
        access = self._access()
        routed = perf_counter()
        self.models.check(self.opened.entry)
        languages = self.opened.readers.languages(self.request.labels)
        asked = self.request.question.encode("utf-8", "replace").decode("utf-8")  # no lone surrogates
        question = self.models.encode(asked, languages)
        embedded = perf_counter()
        found = self._retriever()(question, access, self._wanted())
        retrieved = perf_counter()
        candidates, degraded = self._reranked(found.candidates)
        reranked = perf_counter()
        candidates = [c for c in candidates if c.relevance >= self.settings.min_relevance]
        candidates = candidates[: self.settings.k]
        rested = leaf_citations(candidates, self.opened.snapshot, access, self.opened.catalogue.documents)
        hits = tuple(self._hit(candidate, found, rested) for candidate in candidates)
        return SearchResult(
            question=self.request.question,
            generation=self.opened.number,
            route=self.route,
            hits=hits,
            seconds={
                "route": routed - self.begin,
                "embed": embedded - routed,
                "retrieve": retrieved - embedded,
                "rerank": reranked - retrieved,
                "total": perf_counter() - self.begin,
            },
            degraded=(*self._behind(), *found.late, *degraded),
            explanation=_explanation(found) if self.request.explain else None,
        )

    def _access(self) -> Access:
        request = self.request
        return self.opened.readers.access(request.labels, request.filters, request.sources, request.as_of)

    def _retriever(self) -> Retriever:
        if self.route.used == ("graph",):
            return self.opened.graph.route
        return self.opened.tree if self.route.used == ("tree",) else self.opened.hybrid

    def _wanted(self) -> int:
        """How many candidates the later steps choose from."""
        reread = self.limits.candidates if self._reranks() else 0
        return max(self.settings.k, self.settings.phrase_window, reread)

    def _behind(self) -> tuple[str, ...]:
        """The structures of the route that do not hold all of this generation."""
        structures = self.opened.catalogue.structures
        return tuple(name for name in self.route.used if structures.get(name) != self.opened.number)

    def _reranks(self) -> bool:
        """Whether the order is reread. That of the tree is not, since a summary does not compare with a
        passage; nor that of the graph, since a passage two hops away does not answer by itself."""
        if self.route.used != ("hybrid",):
            return False
        return self.models.reranks if self.request.rerank is None else self.request.rerank

    def _reranked(self, candidates: Sequence[Candidate]) -> tuple[Sequence[Candidate], tuple[str, ...]]:
        if not self._reranks():
            if not self.request.rerank:
                return candidates, ()
            log.warning("no reranking: the order of the %s route stands", self.route.used[0])
            return candidates, ("rerank",)
        if not candidates:
            return candidates, ()
        try:
            reranker = self.models.reranker()
        except ModelUnavailable as error:
            log.warning("no reranking, the fused order stands: %s", error)
            return candidates, ("rerank",)
        ordered = rerank(reranker, self.request.question, candidates, self.limits)
        return (candidates, ("rerank",)) if ordered is None else (ordered, ())

    def _hit(self, candidate: Candidate, found: Found, rested: Mapping[str, tuple[Citation, ...]]) -> Hit:
        """``rested`` has the citations of nodes and reports by key."""
        payload = candidate.payload
        if payload["kind"] != "chunk":
            cited = rested.get(candidate.key, ())
        else:
            cited = (cite(payload, self.opened.catalogue.documents),)
        return Hit(
            id=payload["id"],
            kind=payload["kind"],
            level=payload.get("level") or 0,
            text=payload["text"],
            context=payload.get("context") or "",
            score=candidate.score,
            relevance=candidate.relevance,
            citations=cited,
            scores={"dense": candidate.dense, "sparse": candidate.sparse},
            ranks={"reranked": None, **candidate.ranks},
            neighbours=_neighbours(self.opened.snapshot, payload, self.settings.neighbours),
            path=candidate.path,
            explanation=_reasons(candidate, found.terms) if self.request.explain else None,
            passages=self._passages(payload),
            facts=facts_of(payload),
        )

    def _passages(self, payload: Mapping[str, Any]) -> int:
        return len(self.opened.tree_map.beneath(payload["id"])) if payload["kind"] == "node" else 0


def _neighbours(snapshot: VectorSnapshot, payload: Mapping[str, Any], reach: int) -> tuple[Neighbour, ...]:
    """The chunks up to ``reach`` before and after a chunk of the same document, in reading order."""
    if reach == 0 or payload["kind"] != "chunk":
        return ()
    place = payload["ordinal"]
    where = Filter(
        kinds=("chunk",), documents=[payload["document"]], ordinals=(max(0, place - reach), place + reach)
    )
    around = sorted((row.payload for row in snapshot.fetch(where)), key=lambda row: row["ordinal"])
    return tuple(
        Neighbour(row["id"], row["ordinal"] - place, row["text"], page_list(row))
        for row in around
        if row["ordinal"] != place
    )


def _reasons(candidate: Candidate, terms: Mapping[str, float]) -> dict[str, Any]:
    return {
        "terms": {form: terms[form] for form in sorted(candidate.match.found)},
        "coverage": candidate.match.terms,
        "phrase": candidate.match.pairs,
        "heading": candidate.match.heading,
        "fused": candidate.fused,
    }


def _explanation(found: Found) -> dict[str, Any]:
    return {
        "terms": dict(sorted(found.terms.items(), key=lambda item: (-item[1], item[0]))),
        "weights": {"dense": found.weight, "sparse": 1 - found.weight},
        **found.means,
    }
