"""A model's verdict on evidence: whether it suffices for a question, and what to search for if not.

It is read under a small form, of which nothing counts but the verdict, and the words and the route of each
further search: a model, or a text that speaks through it, can name no reader, filter or source.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...indexer.errors import InvalidModelOutput
from ...indexer.models.json_reply import read_json
from ...indexer.models.thoughts import without_thoughts
from ...indexer.models.usage import SAFETY, estimate_tokens
from ...indexer.prompts import load_prompt, passage_text, show_passage
from ..router.advice import WAYS
from .calls import Calls
from .evidence import Source
from .review import PROMPT
from .writing import place_of

MOST = 3
"""Further searches of one verdict."""
ROOM = 300
"""Tokens of the longest verdict."""
LONGEST = 400
"""Characters of a further question, and of what is missing."""
MALFORMED = "a verdict out of form"
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Further:
    """A search that was made, or that is to be made."""

    question: str
    route: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether evidence suffices; else what is missing of it, and what to search for."""

    enough: bool
    missing: str = ""
    searches: tuple[Further, ...] = ()


class NoTokensLeft(Exception):
    """The next verdict would take more tokens than are left."""


@dataclass(slots=True)
class Judge:
    """Asks a model for its verdict, in at most ``tokens`` tokens over all calls, until ``until`` by the
    monotonic clock (None: no limit). ``routes`` are those that it may name; ``faults`` counts what of its
    words was rejected. ``spent`` are the tokens that it took."""

    calls: Calls
    routes: tuple[str, ...]
    tokens: int
    faults: Counter[str]
    until: float | None = None
    spent: int = 0

    def verdict(self, question: str, sources: Sequence[Source], searched: Sequence[Further]) -> Verdict:
        """The verdict on ``sources``. One out of form is asked for once more; then it counts as enough.

        Raises ModelCallError, and NoTokensLeft before a call that would take too many.
        """
        wrong = ""
        for _ in range(2):
            prompt, canary = self._prompt(question, sources, searched, wrong)
            answer = self._asked(prompt)
            try:
                return read_verdict(answer, self.routes, canary)
            except InvalidModelOutput as error:
                wrong = str(error)
                self.faults[PROMPT if wrong == PROMPT else MALFORMED] += 1
        return Verdict(enough=True)

    def _asked(self, prompt: str) -> str:
        if self.spent + estimate_tokens(prompt) * SAFETY + ROOM > self.tokens:
            raise NoTokensLeft
        before = self.calls.tokens
        try:
            return self.calls.ask(prompt, ROOM, until=self.until)
        finally:
            after = self.calls.tokens
            self.spent += after.tokens_in - before.tokens_in + after.tokens_out - before.tokens_out

    def _prompt(
        self, question: str, sources: Sequence[Source], searched: Sequence[Further], wrong: str
    ) -> tuple[str, str]:
        """The prompt with as many of the sources as the model's window holds, and its canary."""
        prompt = load_prompt("verdict")
        canary = prompt.canary(self.calls.llm.name)
        kept = list(sources)
        while True:
            text = prompt.render(
                passages="\n".join(show_passage(s.text, place_of(s), n) for n, s in enumerate(kept, start=1)),
                most=str(MOST),
                routes="\n".join(f"  - {route}: {WAYS[route]}" for route in self.routes),
                searched="\n".join(f"- {_line(each.question)} ({each.route})" for each in searched),
                canary=canary,
                again=f"Your last answer was not usable ({wrong}).\n" if wrong else "",
                question=_line(question),
            )
            if estimate_tokens(text) * SAFETY + ROOM <= self.calls.llm.window or len(kept) <= 1:
                return text, canary
            kept.remove(max(kept, key=lambda source: source.rank))


def read_verdict(answer: str, routes: Sequence[str], canary: str) -> Verdict:
    """What a model's answer says. Raises InvalidModelOutput, with the fault, where it is not of the form."""
    if canary in answer:
        raise InvalidModelOutput(PROMPT)
    found = _OBJECT.search(without_thoughts(answer))
    try:
        said: Any = read_json(found[0]) if found else None
    except ValueError:
        raise InvalidModelOutput("it is not JSON") from None
    if not isinstance(said, dict) or not isinstance(said.get("enough"), bool):
        raise InvalidModelOutput('it is no JSON object with "enough"')
    if said["enough"]:
        return Verdict(enough=True)
    missing, searches = said.get("missing", ""), said.get("searches")
    if not isinstance(missing, str) or not isinstance(searches, list):
        raise InvalidModelOutput('"missing" is no text, or "searches" no list')
    return Verdict(False, _line(missing)[:LONGEST], tuple(_further(one, routes) for one in searches[:MOST]))


def _further(said: Any, routes: Sequence[str]) -> Further:
    question, route = (said.get("question"), said.get("route")) if isinstance(said, dict) else (None, None)
    if not isinstance(question, str) or not question.strip() or len(question) > LONGEST:
        raise InvalidModelOutput(f'a search has no "question" of at most {LONGEST} characters')
    if not isinstance(route, str) or route not in routes:
        raise InvalidModelOutput(f'a search has no "route" of {", ".join(routes)}')
    return Further(" ".join(question.split()), route)


def _line(text: str) -> str:
    return passage_text(" ".join(text.split()))
