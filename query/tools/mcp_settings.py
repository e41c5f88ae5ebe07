"""The settings of the server for agents, the ``[serve]`` table of the configuration."""

from __future__ import annotations

from dataclasses import dataclass

from ...indexer.errors import ConfigurationError

LEAST_TOKENS = 800
"""What one result needs for its ids, its place and some text."""


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """How the tools for agents answer: a result has at most ``tokens`` tokens, as the index counts them, and
    a cursor for what is left; ``parallel`` calls are answered side by side."""

    tokens: int = 2000
    parallel: int = 4

    def __post_init__(self) -> None:
        """Raises ConfigurationError for a value out of its range."""
        for name, value, least in (("tokens", self.tokens, LEAST_TOKENS), ("parallel", self.parallel, 1)):
            if value < least:
                raise ConfigurationError(f"serve.{name} must be at least {least}, not {value}")
