"""The settings of the tools for agents; the server's are the ``[serve]`` table of the configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...indexer.errors import ConfigurationError
from ..routes import ROUTES

TOKENS = 2000
"""Of one result, unless it is said otherwise."""
LEAST_TOKENS = 800
"""What one result needs for its ids, its place and some text."""


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """How the tools for agents answer: a result has at most about ``tokens`` tokens, and a cursor for what is
    left; ``parallel`` calls are answered side by side. A search gives what there is after
    ``deadline`` seconds (0: without a limit)."""

    tokens: int = TOKENS
    parallel: int = 4
    deadline: float = 30.0

    def __post_init__(self) -> None:
        """Raises ConfigurationError for a value out of its range."""
        for name, value, least in (("tokens", self.tokens, LEAST_TOKENS), ("parallel", self.parallel, 1)):
            if value < least:
                raise ConfigurationError(f"serve.{name} must be at least {least}, not {value}")
        if not self.deadline >= 0:
            raise ConfigurationError(f"serve.deadline must be 0 or more, not {self.deadline}")


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """Tools within a program: for a reader with ``labels`` (None: the owner, []: the public), with at most
    about ``budget`` tokens a result. ``route`` and ``k`` hold where the agent does not choose. A search
    gives what there is after ``deadline`` seconds (None: without a limit)."""

    labels: Sequence[str] | None = None
    budget: int = TOKENS
    route: str = "auto"
    k: int = 10
    deadline: float | None = None

    def __post_init__(self) -> None:
        """Raises ConfigurationError for a value out of its range."""
        if isinstance(self.labels, str):
            raise ConfigurationError("labels takes a list of texts, not one text")
        if self.labels is not None:
            object.__setattr__(self, "labels", tuple(self.labels))
        checks = (
            ("budget", self.budget, self.budget >= LEAST_TOKENS, f"at least {LEAST_TOKENS}"),
            ("route", self.route, self.route in ROUTES, f"one of {', '.join(ROUTES)}"),
            ("deadline", self.deadline, self.deadline is None or self.deadline >= 0, "0 seconds or more"),
            ("k", self.k, 1 <= self.k <= 100, "from 1 to 100"),
        )
        for name, value, valid, expected in checks:
            if not valid:
                raise ConfigurationError(f"{name} of the tools is {expected}, not {value!r}")
