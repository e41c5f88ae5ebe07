"""The settings of the graph route, the ``[graph_read]`` table of the configuration."""

from __future__ import annotations

from dataclasses import dataclass

from ..indexer.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class GraphReadSettings:
    """How the graph is read.

    A reader who may see at most ``whole`` mentions has the whole graph walked; else it is what lies around
    the entities of the question and the ``around`` best chunks, no entity giving more than ``spread`` of its
    mentions. Entities in more than the share ``common`` of all chunks lead nowhere.

    A name of the question that no entity has is taken for one whose name is ``alike`` it to this degree.
    Plain words that are an entity's name count ``phrase`` beside a name (1), and only where the question
    holds none.

    The walk begins anew with the probability ``restart``, at most ``steps`` times in a row, from the
    question's entities and from the ``candidates`` of the hybrid route, whose scores (over the best one's, to
    the ``power``) weigh ``passages`` times as much as the entities together.

    For each of the ``firsts`` best chunks, those that share a subject with it, or an entity that is in no
    more than ``rare`` chunks, gain ``second`` times the first one's score times how well they fit what the
    question says beyond it. ``seconds`` such chunks are looked at.

    Paths and hops have at most ``hops`` relations; their evidence gains ``path``. Where a sentence says of a
    name of the question what is asked of it, the passages about what stands beside it, and the sentence's
    own, gain up to ``told``. A broad question gets up to ``reports`` reports of communities, each with at
    most ``citations``. After ``time_limit`` seconds what was found so far is what there is.
    """

    whole: int = 300_000
    around: int = 20
    spread: int = 30
    common: float = 0.05
    alike: float = 0.85
    phrase: float = 0.1
    restart: float = 0.5
    steps: int = 25
    candidates: int = 100
    power: float = 6.0
    passages: float = 2.0
    firsts: int = 10
    rare: int = 10
    second: float = 0.7
    seconds: int = 100
    hops: int = 4
    path: float = 1.0
    told: float = 1.0
    reports: int = 2
    citations: int = 64
    time_limit: float = 2.0

    def __post_init__(self) -> None:
        """Raises ConfigurationError for a value out of its range."""
        counts = ("steps", "candidates", "around", "spread", "citations")
        shares = ("common", "alike", "phrase")
        amounts = ("whole", "passages", "firsts", "rare", "second", "seconds", "path", "told", "reports")
        checks = (
            *((name, getattr(self, name) >= 1, "at least 1") for name in counts),
            *((name, 0 <= getattr(self, name) <= 1, "between 0 and 1") for name in shares),
            *((name, getattr(self, name) >= 0, "0 or more") for name in amounts),
            ("restart", 0 < self.restart <= 1, "above 0 and at most 1"),
            ("power", self.power > 0, "above 0"),
            ("hops", 1 <= self.hops <= 4, "between 1 and 4"),
            ("time_limit", self.time_limit > 0, "above 0"),
        )
        for name, valid, expected in checks:
            if not valid:
                raise ConfigurationError(f"graph_read.{name} must be {expected}, not {getattr(self, name)!r}")
