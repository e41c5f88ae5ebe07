"""What a build did, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .planning.plan import Plan

from ..indexer.models.usage import known_cost


@dataclass(frozen=True, slots=True)
class Failure:
    """An input that failed. ``stale``: its last good version is still what the index holds. ``known``: an
    earlier run told of it, and the file has not changed since."""

    source: str
    reason: str
    message: str
    stale: bool = False
    known: bool = False


@dataclass(slots=True)
class BuildReport:
    """What changed, what failed, what it took. ``generation`` is None where nothing was published.

    Lists hold sources, sorted. ``seconds`` is wall time by stage (stages overlap; ``total`` is the
    build), ``cpu_seconds`` processor time by stage (see :class:`.stage_clock.StageClock`), ``tokens`` and
    ``cost`` count model calls by stage, ``peak_memory`` is the proportional set
    size of all processes of the build, in bytes. ``entities``, ``relations`` and ``communities`` are None
    where the graph's store does not say. ``degraded`` counts what fell back, by reason, ``redacted``
    the secrets that were replaced in what this build read, by kind, ``purged`` what a
    purge cleared. ``read`` counts the
    pages that the index holds by the way in which they were read (text, ocr, native), ``unreadable`` are, by
    source, the numbers of those that show something and gave nothing. ``owed`` counts by stage what a model
    was to make and could not be asked for (see :mod:`.owed`), ``waiting`` the calls that are in batches.
    ``run`` is the id that the history of runs has it under. ``plan`` is what was
    planned for this build, None where nobody asked.
    """

    run: str | None = None
    generation: int | None = None
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    renamed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    ignored: dict[str, int] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)
    degraded: dict[str, int] = field(default_factory=dict)
    owed: dict[str, int] = field(default_factory=dict)
    waiting: int = 0
    redacted: dict[str, int] = field(default_factory=dict)
    purged: dict[str, int] = field(default_factory=dict)
    pages: int = 0
    read: dict[str, int] = field(default_factory=dict)
    unreadable: dict[str, list[int]] = field(default_factory=dict)
    chunks: int = 0
    nodes: int = 0
    entities: int | None = 0
    relations: int | None = 0
    communities: int | None = 0
    embedded: int = 0
    reused: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    cpu_seconds: dict[str, float] = field(default_factory=dict)
    tokens: dict[str, dict[str, int]] = field(default_factory=dict)
    cost: dict[str, float] = field(default_factory=dict)
    peak_memory: int = 0
    behind: dict[str, int | None] = field(default_factory=dict)
    dry_run: bool = False
    plan: Plan | None = None

    def to_json(self) -> dict[str, Any]:
        """The report under the outside contract (``"schema": 1``)."""
        return {
            "schema": 1,
            "run": self.run,
            "generation": self.generation,
            "dry_run": self.dry_run,
            "documents": {
                "added": sorted(self.added),
                "changed": sorted(self.changed),
                "renamed": sorted(self.renamed),
                "unchanged": len(self.unchanged),
                "removed": sorted(self.removed),
                "failed": [_failure_json(f) for f in sorted(self.failed, key=lambda f: f.source)],
            },
            **{name: getattr(self, name) for name in _COUNTS},
            "read": self.read,
            "unreadable": self.unreadable,
            "ignored": self.ignored,
            "dropped": self.dropped,
            "degraded": self.degraded,
            "owed": self.owed,
            "waiting": self.waiting,
            "redacted": self.redacted,
            "purged": self.purged,
            "seconds": {stage: round(value, 3) for stage, value in self.seconds.items()},
            "cpu_seconds": {stage: round(value, 3) for stage, value in self.cpu_seconds.items()},
            "tokens": self.tokens,
            "cost": {stage: self.known_cost(stage) for stage in self.cost},
            "peak_memory": self.peak_memory,
            "behind": self.behind,
            "plan": None if self.plan is None else self.plan.to_json(),
        }

    def known_cost(self, stage: str) -> float | None:
        """What a stage's calls cost, None where their prices are not known."""
        tokens = self.tokens.get(stage, {})
        return known_cost(self.cost.get(stage, 0.0), tokens.get("in", 0) + tokens.get("out", 0))

    def add(self, counts: Mapping[str, int], to: str) -> None:
        """Add counts by reason to ``dropped``, ``ignored``, ``degraded`` or ``redacted``."""
        target: dict[str, int] = getattr(self, to)
        for reason, count in counts.items():
            target[reason] = target.get(reason, 0) + count


_COUNTS = ("pages", "chunks", "nodes", "entities", "relations", "communities", "embedded", "reused")


def _failure_json(failure: Failure) -> dict[str, Any]:
    return {
        "source": failure.source,
        "reason": failure.reason,
        "message": failure.message,
        "stale": failure.stale,
        "known": failure.known,
    }
