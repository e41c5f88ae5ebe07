"""Searching for one question in rounds: a model judges what was found, and names what to search next.

Every search is the same reader's, with the same filters and sources; what the model chooses is its words and
its route. The evidence of all searches that bear on what they asked is joined in turn.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from time import monotonic

from ...indexer.errors import ModelCallError, StoreError
from ...indexer.types import Hit
from ...indexer.word_forms import normalise, tokens
from ..fusion import RANK_OFFSET
from ..opened import OpenGeneration
from ..result import SearchResult
from .bearing import bears
from .calls import Calls
from .evidence import Source
from .result import Step
from .settings import AnswerSettings
from .verdict import Further, Judge, NoTokensLeft, Verdict

log = logging.getLogger(__name__)

SHARE = 0.5
"""The share of the time left after the first search in which the rounds must be over: then the answer is
written."""
CUT_SHORT = "agent"
"""What a degraded answer names: a model or a store failed, or the time was up, before the rounds ended."""
ENOUGH = "the evidence is enough"
LAST = "this was the last round"
NOTHING_NEW = "no search was named that was not made before"
NO_TOKENS = "there were no tokens left for another verdict"
TIME_UP = "the time was up"

Key = tuple[tuple[str, ...], str]


@dataclass(frozen=True, slots=True)
class Researched:
    """All searches of one question as one ``result``, with the trace. ``bearing``: something was found that
    bears on what was asked."""

    result: SearchResult
    bearing: bool
    steps: tuple[Step, ...]


def research(
    first: SearchResult,
    opened: OpenGeneration,
    find: Callable[[str, str], SearchResult],
    evidence: Callable[[SearchResult], Sequence[Source]],
    calls: Calls,
    settings: AnswerSettings,
    faults: Counter[str],
) -> Researched:
    """Search on from ``first``, as :class:`Rounds` does, within ``settings`` and the time of ``calls``."""
    until = None
    if calls.until is not None:
        now = monotonic()
        until = now + SHARE * (calls.until - now)
    judge = Judge(calls, _routes(first, opened), settings.agent_tokens, faults, until)
    return Rounds(find, evidence, judge, settings.steps, settings.floor, until).research(first)


def _routes(first: SearchResult, opened: OpenGeneration) -> tuple[str, ...]:
    """The routes that a model may name: the one that was asked for, or with auto those that are whole."""
    if first.route.asked != "auto":
        return (first.route.asked,)
    known = opened.catalogue.structures
    return ("hybrid", *(name for name in ("tree", "graph") if known.get(name) == opened.number))


@dataclass(slots=True)
class Rounds:
    """The searches for one question. ``find`` takes words and a route, ``evidence`` what of a result a model
    is shown. There are at most ``most`` rounds, and none begins after ``until`` (the monotonic clock).
    ``floor`` is the least relevance of evidence."""

    find: Callable[[str, str], SearchResult]
    evidence: Callable[[SearchResult], Sequence[Source]]
    judge: Judge
    most: int
    floor: float
    until: float | None = None
    _found: list[SearchResult] = field(default_factory=list)
    _steps: list[Step] = field(default_factory=list)
    _searched: list[Further] = field(default_factory=list)
    _made: set[Key] = field(default_factory=set)
    _known: set[str] = field(default_factory=set)
    _cut_short: bool = False

    def research(self, first: SearchResult) -> Researched:
        """Search on from ``first`` until a verdict is that it is enough, or an end is met.

        A model or store that fails ends the rounds, or is passed over: what there is stands.
        """
        self._take(1, first, "+".join(first.route.used))
        for number in range(1, self.most + 1):
            verdict, why = self._verdict(first.question, last=number == self.most)
            fresh = self._fresh(verdict.searches) if verdict and not why else []
            why = why or ("" if fresh else NOTHING_NEW)
            self._note(verdict, why)
            if why:
                break
            for search in fresh:
                self._search(number + 1, search)
        kept = self._bearing()
        result = join(kept or [first])
        if self._cut_short:
            result = replace(result, degraded=(*result.degraded, CUT_SHORT))
        return Researched(result, bool(kept), tuple(self._steps))

    def _verdict(self, question: str, last: bool) -> tuple[Verdict | None, str]:
        """The verdict on what there is, and why nothing more is searched; empty where it goes on."""
        if last:
            return None, LAST
        if self._late():
            self._cut_short = True
            return None, TIME_UP
        before = self.judge.spent
        try:
            kept = self._bearing()
            sources = self.evidence(join(kept)) if kept else ()
            verdict = self.judge.verdict(question, sources, self._searched)
        except NoTokensLeft:
            return None, NO_TOKENS
        except ModelCallError as error:
            log.info("no further round: %s", error)
            self._cut_short = True
            return None, TIME_UP if self._late() else "the model failed"
        finally:
            self._steps[-1] = replace(self._steps[-1], tokens=self.judge.spent - before)
        return verdict, ENOUGH if verdict.enough else ""

    def _note(self, verdict: Verdict | None, why: str) -> None:
        """Put the verdict on a round to its last step."""
        step = self._steps[-1]
        enough, missing = (verdict.enough, verdict.missing) if verdict else (None, "")
        reasons = "; ".join(part for part in (step.why, why) if part)
        self._steps[-1] = replace(step, enough=enough, missing=missing, why=reasons)

    def _fresh(self, searches: Sequence[Further]) -> list[Further]:
        """Those that were not made yet, each once."""
        fresh: dict[Key, Further] = {}
        for search in searches:
            if (key := _key(search)) not in self._made:
                fresh.setdefault(key, search)
        return list(fresh.values())

    def _search(self, number: int, search: Further) -> None:
        try:
            if self._late():
                self._miss(number, search, TIME_UP)
            else:
                self._take(number, self.find(search.question, search.route), search.route)
        except (StoreError, ModelCallError) as error:
            log.info("a further search failed: %s", error)
            self._miss(number, search, "the search failed")

    def _miss(self, number: int, search: Further, why: str) -> None:
        self._cut_short = True
        self._steps.append(Step(number, search.question, search.route, 0, why=why))

    def _take(self, number: int, result: SearchResult, route: str) -> None:
        fresh = {hit.id for hit in result.hits} - self._known
        self._known |= fresh
        self._found.append(result)
        self._searched.append(Further(result.question, route))
        self._made |= {_key(Further(result.question, used)) for used in route.split("+")}
        self._steps.append(Step(number, result.question, route, len(fresh)))

    def _bearing(self) -> list[SearchResult]:
        return [result for result in self._found if bears(result.question, result, self.floor)]

    def _late(self) -> bool:
        return self.until is not None and monotonic() >= self.until


def join(results: Sequence[SearchResult]) -> SearchResult:
    """Several searches of one question as one result, in which their hits take turns, none twice. It tells of
    the first, with the routes, the time and what was done without of all."""
    first = results[0]
    if len(results) == 1:
        return first
    used = tuple(dict.fromkeys(route for result in results for route in result.route.used))
    why = f"{first.route.why}; {len(results) - 1} further searches were joined"
    return replace(
        first,
        route=replace(first.route, used=used, why=why),
        hits=tuple(_in_turn([result.hits for result in results])),
        seconds={step: sum(each.seconds.get(step, 0.0) for each in results) for step in first.seconds},
        degraded=tuple(dict.fromkeys(step for result in results for step in result.degraded)),
    )


def _in_turn(lists: Sequence[Sequence[Hit]]) -> Iterator[Hit]:
    """The first of each, then the second of each, and so on; scores fall along the order."""
    taken: dict[str, Hit] = {}
    for row in zip_longest(*lists):
        for hit in row:
            if hit is not None:
                taken.setdefault(hit.id, hit)
    for rank, hit in enumerate(taken.values(), start=1):
        yield replace(hit, score=(1 + RANK_OFFSET) / (rank + RANK_OFFSET))


def _key(search: Further) -> Key:
    """What two searches that find the same have in common: the words, whatever is between, and the route."""
    return tuple(word.casefold() for word in tokens(normalise(search.question))), search.route
