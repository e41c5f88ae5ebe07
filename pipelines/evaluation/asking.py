"""Asking a part's questions of an open index, one after the other, and what came back of each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from sys import intern
from time import perf_counter
from typing import Protocol

from ...indexer.errors import (
    Cancelled,
    ConfigurationError,
    ModelUnavailable,
    StoreUnreachable,
    TreegraphError,
)
from ...indexer.types import Citation, Hit
from ...query.index import Index
from .distinctive import DistinctiveTerms
from .evidence import gather_evidence
from .journal import Journal
from .outcomes import LISTS, Answered, FoundHit, Outcome
from .places import places_of, ranking
from .questions import Part, Question

SHOWN = 10
"""Hits that are kept of each question, and whose tokens ``tokens@10`` counts."""
WARMING = 3
"""Questions asked before the clock runs: models load at the first."""
_SNIPPET = 600


class Asker(Protocol):
    """Asks one question after the other."""

    @property
    def warming(self) -> int:
        """How many questions are asked before the clock runs."""
        ...

    def ask(self, index: Index, part: Part, question: Question) -> Answered:
        """What came of one question. What would meet every question alike is raised: ConfigurationError,
        StoreUnreachable, ModelUnavailable."""
        ...


@dataclass(frozen=True, slots=True)
class Asking:
    """How questions are asked: ``depth`` hits each, ``budget`` tokens of evidence, counted by ``count``."""

    route: str | None
    rerank: bool | None
    depth: int
    budget: int
    count: Callable[[str], int]
    terms: DistinctiveTerms | None = None

    @property
    def warming(self) -> int:
        """See :class:`Asker`."""
        return WARMING

    def ask(self, index: Index, part: Part, question: Question) -> Answered:
        """What a search for one question came to."""
        return _answer(index, part, question, self)


def ask_all(
    index: Index,
    part: Part,
    asking: Asker,
    journal: Journal,
    on_answer: Callable[[int], None],
    cancel: threading.Event,
) -> list[Answered]:
    """Ask every question of ``part`` that ``journal`` does not know, in order; all answers.

    Raises Cancelled at the next question once ``cancel`` is set; ConfigurationError, StoreUnreachable and
    ModelUnavailable, which would meet every question alike. Any other error is that question's, which then
    found nothing.
    """
    known = {name: answered for name, answered in journal.read().items() if answered.outcome.error is None}
    left = [question for question in part.questions if question.id not in known]
    for question in left[: asking.warming]:
        asking.ask(index, part, question)
    with journal.appending() as append:
        for question in left:
            if cancel.is_set():
                raise Cancelled("stopped; the questions that were asked are kept")
            known[question.id] = asking.ask(index, part, question)
            append(known[question.id])
            on_answer(len(known))
    return [known[question.id] for question in part.questions]


def _answer(index: Index, part: Part, question: Question, asking: Asking) -> Answered:
    began = perf_counter()
    try:
        result = index.search(question.text, k=asking.depth, route=asking.route, rerank=asking.rerank)
    except (Cancelled, ConfigurationError, ModelUnavailable, StoreUnreachable):
        raise
    except TreegraphError as error:
        nothing = dict.fromkeys((f"{part.unit}_recall", f"{part.unit}_f1"), 0.0) | _held("", question, asking)
        failed = Outcome(
            question.id, nothing, {}, (), perf_counter() - began, error=f"{error.reason}: {error}"
        )
        return Answered(failed, ())
    seconds = perf_counter() - began
    left_out = part.left_out | question.taken_from
    found = ranking(result.hits, part.unit, left_out)
    evidence = gather_evidence(result.hits, part.unit, left_out, asking.budget, asking.count)
    values = evidence.metrics(question.gold, part.unit)
    values["tokens@10"] = float(sum(asking.count(hit.text) for hit in result.hits[:SHOWN]))
    values |= _held("\n".join(evidence.texts), question, asking)
    hits = tuple(_shown(hit, part, question, asking) for hit in result.hits[:SHOWN])
    standing = _standing(result.hits, found, part, question)
    return Answered(Outcome(question.id, values, standing, hits, seconds, result.degraded), tuple(found))


def _held(evidence: str, question: Question, asking: Asking) -> dict[str, float]:
    held = None if asking.terms is None else asking.terms.held(evidence, question.gold)
    return {} if held is None else {"terms": held}


def _shown(hit: Hit, part: Part, question: Question, asking: Asking) -> FoundHit:
    places = tuple(ranking([hit], part.unit))
    return FoundHit(
        id=intern(hit.id),
        kind=hit.kind,
        text=intern(hit.text[:_SNIPPET]),  # the same chunk is found again and again
        score=hit.score,
        cited=intern(shown_place(hit.citations[0])) if hit.citations else "",
        places=places,
        gold=any(place in question.gold for place in places),
        tokens=asking.count(hit.text),
        ranks=dict(hit.ranks),
    )


def shown_place(citation: Citation) -> str:
    """Where a citation points to, in a line: file, pages, section."""
    pages = f" p. {', '.join(map(str, citation.pages))}" if citation.pages else ""
    section = f" ({' > '.join(citation.section)})" if citation.section else ""
    return f"{citation.source}{pages}{section}"


def _standing(
    hits: Sequence[Hit], found: Sequence[str], part: Part, question: Question
) -> dict[str, dict[str, int | None]]:
    """Where each gold place stands: in the end, and the best rank of a hit there in every list."""
    rank_of = {place: rank for rank, place in enumerate(found, start=1)}
    standing: dict[str, dict[str, int | None]] = {
        place: {**dict.fromkeys(LISTS), "final": rank_of.get(place)} for place in question.gold
    }
    for hit in hits:
        for place in {p for c in hit.citations for p in places_of(c, part.unit)} & standing.keys():
            ranks = standing[place]
            for name in LISTS:
                best = [rank for rank in (ranks[name], hit.ranks.get(name)) if rank is not None]
                ranks[name] = min(best, default=None)
    return standing


def with_metrics(
    answers: Sequence[Answered], metrics: Mapping[str, Mapping[str, float]]
) -> Iterator[Outcome]:
    """The outcomes, each with the ``metrics`` of its question's ranking added."""
    for answered in answers:
        outcome = answered.outcome
        yield replace(outcome, values={**metrics[outcome.question], **outcome.values})
