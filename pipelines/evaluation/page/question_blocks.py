"""Questions as blocks of a page: in full while they fit, the rest in a line each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...marking import question_forms, snippet
from ..kept_hits import QUESTIONS
from ..outcomes import FoundHit, Outcome
from ..shown import figure, one_line, seconds
from .diagnosis import verdict
from .failures import AskedQuestion, Result
from .standalone import macros

FULL_BYTES = 6_000_000
"""What all blocks in full may take together."""
GOLD = 30
"""Gold places of a question that are shown."""
_SNIPPET, _AGAIN, _CITED, _TEXT, _FIELD = 200, 60, 120, 160, 300

Segment = tuple[str, bool]
"""A stretch of text, and whether the question's words are in it."""


@dataclass(frozen=True, slots=True)
class _Found:
    """One hit: its text cut to the part that bears on the question (shorter where a configuration before
    has shown it already), the tokens up to it."""

    rank: int
    hit: FoundHit
    cited: str
    text: tuple[Segment, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What came of the question in one configuration: ``gold`` is place -> (where it stood, what became
    of it), ``like`` the number of an earlier configuration that found just the same."""

    result: Result
    facts: str
    hits: tuple[_Found, ...]
    gold: Mapping[str, tuple[Mapping[str, int | None], str]]
    like: int | None


def question_blocks(
    questions: Sequence[AskedQuestion], choices: Mapping[str, Sequence[str]], steps: Sequence[str]
) -> tuple[list[Any], list[Any]]:
    """(blocks in full, lines for the rest) of ``questions``, which are sorted worst first. ``choices``
    are the slices that a reader can choose, ``steps`` the lists and steps whose ranks are shown."""
    made = macros("questions.html.jinja", __package__)
    numbers = {
        (field, value): str(number)
        for number, (field, value) in enumerate(
            (field, value) for field, values in choices.items() for value in values
        )
    }
    full: list[Any] = []
    brief: list[Any] = []
    size = 0
    for place, question in enumerate(questions, start=1):
        chosen = " ".join(numbers[choice] for choice in question.choices if choice in numbers)
        shared = {"place": place, "question": question, "chosen": chosen, "values": _values(question)}
        if not brief and len(full) < QUESTIONS:
            block = made.full(
                **shared,
                fields=_fields(question),
                places=_places(question),
                most=GOLD,
                outcomes=_outcomes(question),
                steps=steps,
            )
            size += len(block.encode("utf-8", "backslashreplace"))
            if size <= FULL_BYTES:
                full.append(block)
                continue
        brief.append(made.brief(**shared, text=one_line(question.text, _TEXT)))
    return full, brief


def _values(question: AskedQuestion) -> list[tuple[str, str]]:
    """(name, headline metric) in each configuration; a dash where the search failed."""
    return [(result.name, _headline(result.outcome, question.metric)) for result in question.results]


def _headline(outcome: Outcome, metric: str) -> str:
    if outcome.error is not None:
        return "failed"
    return figure(metric, outcome.values[metric]) if metric in outcome.values else "—"


def _fields(question: AskedQuestion) -> dict[str, str]:
    return {str(name): one_line(str(value), _FIELD) for name, value in question.fields.items()}


def _places(question: AskedQuestion) -> list[str]:
    """The gold places; a configuration in which the search failed has none."""
    return list(dict.fromkeys(place for result in question.results for place in result.outcome.standing))


def _outcomes(question: AskedQuestion) -> list[_Outcome]:
    forms = question_forms(question.text)
    seen: dict[tuple[Any, ...], int] = {}
    shown: set[str] = set()
    outcomes = []
    for result in question.results:
        outcome = result.outcome
        like = seen.setdefault(_identity(outcome), result.number)
        same = like != result.number
        outcomes.append(
            _Outcome(
                result,
                _facts(outcome, question.metric),
                () if same else tuple(_found(outcome.hits, forms, shown)),
                {place: (standing, verdict(standing)) for place, standing in outcome.standing.items()},
                like if same else None,
            )
        )
    return outcomes


def _facts(outcome: Outcome, metric: str) -> str:
    """The question's own figures in one configuration."""
    names = [name for name in dict.fromkeys((metric, "mrr", "recall@10")) if name in outcome.values]
    figures = [f"{name} {figure(name, outcome.values[name])}" for name in names]
    return ", ".join([*figures, seconds(outcome.seconds)])


def _identity(outcome: Outcome) -> tuple[Any, ...]:
    hits = tuple((hit.id, hit.score, tuple(hit.ranks.items())) for hit in outcome.hits)
    standing = tuple((place, tuple(ranks.items())) for place, ranks in outcome.standing.items())
    return (outcome.error, outcome.degraded, hits, standing)


def _found(hits: Sequence[FoundHit], forms: frozenset[str], shown: set[str]) -> Iterator[_Found]:
    """The hits in order; what is in ``shown`` is told more shortly, and what is told is added to it."""
    total = 0
    for rank, hit in enumerate(hits, start=1):
        total += hit.tokens
        width = _AGAIN if hit.id in shown else _SNIPPET
        shown.add(hit.id)
        yield _Found(
            rank,
            hit,
            _middle_out(one_line(hit.cited), _CITED),
            tuple(_segments(hit.text, forms, width)),
            total,
        )


def _segments(text: str, forms: frozenset[str], width: int) -> Iterator[Segment]:
    part = snippet(one_line(text), forms, width)
    at = 0
    for start, end in part.marks:
        if at < start:
            yield part.text[at:start], False
        yield part.text[start:end], True
        at = end
    if at < len(part.text):
        yield part.text[at:], False


def _middle_out(text: str, width: int) -> str:
    """At most ``width`` characters: of a long citation the document and the innermost section stay."""
    if len(text) <= width:
        return text
    head, tail = text[: width // 2], text[3 - width // 2 :]
    return f"{head.rpartition(' ')[0] or head} … {tail.partition(' ')[2] or tail}"
