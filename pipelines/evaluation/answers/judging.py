"""A model that says whether an answer is right, held against the answers of the set."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ....indexer.models.json_reply import read_json
from ....indexer.models.ports import LanguageModel
from ....indexer.models.thoughts import without_thoughts
from ....indexer.prompts import Prompt
from ..prompt_files import packaged_prompt

_ROOM = 256
_LONGEST = 4000
_MARKS = re.compile(r"<(?=\s*/?\s*(?:question|right|given)\b)", re.IGNORECASE)
_OBJECT = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Judge:
    """Rates answers 0 or 1 by ``llm``."""

    llm: LanguageModel

    @property
    def name(self) -> str:
        """The model and the prompt's version: others, other verdicts."""
        return f"{self.llm.name} {_prompt().version}"

    def values(self, question: str, gold: Sequence[str], said: str) -> dict[str, float]:
        """``judged`` (1: right), but where the verdict is malformed; ``malformed``, ``unjudged`` (0: there
        was a verdict, of whatever form), and what it took. Raises ModelCallError."""
        shown = {"question": question, "gold": "\n".join(gold), "answer": said[:_LONGEST]}
        prompt = _prompt().render(**{name: _MARKS.sub("‹", text) for name, text in shown.items()})
        done = self.llm.complete(prompt, _ROOM)
        verdict = read_verdict(done.text)
        took = {"calls": 1, "tokens_in": done.tokens_in, "tokens_out": done.tokens_out}
        values = {f"judge_{name}": float(count) for name, count in took.items()}
        values |= {"malformed": float(verdict is None), "unjudged": 0.0}
        return values if verdict is None else values | {"judged": float(verdict)}


def read_verdict(text: str) -> int | None:
    """The 0 or 1 of the last JSON object in a model's words; None where that is no ``{"verdict": 0 or 1}``
    and nothing else. Thoughts before it are passed over."""
    found = _OBJECT.findall(without_thoughts(text))
    try:
        value = read_json(found[-1]) if found else None
    except ValueError:
        return None
    if not isinstance(value, dict) or value.keys() != {"verdict"}:
        return None
    verdict = value["verdict"]
    return verdict if type(verdict) is int and verdict in (0, 1) else None


def _prompt() -> Prompt:
    return packaged_prompt(__package__, "judge_answer")
