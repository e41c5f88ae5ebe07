"""What the routes of one search found, put together."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ..question import Candidate, Found
from ..result import RouteDecision
from .decision import Evidence
from .joining import by_rank

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Routed:
    """What a route found. ``degraded`` names what was done without; ``seen`` is what a choice was made by, as
    JSON values."""

    found: Found
    decision: RouteDecision
    degraded: tuple[str, ...] = ()
    seen: Mapping[str, Any] = field(default_factory=dict)


def nothing(decision: RouteDecision) -> Routed:
    """Nothing, since not even hybrid was in time."""
    why = "; ".join([*filter(None, [decision.why]), "the time was up before anything was found"])
    return Routed(Found(()), replace(decision, used=(), why=why), ("hybrid",))


class Outcome:
    """What the routes of one search found, and what was done without."""

    def __init__(self, hybrid: Found) -> None:
        self.hybrid = hybrid
        self.found: dict[str, Found] = {}
        self.poor: list[str] = []
        self.degraded: list[str] = []

    def add(self, route: str, found: Found) -> None:
        """What a route found."""
        self.found[route] = found

    def without(self, route: str, reason: str) -> None:
        """That a route did not answer."""
        log.warning("without the %s: %s", route, reason)
        if route not in self.degraded:
            self.degraded.append(route)

    def routed(self, decision: RouteDecision, seen: Evidence, limit: int) -> Routed:
        """The whole of it."""
        used = tuple(self.found) or ("hybrid",)
        late = tuple(step for found in self.found.values() for step in found.late)
        why = "; ".join(
            [
                decision.why,
                *(f"{route} found nothing of its own" for route in self.poor),
                *(f"{route} did not answer" for route in self.degraded),
            ]
        )
        lists = [self.found[route].candidates for route in used if route in self.found]
        found = self.found.get(used[0], self.hybrid)
        if len(lists) > 1:
            found = replace(found, candidates=by_rank(lists)[:limit])
        return Routed(
            replace(found, late=late),
            replace(decision, used=used, why=why),
            tuple(self.degraded),
            {**asdict(seen.features), **asdict(seen.probes), **asdict(seen.linked), "titled": seen.titled},
        )


def weak(route: str, found: Found) -> bool:
    """Whether a route found but what hybrid did: a tree no summary, a graph nothing that it knows."""
    if route == "graph":
        return not getattr(found, "links", ())
    return not any(_is_node(one) for one in found.candidates)


def _is_node(candidate: Candidate) -> bool:
    return bool(candidate.payload["kind"] == "node")
