"""What a model saw on a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..indexer.types import Citation
from .answer.result import TokenCount
from .result import SCHEMA, citation_to_json


@dataclass(frozen=True, slots=True)
class Looked:
    """What a model saw on a page. ``found`` is False where the page does not show what was asked; then
    ``text`` says so and nothing is cited. ``cost`` is None where the model's prices are not known.
    ``seconds`` by step."""

    question: str
    source: str
    page: int
    generation: int
    text: str
    found: bool
    citations: tuple[Citation, ...]
    model: str
    calls: int
    tokens: TokenCount
    cost: float | None
    seconds: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values, schema 1."""
        return {
            "schema": SCHEMA,
            "question": self.question,
            "source": self.source,
            "page": self.page,
            "generation": self.generation,
            "found": self.found,
            "text": self.text,
            "citations": [citation_to_json(citation) for citation in self.citations],
            "model": self.model,
            "calls": self.calls,
            "tokens": self.tokens.to_json(),
            "cost": self.cost,
            "seconds": {step: round(value, 3) for step, value in self.seconds.items()},
        }
