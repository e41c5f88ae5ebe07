"""The settings of answers, the ``[answer]`` table of the configuration."""

from __future__ import annotations

from dataclasses import dataclass

from ...indexer.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """How a question is answered in sentences.

    ``budget`` is how many tokens of evidence are gathered. ``tokens`` is the longest answer of a model,
    ``sentences`` the longest extract. ``floor`` (0..1): where no hit is as relevant, the documents do not
    say. ``language`` is a code; empty stands for the question's own. ``nearest`` is how many places are
    named where nothing was found. An agentic answer takes at most ``steps`` rounds of searches, and
    ``agent_tokens`` tokens, in and out, to judge them by.
    """

    budget: int = 2000
    tokens: int = 400
    sentences: int = 4
    floor: float = 0.3
    language: str = ""
    nearest: int = 3
    steps: int = 3
    agent_tokens: int = 10_000

    def __post_init__(self) -> None:
        """Raises ConfigurationError for a value out of its range."""
        least_of = {"budget": 50, "tokens": 16, "sentences": 1, "nearest": 0, "steps": 1, "agent_tokens": 0}
        for name, least in least_of.items():
            if getattr(self, name) < least:
                raise ConfigurationError(f"answer.{name} must be {least} or more, not {getattr(self, name)}")
        if not 0 <= self.floor <= 1:
            raise ConfigurationError(f"answer.floor must be between 0 and 1, not {self.floor}")
