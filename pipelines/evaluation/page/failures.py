"""The questions of an evaluation, worst first, each with what came of it in every configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..kept_hits import CONFIGURATIONS, badness
from ..outcomes import EvaluationReport, Outcome, Row
from ..places import source_of
from ..shown import config_name, headline, rows_by_set
from .diagnosis import VERDICTS, tally, verdicts

MOST_VALUES = 40
"""A field with more different values than this is not offered as a choice."""

Choice = tuple[str, str]
"""A field and one of its values."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a question in the configuration of that number (from 1 on), by the name of it."""

    number: int
    name: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question with its results, the first configuration's first. ``metric`` is the headline that its
    set is ordered by, ``choices`` the slices that it is in."""

    id: str
    set: str
    text: str
    fields: Mapping[str, Any]
    metric: str
    results: tuple[Result, ...]
    choices: tuple[Choice, ...]

    @property
    def badness(self) -> tuple[float, float, str, str]:
        """Sorts the worst first: by the headline metric in the first configuration, then by mrr; one
        whose search failed before all others."""
        return (*badness(self.results[0].outcome, self.metric), self.set, self.id)


def worst_first(report: EvaluationReport, axes: Sequence[str]) -> list[AskedQuestion]:
    """Every question that was asked in the first configuration of its set; ``axes`` name the
    configurations."""
    questions: list[AskedQuestion] = []
    for place, rows in rows_by_set(report.rows).items():
        named = [(number, config_name(row.config, axes), row) for number, row in enumerate(rows, start=1)]
        questions += _of_set(place, named[:CONFIGURATIONS], report.questions.get(place, {}))
    return sorted(questions, key=lambda question: question.badness)


def offered(questions: Sequence[AskedQuestion]) -> dict[str, list[str]]:
    """The choices worth offering: fields with at least two values and not too many, values sorted."""
    values: dict[str, set[str]] = {}
    for question in questions:
        for field, value in question.choices:
            values.setdefault(field, set()).add(value)
    return {field: sorted(found) for field, found in values.items() if 2 <= len(found) <= MOST_VALUES}


def lost_where(rows: Sequence[Row]) -> dict[str, list[int]]:
    """For each verdict that any row has, how many gold places each row has with it."""
    counted = [tally(row.outcomes) for row in rows]
    return {found: counts for found in VERDICTS if any(counts := [row[found] for row in counted])}


def _of_set(
    place: str, rows: Sequence[tuple[int, str, Row]], known: Mapping[str, Mapping[str, Any]]
) -> Iterator[AskedQuestion]:
    metric = headline(rows[0][2])
    by_question = [
        (number, name, {outcome.question: outcome for outcome in row.outcomes}) for number, name, row in rows
    ]
    for outcome in rows[0][2].outcomes:
        results = tuple(
            Result(number, name, found[outcome.question])
            for number, name, found in by_question
            if outcome.question in found
        )
        said = known.get(outcome.question, {})
        fields: Mapping[str, Any] = said.get("fields", {})
        yield AskedQuestion(
            outcome.question,
            place,
            str(said.get("text", "")),
            fields,
            metric,
            results,
            tuple(dict.fromkeys(_choices(place, fields, outcome))),
        )


def _choices(place: str, fields: Mapping[str, Any], outcome: Outcome) -> Iterator[Choice]:
    yield ("set", place)
    for found in verdicts(outcome):
        yield ("what became of the gold", found)
    for step in outcome.degraded:
        yield ("done without", step)
    for field, value in fields.items():
        if isinstance(value, str | int | float):
            yield (field, str(value))
    for gold in outcome.standing:
        if source := source_of(gold, "page"):
            yield ("document", source)
