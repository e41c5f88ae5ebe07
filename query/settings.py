"""The settings of a search, the ``[search]`` table of the configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ..indexer.errors import ConfigurationError

Fusion = Literal["maximum", "minmax", "rrf"]


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How a question is answered with hits.

    ``k`` hits are returned. ``prefetch`` candidates come from each list. ``fusion`` is how both become one
    order: each divided by its ``maximum``, spread by ``minmax``, or ``rrf``, by reciprocal ranks alone.
    ``weight`` is the share of the dense list in the fused score (0..1), None: chosen for each question by
    how far each list's first hit stands out, and a half for ``rrf``.

    The first ``phrase_window`` candidates are looked at more closely: ``phrase_bonus`` is what a chunk
    gains that holds all of the question's adjacent word pairs, ``run_bonus`` one that holds all of its
    runs of three words, ``figure_bonus`` one that holds all of its figures, ``heading_bonus`` what it
    gains under a heading that says just what the question says, ``neighbour_bonus`` the share of its
    neighbours' mean score that it gains.

    ``neighbours`` chunks on either side come with each hit. Hits below ``min_relevance`` (0..1) are left
    out, and passages from pages of which OCR or a model was less sure than ``min_confidence`` (0..1; a text
    layer is sure). ``route`` is the default route.
    """

    k: int = 10
    prefetch: int = 100
    fusion: Fusion = "maximum"
    weight: float | None = None
    phrase_bonus: float = 0.3
    run_bonus: float = 0.3
    figure_bonus: float = 0.1
    heading_bonus: float = 0.3
    neighbour_bonus: float = 0.1
    phrase_window: int = 40
    neighbours: int = 0
    min_relevance: float = 0.0
    min_confidence: float = 0.0
    route: str = "auto"

    def __post_init__(self) -> None:
        """Raises ConfigurationError for a value out of its range."""
        checks = (
            ("k", self.k, self.k >= 1, "at least 1"),
            ("prefetch", self.prefetch, self.prefetch >= 1, "at least 1"),
            ("fusion", self.fusion, self.fusion in get_args(Fusion), f"one of {', '.join(get_args(Fusion))}"),
            ("weight", self.weight, self.weight is None or 0 <= self.weight <= 1, "between 0 and 1"),
            ("phrase_bonus", self.phrase_bonus, self.phrase_bonus >= 0, "0 or more"),
            ("run_bonus", self.run_bonus, self.run_bonus >= 0, "0 or more"),
            ("figure_bonus", self.figure_bonus, self.figure_bonus >= 0, "0 or more"),
            ("heading_bonus", self.heading_bonus, self.heading_bonus >= 0, "0 or more"),
            ("neighbour_bonus", self.neighbour_bonus, self.neighbour_bonus >= 0, "0 or more"),
            ("phrase_window", self.phrase_window, self.phrase_window >= 0, "0 or more"),
            ("neighbours", self.neighbours, self.neighbours >= 0, "0 or more"),
            ("min_relevance", self.min_relevance, 0 <= self.min_relevance <= 1, "between 0 and 1"),
            ("min_confidence", self.min_confidence, 0 <= self.min_confidence <= 1, "between 0 and 1"),
        )
        for name, value, valid, expected in checks:
            if not valid:
                raise ConfigurationError(f"search.{name} must be {expected}, not {value}")
