"""What is asked of a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from ..indexer.errors import ConfigurationError
from .settings import SearchSettings


@dataclass(frozen=True, slots=True)
class Request:
    """A question and how it is to be answered; None stands for the setting's value."""

    question: str
    k: int | None = None
    route: str | None = None
    labels: Sequence[str] | None = None
    filters: Sequence[str] = ()
    sources: Sequence[str] = ()
    as_of: date | None = None
    neighbours: int | None = None
    min_relevance: float | None = None
    explain: bool = False
    rerank: bool | None = None
    deadline: float | None = None
    min_confidence: float | None = None

    def settled(self, settings: SearchSettings) -> SearchSettings:
        """``settings`` with what this request asks otherwise. Raises ConfigurationError."""
        if not isinstance(self.question, str) or not self.question.strip():
            raise ConfigurationError("the question is empty")
        for name in ("labels", "filters", "sources"):
            if isinstance(getattr(self, name), str):
                raise ConfigurationError(f"{name} takes a list of texts, not one text")
        if self.as_of is not None and not isinstance(self.as_of, date):
            raise ConfigurationError(f"as_of takes a date, not {self.as_of!r}")
        if self.deadline is not None and not self.deadline >= 0:
            raise ConfigurationError(f"deadline takes seconds, 0 or more, not {self.deadline!r}")
        asked = {
            name: getattr(self, name)
            for name in ("k", "route", "neighbours", "min_relevance", "min_confidence")
            if getattr(self, name) is not None
        }
        return replace(settings, **asked)
