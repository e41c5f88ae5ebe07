"""A question over its route: hybrid first, then what the index and the question speak for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from ...indexer.errors import StoreError
from ..access import Access
from ..deadline import Deadline, Lane, TimeUp
from ..question import Found, Question
from ..result import RouteDecision
from ..routes import ALONE
from .decision import Evidence, choose
from .features import Features, features_of
from .outcome import Outcome, Routed, nothing, weak
from .probes import Linked, linked, probe
from .settings import RouterSettings
from .shared import SharedHybrid
from .titled import names_a_section

if TYPE_CHECKING:
    from ..graph_link import Link
    from ..opened import OpenGeneration

Made = TypeVar("Made")
Advise = Callable[[str, Evidence, RouteDecision], RouteDecision]


class Routing:
    """The routes of one generation for one reader and one search."""

    def __init__(
        self, opened: OpenGeneration, settings: RouterSettings, access: Access, deadline: Deadline
    ) -> None:
        self._opened = opened
        self._settings = settings
        self._access = access
        self._deadline = deadline
        self._links: Sequence[Link] | None = None

    def fixed(self, decision: RouteDecision, question: Question, limit: int) -> Routed:
        """The route that was asked for. With a deadline hybrid comes first, and stands where the route is
        late. Raises StoreError."""
        if question.by_words:
            return self._by_words(decision, question, limit)
        (route,) = decision.used
        hybrid = SharedHybrid(self._opened.hybrid)
        if route == "hybrid" or self._deadline.left is not None:
            try:
                found = self._hybrid(hybrid, question, limit)
            except TimeUp:
                return nothing(decision)
            if route == "hybrid":
                return Routed(found, decision)
        try:
            return Routed(self._ask(route, hybrid, question, limit), decision)
        except TimeUp:
            late = replace(decision, used=("hybrid",), why=f"{decision.why}; {route} was late")
            return Routed(replace(found, candidates=found.candidates[:limit]), late, (route,))

    def chosen(self, question: Question, limit: int, advise: Advise | None = None) -> Routed:
        """What ``auto`` comes to: the route that scores best, or two joined; hybrid where it finds nothing of
        its own, or its store is gone. ``advise`` may decide otherwise, with all that was seen."""
        if question.by_words:
            return self._by_words(RouteDecision("auto", ("hybrid",), ""), question, limit)
        available, behind = self._available()
        asked = features_of(question.text, question.languages)
        hybrid = SharedHybrid(self._opened.hybrid)
        try:
            found = self._hybrid(hybrid, question, max(limit, self._depth(asked, available)))
        except TimeUp:
            return nothing(RouteDecision("auto", (), ""))
        outcome = Outcome(replace(found, candidates=found.candidates[:limit]))
        if not available:
            why = f"{' and '.join(behind)} {'is' if len(behind) == 1 else 'are'} behind" if behind else ALONE
            return Routed(outcome.hybrid, RouteDecision("auto", ("hybrid",), why, {"hybrid": 1.0}))
        links = self._linked(question, available, outcome)
        seen = Evidence(asked, probe(found), links, self._titled(question, asked, available, outcome))
        left = [route for route in available if route not in outcome.degraded]
        decision = choose(seen, left, self._settings)
        if advise is not None:
            decision = advise(question.text, seen, decision)
        for route in decision.used:
            self._take(route, hybrid, question, limit, outcome)
        return outcome.routed(decision, seen, limit)

    def _by_words(self, decision: RouteDecision, question: Question, limit: int) -> Routed:
        """What hybrid finds by the words alone; the other routes begin with what is like the question."""
        try:
            found = self._hybrid(SharedHybrid(self._opened.hybrid), question, limit)
        except TimeUp:
            return nothing(decision)
        why = "; ".join([*filter(None, [decision.why]), "the embedder was late, and the words alone decided"])
        without = (route for route in decision.used if route != "hybrid")
        return Routed(found, replace(decision, used=("hybrid",), why=why), ("dense", *without))

    def _available(self) -> tuple[list[str], list[str]]:
        """The structures that hold all of this generation, and those that are behind."""
        known = self._opened.catalogue.structures
        held = [name for name in ("tree", "graph") if name in known]
        whole = [name for name in held if known[name] == self._opened.number]
        return whole, [name for name in held if name not in whole]

    def _depth(self, asked: Features, available: Sequence[str]) -> int:
        """How many chunks hybrid is asked for, so that it need not be asked again."""
        if "tree" in available and (asked.whole or asked.subject):
            return self._opened.tree_settings.candidates
        return self._opened.graph_settings.candidates if "graph" in available else 0

    def _hybrid(self, hybrid: SharedHybrid, question: Question, limit: int) -> Found:
        return self._bounded(lambda: hybrid(question, self._access, limit), self._opened.lanes.hybrid)

    def _linked(self, question: Question, available: Sequence[str], outcome: Outcome) -> Linked:
        """What the graph knows of the question's names; nothing where its store is gone, which is noted."""
        self._links = None
        if "graph" not in available or self._rests("graph", outcome):
            return Linked()
        try:
            self._links, found = self._bounded(lambda: self._look_up(question), self._opened.lanes.graph)
            return found
        except (StoreError, TimeUp) as error:
            self._gone("graph", error, outcome)
            return Linked()

    def _rests(self, route: str, outcome: Outcome) -> bool:
        """Whether a route is not asked just now, which is noted."""
        if reason := self._opened.resting(route):
            outcome.without(route, reason)
        return bool(reason)

    def _gone(self, route: str, error: Exception, outcome: Outcome) -> None:
        if route == "graph" and isinstance(error, StoreError):
            self._opened.rest_graph(self._settings.retry)
        outcome.without(route, str(error) or "the time was up")

    def _look_up(self, question: Question) -> tuple[list[Link], Linked]:
        graph = self._opened.graph
        links = graph.route.links(question, self._access)
        ends = [link.entity.id for link in links]
        where = self._access.where(None)
        related = len(ends) > 1 and bool(graph.snapshot.between(ends, ends, where))
        return links, linked(links, related)

    def _titled(
        self, question: Question, asked: Features, available: Sequence[str], outcome: Outcome
    ) -> bool:
        if "tree" not in available or not (asked.whole or asked.subject):
            return False
        if self._rests("tree", outcome):
            return False
        try:
            return self._bounded(
                lambda: names_a_section(question.text, self._opened.tree_map, self._access),
                self._opened.lanes.tree,
            )
        except (StoreError, TimeUp) as error:
            self._gone("tree", error, outcome)
            return False

    def _take(
        self, route: str, hybrid: SharedHybrid, question: Question, limit: int, outcome: Outcome
    ) -> None:
        if route == "hybrid":
            outcome.add(route, outcome.hybrid)
            return
        if self._rests(route, outcome):
            return
        try:
            found = self._ask(route, hybrid, question, limit)
        except (StoreError, TimeUp) as error:
            self._gone(route, error, outcome)
            return
        if weak(route, found):
            outcome.poor.append(route)
        else:
            outcome.add(route, found)

    def _ask(self, route: str, hybrid: SharedHybrid, question: Question, limit: int) -> Found:
        links = self._links

        def work() -> Found:
            if route == "tree":
                return self._opened.tree.over(hybrid)(question, self._access, limit)
            return self._opened.graph.route.over(hybrid, links)(question, self._access, limit)

        return self._bounded(work, self._opened.lanes.of(route))

    @property
    def in_time(self) -> bool:
        """Whether there is time left for another search."""
        return self._deadline.left != 0.0

    def _bounded(self, work: Callable[[], Made], lane: Lane) -> Made:
        return self._deadline.run(work, lane, self._opened.held())
