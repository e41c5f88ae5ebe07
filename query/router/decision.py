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


BASE: Mapping[str, float] = {"tree": -0.65, "graph": -1.5}
"""What is against each route before anything speaks for it."""
MENTIONED = 0.25
"""What a sign must add to be named as a reason."""


def signs(seen: Evidence) -> Mapping[str, tuple[Sign, ...]]:
    """What speaks for each route but hybrid.

    The weights of a subject and of the probes were fitted by logistic regression, each question counting by
    how much the route gained or lost against hybrid, on half of the questions of the sets that
    docs/quality.md names, and rounded. No question there asks for a whole or a connection in so many words,
    or calls a section by its title: those weights are set by hand, so that such words decide.
    """
    asked, probes, linked = seen.features, seen.probes, seen.linked
    subject = float(asked.subject)
    return {
        "tree": (
            Sign(2.0, float(asked.whole), "it asks for a whole"),
            Sign(1.6, subject, "it names a subject and asks nothing of it"),
            Sign(1.0, float(seen.titled), "a section is called so"),
            Sign(0.85, subject * probes.gathered, "what bears on it stands together"),
            Sign(0.65, subject * probes.cosine, "the passages found are about it"),
        ),
        "graph": (
            Sign(1.6, 1 - probes.gathered, "what bears on it is scattered"),
            Sign(1.0, 1 - probes.said, "no passage says all of it"),
            Sign(1.0, float(asked.link), "it asks how things hang together"),
            Sign(0.7, float(linked.related), "things that it names are related"),
            Sign(0.6, probes.steep, "one passage stands out"),
            Sign(0.4, min(asked.nested, 3) / 3, "it asks for one thing by way of another"),
            Sign(0.35, min(linked.names, 2) / 2, "it names what the graph knows"),
        ),
    }


def scores(seen: Evidence, available: Collection[str]) -> dict[str, float]:
    """How likely each of the ``available`` routes answers better than hybrid, in 0..1; hybrid has what the
    others leave. A graph that knows none of the question's names for sure has nothing to begin from."""
    found = {
        route: _logistic(BASE[route] + sum(sign.worth for sign in held))
        for route, held in signs(seen).items()
        if route in available
    }
    if "graph" in found and not seen.linked.names:
        found["graph"] = 0.0
    return {"hybrid": 1 - max(found.values(), default=0.0), **found}


def choose(seen: Evidence, available: Collection[str], settings: RouterSettings) -> RouteDecision:
    """The route for a question among hybrid and the ``available`` ones: the one of the highest score, and
    hybrid beside it where it is hardly ahead."""
    found = scores(seen, available)
    first = min(found, key=lambda route: (-found[route], route != "hybrid", route))
    unsure = first != "hybrid" and found[first] - found["hybrid"] < settings.margin
    used = (first, "hybrid") if unsure else (first,)
    return RouteDecision(asked="auto", used=used, why=_why(first, unsure, seen), scores=found)


def reasons(route: str, seen: Evidence) -> list[str]:
    """What speaks for a route, the weightiest first."""
    held = sorted(signs(seen).get(route, ()), key=lambda sign: -sign.worth)
    return [sign.text for sign in held if sign.worth > MENTIONED]


def _why(first: str, unsure: bool, seen: Evidence) -> str:
    if first == "hybrid":
        return "it asks for one thing, and nothing speaks for another route"
    said = ", ".join(reasons(first, seen))
    return f"{said}, which hardly decides it" if unsure else said


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-value))
