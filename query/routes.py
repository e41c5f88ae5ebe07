"""Which route answers a question."""

from __future__ import annotations

from collections.abc import Mapping

from ..indexer.errors import ConfigurationError, RouteUnavailable
from .result import RouteDecision

ROUTES = ("auto", "hybrid", "tree", "graph")
ALONE = "no other structure is built"
"""Why auto is hybrid where there is nothing to choose from."""


def decide(route: str, structures: Mapping[str, int]) -> RouteDecision:
    """The route for what was asked, given the ``structures`` that the index holds. ``auto`` uses none yet
    where there is more than one: :mod:`.router` chooses by the question.

    Raises ConfigurationError for an unknown route, RouteUnavailable for one whose structure is not built.
    """
    if route not in ROUTES:
        raise ConfigurationError(f"unknown route {route!r}; use one of {', '.join(ROUTES)}")
    if route in ("tree", "graph") and route not in structures:
        raise not_built(route)
    if route != "auto":
        return RouteDecision(asked=route, used=(route,), why="it was asked for", scores={route: 1.0})
    if structures.keys() & {"tree", "graph"}:
        return RouteDecision(asked=route, used=(), why="it is chosen for each question")
    return RouteDecision(asked=route, used=("hybrid",), why=ALONE, scores={"hybrid": 1.0})


def not_built(structure: str) -> RouteUnavailable:
    """What is raised where the tree or the graph is asked for and there is none."""
    return RouteUnavailable(
        f"this index holds no {structure}: treegraph build SOURCE... (without --without {structure}) makes "
        "it; meanwhile use --route hybrid"
    )
