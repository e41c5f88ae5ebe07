"""The settings of the tree, the ``[tree]`` table of the configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ..errors import ConfigurationError
from .skeleton import Limits

ShapeName = Literal["outline", "leiden", "gmm"]
SummaryBy = Literal["extractive", "model"]

_WINDOW = 3500
"""Tokens of passages that one summary is made of at most, whoever writes it."""


@dataclass(frozen=True, slots=True)
class TreeSettings:
    """How the tree over the chunks is made.

    ``shape``: ``outline`` (the author's sections, similarity inside large ones and above documents),
    ``leiden`` (similarity alone), or ``gmm`` (the paper's clustering; needs the extra ``tree-paper``).
    A node has at most ``members`` children. ``summary``: sentences chosen from the text (``extractive``)
    or written by the configured model, in at most ``tokens`` tokens and in ``language``: ``source``, the
    documents' own, or one that is named.
    """

    shape: ShapeName = "outline"
    members: int = 15
    summary: SummaryBy = "extractive"
    tokens: int = 120
    language: str = "source"

    def __post_init__(self) -> None:
        """Raises ConfigurationError for a value out of its range."""
        checks = (
            ("shape", self.shape, self.shape in get_args(ShapeName), "outline, leiden or gmm"),
            ("members", self.members, self.members >= 2, "at least 2"),
            ("summary", self.summary, self.summary in get_args(SummaryBy), "extractive or model"),
            ("tokens", self.tokens, 20 <= self.tokens <= _WINDOW // 2, f"between 20 and {_WINDOW // 2}"),
            ("language", self.language, bool(self.language), '"source" or the name of a language'),
        )
        for name, value, valid, expected in checks:
            if not valid:
                raise ConfigurationError(f"tree.{name} must be {expected}, not {value!r}")

    @property
    def limits(self) -> Limits:
        """What one node's summary may be made of."""
        return Limits(members=self.members, tokens=_WINDOW, summary=self.tokens)
