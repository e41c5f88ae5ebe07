"""Asking for answers: one question with all documents, and of some once more without their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from sys import intern
from time import perf_counter

from ....indexer.errors import (
    Cancelled,
    ConfigurationError,
    ModelCallError,
    ModelUnavailable,
    StoreUnreachable,
    TreegraphError,
)
from ....query.answer.result import Answer, Sentence
from ....query.index import Index
from ..asking import WARMING, shown_place
from ..grid_axes import EXTRACT
from ..outcomes import LISTS, Answered, FoundHit, Outcome
from ..places import places_of, record_of, source_of
from ..questions import Part, Question
from .judging import Judge
from .matching import gold_answers
from .scoring import cited_places, nothing, said_in, taken, values_of


@dataclass(frozen=True, slots=True)
class Answering:
    """How answers are asked for: ``mode`` is one of the ask axis, ``budget`` the tokens of evidence (None:
    the setting's). The questions ``withheld`` are asked again with their own documents left out."""

    mode: str
    route: str | None
    budget: int | None
    count: Callable[[str], int]
    withheld: frozenset[str] = frozenset()
    judge: Judge | None = None

    @property
    def warming(self) -> int:
        """As for searches, but none where a call of a model is paid for."""
        return WARMING if self.mode == EXTRACT else 0

    def ask(self, index: Index, part: Part, question: Question) -> Answered:
        """The outcome of one question. What would meet every question alike is raised."""
        began = perf_counter()
        try:
            answer = self._answer(index, question)
            seconds = perf_counter() - began
            values = values_of(answer, part, question) | self._judged(question, answer)
            if question.id in self.withheld:
                values |= self._without_its_own(index, part, question)
        except (Cancelled, ConfigurationError, ModelUnavailable, StoreUnreachable):
            raise
        except TreegraphError as error:
            said = f"{error.reason}: {error}"
            seconds = perf_counter() - began
            return Answered(Outcome(question.id, nothing(question), {}, (), seconds, error=said), ())
        places = cited_places(answer, part, question)
        shown = tuple(map(partial(self._shown, part, question), answer.sentences))
        degraded = answer.result.degraded
        standing = _standing(places, question)
        return Answered(Outcome(question.id, values, standing, shown, seconds, degraded), places)

    def _answer(self, index: Index, question: Question, filters: tuple[str, ...] = ()) -> Answer:
        agentic = self.mode == "agentic"
        return index.ask(
            question.text, route=self.route, budget=self.budget, filters=filters, agentic=agentic
        )

    def _judged(self, question: Question, answer: Answer) -> dict[str, float]:
        gold = gold_answers(question.fields)
        if self.judge is None or not gold:
            return {}
        if not answer.found:
            return {"judged": 0.0}  # nothing was said: no model need read it
        try:
            return self.judge.values(question.text, gold, said_in(answer))
        except ModelCallError:
            return {"unjudged": 1.0}

    def _without_its_own(self, index: Index, part: Part, question: Question) -> dict[str, float]:
        own = own_documents(index, part, question)
        if not own:  # none of them could be read: there is nothing to leave out
            return {}
        answer = self._answer(index, question, tuple(f"id!={document}" for document in own))
        values = {"withheld_refused": float(not answer.found)}
        return values | (dict(taken(answer, "withheld_")) if answer.calls else {})

    def _shown(self, part: Part, question: Question, sentence: Sentence) -> FoundHit:
        """A sentence as a page shows what was found."""
        places = tuple(
            dict.fromkeys(place for cited in sentence.citations for place in places_of(cited, part.unit))
        )
        return FoundHit(
            id=f"sentence of {question.id}",
            kind="sentence",
            text=sentence.text,
            score=0.0,
            cited=intern("; ".join(map(shown_place, sentence.citations))),
            places=places,
            gold=any(place in question.gold for place in places),
            tokens=self.count(sentence.text),
            ranks={},
        )


def _standing(cited: Sequence[str], question: Question) -> dict[str, dict[str, int | None]]:
    """Where each gold place stands among those cited."""
    rank_of = {place: rank for rank, place in enumerate(cited, start=1)}
    return {place: {**dict.fromkeys(LISTS), "final": rank_of.get(place)} for place in question.gold}


def own_documents(index: Index, part: Part, question: Question) -> list[str]:
    """The ids of the documents that a question's gold is in."""
    if part.unit == "page":
        sources = {source_of(place, part.unit) for place in question.gold}
        return [document.id for document in index.documents.values() if document.source in sources]
    # A record that is a chunk of a longer text is named after it: <document>#<n>.
    records = {name for place in question.gold for name in (place, place.rpartition("#")[0])} - {""}
    return [document.id for document in index.documents.values() if record_of(document.source) in records]
