"""What a question is answered with: sentences, each with what it stands on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any

from ...indexer.types import Citation
from ..result import SearchResult, citation_to_json
from ..tokens import TokenCount as TokenCount


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer. ``flags`` say what of it does not stand in what it cites."""

    text: str
    citations: tuple[Citation, ...]
    flags: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The sentence as JSON values."""
        return {
            "text": self.text,
            "citations": [citation_to_json(citation) for citation in self.citations],
            "flags": list(self.flags),
        }


@dataclass(frozen=True, slots=True)
class Statement:
    """What one edition of a document says, and from when on it says so."""

    text: str
    citation: Citation
    edition: str | None
    valid_from: date | None

    def to_json(self) -> dict[str, Any]:
        """The statement as JSON values."""
        return {
            "text": self.text,
            "citation": citation_to_json(self.citation),
            "edition": self.edition,
            "valid_from": self.valid_from.isoformat() if self.valid_from else None,
        }


@dataclass(frozen=True, slots=True)
class Conflict:
    """Editions of a document that state other figures for the same thing, the newest first."""

    statements: tuple[Statement, ...]

    def to_json(self) -> dict[str, Any]:
        """The conflict as JSON values."""
        return {"statements": [statement.to_json() for statement in self.statements]}


@dataclass(frozen=True, slots=True)
class Step:
    """One search of an agentic answer, in the order that they were made.

    ``found`` counts the hits that no search before it had. The last step of a ``round`` has the model's
    verdict on all evidence so far: whether it is ``enough`` (None where it was not asked), what is
    ``missing``, the ``tokens`` (in and out) that this took, and ``why`` nothing more was searched. A search
    that failed has its own reason there.
    """

    round: int
    question: str
    route: str
    found: int
    enough: bool | None = None
    missing: str = ""
    why: str = ""
    tokens: int = 0

    def to_json(self) -> dict[str, Any]:
        """The step as JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer and all that it rests on.

    ``text`` marks what each sentence cites: ``[2]`` is the second of ``citations``. ``grounded``: every
    sentence is cited, and none has a flag. ``found`` is False where the documents do not say; then
    ``text`` says so and ``nearest`` has the places nearest to the question. ``result`` is the search that
    the evidence came from; its ``degraded`` names ``llm`` where the model failed and an extract took its
    place. ``model`` is empty for an extract. ``faults`` counts what was rejected of a model's words, by
    reason. ``steps`` is the trace of an answer that took several searches, ``failure`` why a
    model was done without.
    """

    question: str
    text: str
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    grounded: bool
    found: bool
    nearest: tuple[Citation, ...]
    conflicts: tuple[Conflict, ...]
    result: SearchResult
    calls: int = 0
    tokens: TokenCount = field(default_factory=TokenCount)
    model: str = ""
    steps: tuple[Step, ...] = ()
    faults: Mapping[str, int] = field(default_factory=dict)
    failure: str = ""

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values, schema 1: the keys of the search, and its own."""
        return {
            **self.result.to_json(),
            "question": self.question,
            "searched": self.result.question,
            "answer": self.text,
            "sentences": [sentence.to_json() for sentence in self.sentences],
            "citations": [citation_to_json(citation) for citation in self.citations],
            "grounded": self.grounded,
            "found": self.found,
            "nearest": [citation_to_json(citation) for citation in self.nearest],
            "conflicts": [conflict.to_json() for conflict in self.conflicts],
            "calls": self.calls,
            "tokens": self.tokens.to_json(),
            "model": self.model,
            "steps": [step.to_json() for step in self.steps],
            "faults": dict(self.faults),
            "failure": self.failure,
        }
