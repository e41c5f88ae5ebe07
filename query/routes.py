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
    if route in ("tree", "graph"):
        if route not in structures:
            raise RouteUnavailable(
                f"this index holds no {route}, and this version builds none: use --route hybrid or auto; "
                f"once one does, treegraph build SOURCE... (without --without {route}) makes it"
            )
        raise RouteUnavailable(f"the {route} of this index cannot be searched yet; use --route hybrid")
    why = "it was asked for" if route == "hybrid" else "no other structure is built"
    return RouteDecision(asked=route, used=("hybrid",), why=why, scores={"hybrid": 1.0})
