"""What a model's calls took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..indexer.models.ports import Completion


@dataclass(frozen=True, slots=True)
class TokenCount:
    """Tokens of a model's calls. ``cached_in`` is the part of ``tokens_in`` that the provider had cached;
    ``estimated`` says that some of the counts are our own."""

    tokens_in: int = 0
    tokens_out: int = 0
    cached_in: int = 0
    estimated: bool = False

    @classmethod
    def of(cls, done: Completion) -> TokenCount:
        """Those of one call."""
        return cls(done.tokens_in, done.tokens_out, done.cached_in, done.estimated)

    def __add__(self, other: TokenCount) -> TokenCount:
        return TokenCount(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.cached_in + other.cached_in,
            self.estimated or other.estimated,
        )

    def to_json(self) -> dict[str, Any]:
        """The counts as JSON values."""
        return {
            "in": self.tokens_in,
            "out": self.tokens_out,
            "cached": self.cached_in,
            "estimated": self.estimated,
        }
