"""Which route answers a question."""

from __future__ import annotations

from collections.abc import Mapping

from ..indexer.errors import ConfigurationError, RouteUnavailable
from .result import RouteDecision

ROUTES = ("auto", "hybrid", "tree", "graph")


def decide(route: str, structures: Mapping[str, int]) -> RouteDecision:
    """The route for what was asked, given the ``structures`` that the index holds.

    Raises ConfigurationError for an unknown route, RouteUnavailable for one whose structure is not built.
    """
    if route not in ROUTES:
        raise ConfigurationError(f"unknown route {route!r}; use one of {', '.join(ROUTES)}")
    if route == "graph":
        raise RouteUnavailable("this version builds no graph: use --route hybrid, tree or auto")
    if route == "tree" and route not in structures:
        raise no_tree()
    if route != "auto":
        return RouteDecision(asked=route, used=(route,), why="it was asked for", scores={route: 1.0})
    why = (
        "auto does not choose among structures yet" if "tree" in structures else "no other structure is built"
    )
    return RouteDecision(asked=route, used=("hybrid",), why=why, scores={"hybrid": 1.0})


def no_tree() -> RouteUnavailable:
    """What is raised where the tree is asked for and there is none."""
    return RouteUnavailable(
        "this index holds no tree: treegraph build SOURCE... (without --without tree) makes it; "
        "meanwhile use --route hybrid"
    )
