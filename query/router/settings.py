"""The settings of the router, the ``[router]`` table of the configuration."""

from __future__ import annotations

from dataclasses import dataclass

from ...indexer.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class RouterSettings:
    """How ``auto`` chooses.

    A route other than hybrid is taken where its score is ahead of hybrid's by ``margin``; where it is ahead
    by less, both are asked and joined. A question that asks several things is taken apart into at most
    ``parts`` (1: never). ``enumerate``: questions for how many, or for all of a kind, get a list of what the
    index knows besides. ``model``: the language model of [llm], where there is one, has a word on the route
    and the parts. A store that failed is tried again after ``retry`` seconds.
    """

    margin: float = 0.3
    parts: int = 4
    enumerate: bool = True
    model: bool = False
    retry: float = 30.0

    def __post_init__(self) -> None:
        """Raises ConfigurationError for a value out of its range."""
        checks = (
            ("margin", self.margin, 0 <= self.margin <= 1, "between 0 and 1"),
            ("parts", self.parts, 1 <= self.parts <= 10, "between 1 and 10"),
            ("retry", self.retry, self.retry >= 0, "0 or more"),
        )
        for name, value, valid, expected in checks:
            if not valid:
                raise ConfigurationError(f"router.{name} must be {expected}, not {value!r}")
