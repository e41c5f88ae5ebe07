"""A language model's word on the route and the parts of a question; it may only choose, never write."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ...indexer.errors import ModelCallError
from ...indexer.models.json_reply import read_json
from ...indexer.prompts import load_prompt
from ..answer.calls import Calls
from ..phrases import question_forms
from ..result import RouteDecision
from .decision import Evidence

log = logging.getLogger(__name__)

ROOM = 400
"""Tokens of the longest answer."""
LONGEST = 1000
"""Characters of a question that are shown to a model."""
OWN_WORDS = 0.6
"""The share of a part's words that must be the question's."""
WAYS: Mapping[str, str] = {
    "hybrid": "passages that say what the question says: for facts, values, names, procedures",
    "tree": "summaries of chapters and documents with what they rest on: for overviews and whole topics",
    "graph": "a walk over things that passages name: for questions whose answer is a link or two away",
}
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Advice:
    """The ``route`` that the model would take, and the ``parts`` that it would ask one by one (none where
    the question asks one thing)."""

    route: str
    parts: tuple[str, ...]


class Advisor:
    """Asks a model once. ``advice`` is what it said, None where that was of no use, which ``failed`` tells.
    For one search."""

    def __init__(self, calls: Calls, most: int) -> None:
        self._calls = calls
        self._most = most
        self.advice: Advice | None = None
        self.failed = False

    def __call__(self, question: str, seen: Evidence, decision: RouteDecision) -> RouteDecision:
        """The decision with the route that the model would take; as it is, where its answer is of no use."""
        prompt = load_prompt("route").render(
            routes="\n".join(f"- {route}: {WAYS[route]}" for route in decision.scores),
            question=question[:LONGEST].replace("<", "‹"),
            seen=json.dumps({**asdict(seen.probes), **asdict(seen.linked)}),
            rule="+".join(decision.used),
            most=str(self._most),
        )
        try:
            answer = self._calls.ask(prompt, ROOM)
        except ModelCallError as error:
            log.warning("the model has no word on the route: %s", error)
            self.failed = True
            said = "was late" if self._calls.over else "did not answer"
            return replace(decision, why=f"{decision.why}; the model {said}")
        self.advice = read_advice(answer, question, tuple(decision.scores), self._most)
        if self.advice is None:
            log.warning("the model's word on the route is of no use: %.200r", answer)
            self.failed = True
            return decision
        if self.advice.route in decision.used:
            return replace(decision, why=f"{decision.why}; the model agrees")
        return replace(decision, used=(self.advice.route,), why=f"the model says so, against: {decision.why}")


def read_advice(answer: str, question: str, routes: Sequence[str], most: int) -> Advice | None:
    """What a model's answer says; None where it is not of the form, names no route of ``routes``, or its
    parts are not made of the question's words."""
    found = _OBJECT.search(answer)
    try:
        said: Any = read_json(found[0]) if found else None
    except ValueError:
        return None
    if not isinstance(said, dict) or said.get("route") not in routes:
        return None
    parts = said.get("parts", [])
    if not isinstance(parts, list) or not all(isinstance(part, str) and part.strip() for part in parts):
        return None
    if len(parts) > most or not all(_of(question, part) for part in parts):
        return None
    return Advice(said["route"], tuple(dict.fromkeys(map(str.strip, parts))) if len(parts) > 1 else ())


def _of(question: str, part: str) -> bool:
    """Whether a part says hardly anything that the question does not."""
    ours, theirs = set(question_forms(question, None)), question_forms(part, None)
    return bool(theirs) and sum(word in ours for word in theirs) >= OWN_WORDS * len(theirs)
