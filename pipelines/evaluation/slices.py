"""The same metrics over parts of the questions: by a field of the query, by document, by language."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from .intervals import means
from .outcomes import Outcome, Slice
from .places import record_of, source_of
from .questions import Part, Question

MOST = 30
"""A field with more values than this tells questions apart and does not group them."""
_NOT_GROUPS = ("answer", "answers", "aliases", "evidence", "from")

Value = Callable[[Question], str | None]


def slices_of(
    part: Part, outcomes: Sequence[Outcome], languages: Mapping[str, str | None]
) -> Iterator[Slice]:
    """A slice for every value of every field that groups the questions: it has several values, and more
    questions than values. ``outcomes`` are in the order of the questions; ``languages`` by source."""
    for field, value in _fields(part, languages):
        groups: dict[str, list[Outcome]] = {}
        for question, outcome in zip(part.questions, outcomes, strict=True):
            if (found := value(question)) is not None:
                groups.setdefault(found, []).append(outcome)
        if 1 < len(groups) <= min(MOST, len(outcomes) - 1):
            for name, group in sorted(groups.items()):
                yield Slice(field, name, len(group), means([outcome.values for outcome in group]))


def _fields(part: Part, languages: Mapping[str, str | None]) -> Iterator[tuple[str, Value]]:
    names = dict.fromkeys(name for question in part.questions for name in question.fields)
    for name in names:
        if name not in _NOT_GROUPS:
            yield name, partial(_field, name)
    if part.unit == "page":
        yield "document", _document
        yield "language", lambda question: languages.get(_document(question) or "")
        return
    known = {record_of(source): language for source, language in languages.items()}
    yield "document", _cut_document
    yield "language", partial(_language_of_records, known)


def _document(question: Question) -> str | None:
    """The document that all of a question's gold is in."""
    return _only({source_of(place, "page") for place in question.gold})


def _cut_document(question: Question) -> str | None:
    """The document that all of a question's gold records are cut from."""
    return _only({record.rpartition("#")[0] or None for record in question.gold})


def _language_of_records(known: Mapping[str, str | None], question: Question) -> str | None:
    """The language of all of a question's gold records, or of the documents that they are cut from."""
    return _only({known.get(record) or known.get(record.rpartition("#")[0]) for record in question.gold})


def _only(values: set[str | None]) -> str | None:
    return values.pop() if len(values) == 1 else None


def _field(name: str, question: Question) -> str | None:
    value = question.fields.get(name)
    return str(value) if isinstance(value, (str, int, bool)) else None
