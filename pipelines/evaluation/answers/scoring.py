"""What an answer is worth: its text against the answers of the set, its citations against the gold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....query.answer.result import Answer
from ..measures import f1
from ..places import places_of
from ..questions import Part, Question
from .matching import gold_answers, matches


def said_in(answer: Answer) -> str:
    """The sentences without their marks; empty where the documents do not say."""
    return " ".join(sentence.text for sentence in answer.sentences) if answer.found else ""


def cited_places(answer: Answer, part: Part, question: Question) -> tuple[str, ...]:
    """The distinct places that the citations come to, in their order."""
    found = (place for citation in answer.citations for place in places_of(citation, part.unit))
    left_out = part.left_out | question.taken_from
    return tuple(place for place in dict.fromkeys(found) if place not in left_out)


def values_of(answer: Answer, part: Part, question: Question) -> dict[str, float]:
    """The metrics of one answer.

    ``exact``, ``f1`` and ``contains`` where the set says what is right: 0 for what is refused.
    ``cited_recall`` is the share of the gold places that are cited, ``cited_precision`` the share of gold
    among the places cited (a passage over two pages cites both), of answers that cite any. ``grounded`` is
    of answers that are given: whether every sentence cites and none is flagged. ``refused``: the documents
    are said not to say it.
    """
    cited = set(cited_places(answer, part, question))
    right = len(cited & question.gold.keys())
    values = matches(said_in(answer), gold_answers(question.fields))
    values |= {"cited_recall": right / len(question.gold), "cited_f1": f1(cited, question.gold)}
    if cited:
        values["cited_precision"] = right / len(cited)
    if answer.found:
        values["grounded"] = float(answer.grounded)
    return values | {"refused": float(not answer.found)} | dict(taken(answer))


def nothing(question: Question) -> dict[str, float]:
    """The metrics of a question that failed: nothing was said and nothing cited, nor was it refused."""
    return matches("", gold_answers(question.fields)) | {"cited_recall": 0.0, "cited_f1": 0.0}


def taken(answer: Answer, prefix: str = "") -> Iterator[tuple[str, float]]:
    """What an answer took of a model: its calls and tokens."""
    yield f"{prefix}calls", float(answer.calls)
    yield f"{prefix}tokens_in", float(answer.tokens.tokens_in)
    yield f"{prefix}tokens_out", float(answer.tokens.tokens_out)


def spent(values: list[Mapping[str, float]]) -> dict[str, dict[str, int]]:
    """What models took in all, by what it was for: ``answer``, ``withheld`` and ``judge``."""
    stages = {"answer": "", "withheld": "withheld_", "judge": "judge_"}
    names = {"calls": "calls", "in": "tokens_in", "out": "tokens_out"}
    found = {
        stage: {name: int(sum(each.get(prefix + key, 0) for each in values)) for name, key in names.items()}
        for stage, prefix in stages.items()
    }
    return {stage: counts for stage, counts in found.items() if counts["calls"]}
