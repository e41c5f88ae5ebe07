"""A question, and how it is to be answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from ...indexer.errors import ConfigurationError
from ..request import Request
from .settings import AnswerSettings
from .wording import language_named, question_language


@dataclass(frozen=True, slots=True)
class Question:
    """A question and how it is to be answered; None stands for the setting's value."""

    text: str
    llm: Any = None
    k: int | None = None
    route: str | None = None
    labels: Sequence[str] | None = None
    filters: Sequence[str] = ()
    sources: Sequence[str] = ()
    as_of: date | None = None
    history: Sequence[Any] = ()
    language: str | None = None
    budget: int | None = None
    on_text: Callable[[str], None] | None = None
    deadline: float | None = None
    explain: bool = False
    agentic: bool = False

    def settled(self, settings: AnswerSettings) -> AnswerSettings:
        """``settings`` with what this question asks otherwise. Raises ConfigurationError."""
        if not isinstance(self.text, str) or not self.text.strip():
            raise ConfigurationError("the question is empty")
        if isinstance(self.history, str):
            raise ConfigurationError("history takes a list of turns, not one text")
        if self.deadline is not None and not self.deadline > 0:
            raise ConfigurationError(f"deadline must be above 0 seconds, not {self.deadline}")
        named = self.language or settings.language
        language = language_named(named) if named else question_language(self.text)
        budget = settings.budget if self.budget is None else self.budget
        return replace(settings, language=language, budget=budget)

    def request(self, text: str, route: str | None, deadline: float | None) -> Request:
        """The search for ``text``, by the route that was asked for where there is no other. The weights of
        its words are wanted in any case."""
        return Request(
            text, self.k, route or self.route, self.labels, self.filters, self.sources, self.as_of,
            explain=True, deadline=deadline,
        )  # fmt: skip
