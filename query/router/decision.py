"""From what a question says, and what the index holds of it, to a route: scores, and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import exp

from ..result import RouteDecision
from .features import Features
from .probes import Linked, Probes
from .settings import RouterSettings

STRUCTURES = ("tree", "graph")


@dataclass(frozen=True, slots=True)
class Sign:
    """Something that speaks for a route (``weight`` above 0) or against it: ``value`` (0..1) is how much of
    it there is, ``text`` what it is called."""

    weight: float
    value: float
    text: str

    @property
    def worth(self) -> float:
        """What it adds."""
        return self.weight * self.value


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that a choice is made by. ``titled`` says that the question calls a section of the tree by name."""

    features: Features
    probes: Probes
    linked: Linked
    titled: bool = False


BASE: Mapping[str, float] = {"tree": -3.0, "graph": -3.0}
"""What is against each route before anything speaks for it."""


def signs(seen: Evidence) -> Mapping[str, tuple[Sign, ...]]:
    """What speaks for and against each route but hybrid."""
    asked, probes, linked = seen.features, seen.probes, seen.linked
    subject = asked.bare and not asked.identifiers
    return {
        "tree": (
            Sign(4.0, float(asked.whole), "it asks for a whole"),
            Sign(2.5, float(subject and asked.words > 1), "it names a subject and asks nothing of it"),
            Sign(1.5, float(subject) * probes.gathered, "what bears on it stands together"),
            Sign(2.0, float(seen.titled), "a section is called so"),
        ),
        "graph": (
            Sign(2.0, min(linked.names, 2) / 2, "it names things that the graph knows"),
            Sign(2.0, 1 - probes.said, "no passage says all of it"),
            Sign(2.0, (1 - probes.gathered), "what bears on it is scattered"),
            Sign(1.0, min(asked.nested, 3) / 3, "it asks for one thing by way of another"),
            Sign(2.0, float(asked.link), "it asks how things hang together"),
            Sign(1.0, float(linked.related), "two things that it names are related"),
        ),
    }


def scores(seen: Evidence, available: Collection[str]) -> dict[str, float]:
    """How likely each of the ``available`` routes answers best, in 0..1; hybrid has what the others leave."""
    found = {
        route: _logistic(BASE[route] + sum(sign.worth for sign in held))
        for route, held in signs(seen).items()
        if route in available
    }
    return {"hybrid": 1 - max(found.values(), default=0.0), **found}


def choose(seen: Evidence, available: Collection[str], settings: RouterSettings) -> RouteDecision:
    """The route for a question among hybrid and the ``available`` ones; two that are too near to tell."""
    found = scores(seen, available)
    order = sorted(found, key=lambda route: (-found[route], route != "hybrid", route))
    first, second = order[0], order[1] if len(order) > 1 else None
    unsure = second is not None and found[first] - found[second] < settings.margin
    used = (first, second) if unsure and second is not None else (first,)
    return RouteDecision(asked="auto", used=used, why=_why(used, seen), scores=found)


def reasons(route: str, seen: Evidence) -> list[str]:
    """What speaks for a route, the weightiest first."""
    held = sorted(signs(seen).get(route, ()), key=lambda sign: -sign.worth)
    return [sign.text for sign in held if sign.worth > MENTIONED]


MENTIONED = 0.5
"""What a sign must add to be named as a reason."""


def _why(used: tuple[str, ...], seen: Evidence) -> str:
    said = [
        f"{route}: {', '.join(reasons(route, seen)) or 'nothing speaks against it'}"
        if route != "hybrid"
        else ""
        for route in used
    ]
    told = "; ".join(filter(None, said))
    if used == ("hybrid",):
        return "it asks for one thing, and nothing speaks for another route"
    return f"unsure: {told}" if len(used) > 1 else told.partition(": ")[2]


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-value))
