"""What a stage's model calls took, and what fell back to the way without a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class ModelCounts:
    """Calls that a model answered (``calls``) and that the cache did, tokens, money, and by reason what fell
    back."""

    calls: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    fallen_back: dict[str, int] = field(default_factory=dict)

    def add(
        self,
        *,
        calls: int,
        cached: int,
        tokens_in: int,
        tokens_out: int,
        cost: float,
        fallen_back: Mapping[str, int],
    ) -> None:
        """Add what one piece of work took."""
        self.calls += calls
        self.cached += cached
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out
        self.cost += cost
        for reason, count in fallen_back.items():
            self.fallen_back[reason] = self.fallen_back.get(reason, 0) + count
