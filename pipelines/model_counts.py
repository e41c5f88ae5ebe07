"""What a stage's model calls took, and what fell back to the way without a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Protocol


class ModelWork(Protocol):
    """A piece of work that a model may have done: what it took, and by reason what was rejected."""

    @property
    def calls(self) -> int: ...
    @property
    def cached(self) -> int: ...
    @property
    def tokens_in(self) -> int: ...
    @property
    def tokens_out(self) -> int: ...
    @property
    def cost(self) -> float: ...
    @property
    def estimated(self) -> int: ...
    @property
    def faults(self) -> Mapping[str, int]: ...


@dataclass(slots=True)
class ModelCounts:
    """Calls that a model answered (``calls``) and that the cache did, tokens, money, and by reason what fell
    back; of ``estimated`` calls the provider gave no counts. Several threads may add to it."""

    calls: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    estimated: int = 0
    fallen_back: dict[str, int] = field(default_factory=dict)
    _adding: Lock = field(default_factory=Lock, repr=False, compare=False)

    def __reduce__(self) -> tuple[object, ...]:
        """Counts travel between processes, without what guards them in one."""
        counts = (self.calls, self.cached, self.tokens_in, self.tokens_out, self.cost, self.estimated)
        return ModelCounts, (*counts, dict(self.fallen_back))

    @property
    def faults(self) -> Mapping[str, int]:
        """``fallen_back``: counts are themselves a piece of work, and may be taken by others."""
        return self.fallen_back

    def take(self, work: ModelWork) -> None:
        """Add what ``work`` took."""
        self.add(
            calls=work.calls,
            cached=work.cached,
            tokens_in=work.tokens_in,
            tokens_out=work.tokens_out,
            cost=work.cost,
            estimated=work.estimated,
            fallen_back=work.faults,
        )

    def add(
        self,
        *,
        calls: int,
        cached: int,
        tokens_in: int,
        tokens_out: int,
        cost: float,
        estimated: int = 0,
        fallen_back: Mapping[str, int],
    ) -> None:
        """Add what one piece of work took."""
        with self._adding:
            self.calls += calls
            self.cached += cached
            self.tokens_in += tokens_in
            self.tokens_out += tokens_out
            self.cost += cost
            self.estimated += estimated
            for reason, count in fallen_back.items():
                self.fallen_back[reason] = self.fallen_back.get(reason, 0) + count
