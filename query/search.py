"""One question through the read side: route, retrieve, rerank, cite."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

from ..indexer.errors import GenerationGone, ModelUnavailable
from ..indexer.types import Citation, Hit
from .access import Access
from .answer.calls import Calls
from .chunk_parts import best_section
from .deadline import Deadline, TimeUp
from .enumeration import Enumeration
from .models import Models
from .opened import OpenGeneration
from .phrases import Matcher, question_forms
from .question import Candidate, Found, Question
from .request import Request
from .rerank import RerankLimits, rerank
from .result import RouteDecision, SearchResult, cite, facts_of
from .router.features import features_of
from .router.outcome import Routed, nothing
from .router.routing import Routing
from .router.settings import RouterSettings
from .router.several import routed
from .routes import decide
from .settings import SearchSettings
from .telling import explanation_of, neighbours_of, reasons_of
from .tokens import TokenCount
from .tree_hits import leaf_citations

log = logging.getLogger(__name__)

_STEPS = ("route", "embed", "retrieve", "rerank")


def search(
    request: Request,
    opened: OpenGeneration | None,
    models: Models,
    settings: SearchSettings,
    limits: RerankLimits,
    routing: RouterSettings | None = None,
) -> SearchResult:
    """Answer ``request`` from ``opened``. Raises GenerationGone for None: nothing is published."""
    begin = perf_counter()
    settings = request.settled(settings)
    if opened is None:
        raise GenerationGone("nothing is published in this index yet; build it: treegraph build SOURCE...")
    deadline = Deadline(request.deadline)
    route = decide(settings.route, opened.catalogue.structures)
    if request.rerank:
        with suppress(TimeUp):  # it is done without then
            models.reranker(deadline)
    under_way = _Search(
        request, opened, models, settings, limits, routing or RouterSettings(), route, begin, deadline
    )
    return under_way.result()


@dataclass(slots=True)
class _Search:
    """One search under way."""

    request: Request
    opened: OpenGeneration
    models: Models
    settings: SearchSettings
    limits: RerankLimits
    routing: RouterSettings
    route: RouteDecision
    begin: float
    deadline: Deadline
    calls: Calls | None = None
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(_STEPS, 0.0))
    since: float = field(init=False)

    def __post_init__(self) -> None:
        self.since = self.begin

    def result(self) -> SearchResult:
        """Go through all steps, timing each."""
        access = self._access()
        self._time("route")
        languages = self.opened.readers.languages(self.request.labels)
        asked = self.request.question.encode("utf-8", "replace").decode("utf-8")  # no lone surrogates
        try:
            question = self._encoded(asked, languages)
            self._time("embed")
            routing = self._routed(question, access)
        except TimeUp:
            routing = nothing(self.route)
        found, self.route = routing.found, routing.decision
        self._time("retrieve")
        candidates, degraded = self._reranked(found.candidates)
        self._time("rerank")
        candidates = self._sure(self._relevant(candidates), access)[: self.settings.k]
        rested = self._rested(candidates, access, found.terms)
        hits = tuple(self._hit(candidate, found, rested) for candidate in candidates)
        enumeration, unlisted = self._enumeration(asked, languages, access)
        return SearchResult(
            question=self.request.question,
            generation=self.opened.number,
            route=self.route,
            hits=hits,
            seconds={**self.seconds, "total": perf_counter() - self.begin},
            degraded=tuple(
                dict.fromkeys((*self._behind(), *routing.degraded, *found.late, *degraded, *unlisted))
            ),
            explanation=explanation_of(routing) if self.request.explain else None,
            enumeration=enumeration,
            calls=self.calls.made if self.calls else 0,
            tokens=self.calls.tokens if self.calls else TokenCount(),
        )

    def _time(self, step: str) -> None:
        """What went by since the step before is this one's."""
        now = perf_counter()
        self.seconds[step], self.since = now - self.since, now

    def _relevant(self, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        least = self.settings.min_relevance
        return [one for one in candidates if one.relevance >= least] if least > 0 else candidates

    def _access(self) -> Access:
        request = self.request
        access = self.opened.readers.access(request.labels, request.filters, request.sources, request.as_of)
        least = self.settings.min_confidence
        return replace(access, min_confidence=least) if least > 0 else access

    def _rested(
        self, candidates: Sequence[Candidate], access: Access, terms: Mapping[str, float]
    ) -> Mapping[str, tuple[Citation, ...]]:
        def cited(payload: Mapping[str, Any]) -> Citation:
            return self._cited(payload, terms)

        return leaf_citations(candidates, self.opened.snapshot, access, cited)

    def _cited(self, payload: Mapping[str, Any], terms: Mapping[str, float]) -> Citation:
        """The citation of a chunk, by that of its sections which says most of the question; ``terms`` are its
        words with their weights."""
        citation = cite(payload, self.opened.catalogue.documents)
        if not payload.get("parts"):
            return citation
        language = payload.get("language")
        matcher = Matcher(question_forms(self.request.question, language), terms, language)
        section = best_section(payload, matcher.match)
        return citation if section is None else replace(citation, section=section)

    def _sure(self, candidates: Sequence[Candidate], access: Access) -> Sequence[Candidate]:
        """Those that are sure enough, of routes too that asked no store for it; a summary is if any of the
        passages is that it rests on."""
        if not access.min_confidence > 0:
            return candidates
        rested = self._rested(candidates, access, {})
        return [
            one
            for one in candidates
            if (rested.get(one.key) if one.payload["kind"] != "chunk" else access.is_sure(one.payload))
        ]

    def _encoded(self, text: str, languages: Sequence[str]) -> Question:
        return self.models.encode(text, languages, self.opened.entry, self.deadline)

    def _routed(self, question: Question, access: Access) -> Routed:
        routing = Routing(self.opened, self.routing, access, self.deadline)
        if self.route.asked != "auto":
            return routing.fixed(self.route, question, self._wanted())

        def encode(text: str) -> Question:
            return self._encoded(text, question.languages)

        missing: tuple[str, ...] = ()
        try:
            self.calls = self._calls()
        except ModelUnavailable as error:
            log.warning("no model has a word on the route: %s", error)
            missing = ("model",)
        found = routed(question, encode, routing, self.routing.parts, self._wanted(), self.calls)
        return replace(found, degraded=(*found.degraded, *missing)) if missing else found

    def _calls(self) -> Calls | None:
        """Those of the model that has a word on the route, where one has."""
        llm = self.models.llm() if self.routing.model else None
        return Calls(llm, self.deadline.end, self.opened.lanes.advice) if llm is not None else None

    def _enumeration(
        self, question: str, languages: Sequence[str], access: Access
    ) -> tuple[Enumeration | None, tuple[str, ...]]:
        """All of the kind that is asked for, where there is time."""
        if self.route.asked != "auto" or not self.routing.enumerate:
            return None, ()
        asked = features_of(question, languages)
        if not (asked.count or asked.listing):
            return None, ()
        from .router.enumerating import enumerate_kind

        def work() -> Enumeration | None:
            return enumerate_kind(question, languages, self.opened, access, self.models.sparse())

        try:
            return self.deadline.run(work, self.opened.lanes.listing, self.opened.held()), ()
        except TimeUp:
            log.warning("nothing is listed: the time was up")
            return None, ("enumeration",)

    def _wanted(self) -> int:
        """How many candidates the later steps choose from."""
        reread = self.limits.candidates if self.route.used in ((), ("hybrid",)) and self._rereads else 0
        return max(self.settings.k, self.settings.phrase_window, reread)

    def _behind(self) -> tuple[str, ...]:
        """The structures of the route that do not hold all of this generation."""
        structures = self.opened.catalogue.structures
        return tuple(name for name in self.route.used if structures.get(name) != self.opened.number)

    def _reranks(self) -> bool:
        """Whether the order is reread. That of the tree is not, since a summary does not compare with a
        passage; nor that of the graph, since a passage two hops away does not answer by itself."""
        return self.route.used == ("hybrid",) and self._rereads

    @property
    def _rereads(self) -> bool:
        return self.models.reranks if self.request.rerank is None else self.request.rerank

    def _reranked(self, candidates: Sequence[Candidate]) -> tuple[Sequence[Candidate], tuple[str, ...]]:
        if not self._reranks():
            if not self.request.rerank:
                return candidates, ()
            log.warning("no reranking: the order of the %s route stands", " and ".join(self.route.used))
            return candidates, ("rerank",)
        if not candidates:
            return candidates, ()
        try:
            reranker = self.models.reranker(self.deadline)
        except (ModelUnavailable, TimeUp) as error:
            log.warning("no reranking, the fused order stands: %s", str(error) or "the time was up")
            return candidates, ("rerank",)
        left = self.deadline.left
        if left == 0.0:
            return candidates, ("rerank",)
        ordered = rerank(reranker, self.request.question, candidates, self.limits.within(left))
        return (candidates, ("rerank",)) if ordered is None else (ordered, ())

    def _hit(self, candidate: Candidate, found: Found, rested: Mapping[str, tuple[Citation, ...]]) -> Hit:
        """``rested`` has the citations of nodes and reports by key."""
        payload = candidate.payload
        if payload["kind"] != "chunk":
            cited = rested.get(candidate.key, ())
        else:
            cited = (self._cited(payload, found.terms),)
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
            neighbours=neighbours_of(self.opened.snapshot, payload, self.settings.neighbours),
            path=candidate.path,
            explanation=reasons_of(candidate, found.terms) if self.request.explain else None,
            passages=self._passages(payload),
            facts=facts_of(payload),
        )

    def _passages(self, payload: Mapping[str, Any]) -> int:
        return len(self.opened.tree_map.beneath(payload["id"])) if payload["kind"] == "node" else 0
