"""``auto`` for a question of one part or several, each over its own route."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..answer.calls import Calls
from ..deadline import TimeUp
from ..question import Found, Question
from ..result import RouteDecision
from .joining import in_turn
from .outcome import Routed, nothing
from .parts import parts_of
from .routing import Routing


def routed(
    question: Question,
    encode: Callable[[str], Question],
    routing: Routing,
    most: int,
    limit: int,
    calls: Calls | None = None,
) -> Routed:
    """What ``auto`` finds for ``question``. One that asks several things is taken apart into at most ``most``
    parts, and their evidence joined in turn. The model of ``calls``, where there is one, has a word on route
    and parts."""
    if calls is not None:
        return _advised(question, encode, routing, most, limit, calls)
    parts = parts_of(question.text, question.languages, most)
    if len(parts) < 2:
        return routing.chosen(question, limit)
    return _apart(parts, question, encode, routing, limit)


def _advised(
    question: Question,
    encode: Callable[[str], Question],
    routing: Routing,
    most: int,
    limit: int,
    calls: Calls,
) -> Routed:
    from .advice import Advisor

    advisor = Advisor(calls, most)
    whole = routing.chosen(question, limit, advisor)
    if advisor.advice is not None:
        parts: Sequence[str] = advisor.advice.parts
    else:
        parts = parts_of(question.text, question.languages, most)
    found = whole
    if len(parts) > 1 and routing.in_time:
        apart = _apart(parts, question, encode, routing, limit)
        found = apart if apart.found.candidates else whole
    return replace(found, degraded=(*found.degraded, "model")) if advisor.failed else found


def _apart(
    parts: Sequence[str],
    question: Question,
    encode: Callable[[str], Question],
    routing: Routing,
    limit: int,
) -> Routed:
    found = [_part(question if part == question.text else part, encode, routing, limit) for part in parts]
    return Routed(
        found=_joined([each.found for each in found], limit),
        decision=_decision(parts, [each.decision for each in found]),
        degraded=tuple(dict.fromkeys(name for each in found for name in each.degraded)),
        seen={"parts": [_told(part, each) for part, each in zip(parts, found, strict=True)]},
    )


def _part(part: str | Question, encode: Callable[[str], Question], routing: Routing, limit: int) -> Routed:
    try:
        asked = encode(part) if isinstance(part, str) else part
    except TimeUp:
        return nothing(RouteDecision("auto", (), ""))
    return routing.chosen(asked, limit)


def _joined(found: Sequence[Found], limit: int) -> Found:
    terms = {form: weight for each in reversed(found) for form, weight in each.terms.items()}
    late = tuple(dict.fromkeys(step for each in found for step in each.late))
    return Found(in_turn([each.candidates for each in found])[:limit], found[0].weight, terms, late)


def _decision(parts: Sequence[str], decisions: Sequence[RouteDecision]) -> RouteDecision:
    used = tuple(dict.fromkeys(route for each in decisions for route in each.used))
    scores = {
        route: max(each.scores.get(route, 0.0) for each in decisions)
        for route in dict.fromkeys(name for each in decisions for name in each.scores)
    }
    said = [f"{part!r} by {'+'.join(each.used)}" for part, each in zip(parts, decisions, strict=True)]
    first = replace(decisions[0], used=used, scores=scores)
    return replace(first, why=f"it asks {len(parts)} things: {'; '.join(said)}")


def _told(part: str, each: Routed) -> dict[str, Any]:
    return {"question": part, "used": list(each.decision.used), "why": each.decision.why, **each.seen}
