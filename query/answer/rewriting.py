"""A question that goes on from earlier ones, written anew by a model, and held against what the user said.

An earlier answer rests on documents, and may hold an instruction that was planted in one. What gets from
there into the question would be searched for as if the user had asked it. So a rewriting lives on the user's
own words: an answer lends it a few names, where the question points at something.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from ...indexer.checks.planted import ADDRESS, INSTRUCTION, Spoken, follows_planted
from ...indexer.errors import ModelCallError
from ...indexer.models.thoughts import without_thoughts
from ...indexer.prompts import load_prompt, passage_text
from ...indexer.word_forms import is_dense
from ...indexer.words import words
from .calls import Calls
from .followup import Turn, content, leaves_out

TURNS = 4
"""Earlier turns that a model is shown."""
SHAPELESS = "rewriting: not one line"
FOREIGN_ADDRESS = "rewriting: an address that the user did not name"
FOREIGN_INSTRUCTION = "rewriting: an instruction that the user did not give"
OTHER_WORDS = "rewriting: other words than the user's"

_ROOM = 120
_LONGEST = 600
_ASKED, _ANSWER = 2000, 600
"""Characters of an earlier question, and of its answer, that a model is shown."""
_NAME = 4.0
"""Words of an answer that stand together in a rewriting and count as one name."""
_NAMES = 2.0
"""How many names an answer may lend."""
_PAIR = 0.5
"""What a pair of characters counts, in a script without spaces, where a word counts 1."""


def rewritten(
    question: str, turns: Sequence[Turn], calls: Calls, language: str, faults: Counter[str]
) -> str | None:
    """``question`` as a model writes it anew; None where it fails at that, or takes more than half of the
    time that there is (the search needs some, too), or would have to write too much. Also None, and counted
    in ``faults``, where what it writes holds what the user did not say."""
    if len(question) > _LONGEST:
        return None  # a rewriting has no room for it
    shown = [(asked[:_ASKED], answered[:_ANSWER]) for asked, answered in turns[-TURNS:]]
    prompt = load_prompt("followup")
    canary = prompt.canary(calls.llm.name)
    conversation = "\n".join(
        f"Question: {passage_text(asked)}\nAnswer: {passage_text(answered)}" for asked, answered in shown
    )
    text = prompt.render(conversation=conversation, question=passage_text(question), canary=canary)
    try:
        answer = calls.ask(text, _ROOM, until=calls.halfway())
    except ModelCallError:
        return None
    line = _line(answer)
    if not line or canary in line:
        faults[SHAPELESS] += 1
        return None
    if wrong := _foreign(line, question, shown, language):
        faults[wrong] += 1
        return None
    return line


def _line(answer: str) -> str:
    """The one line of an answer; empty where it has another shape."""
    lines = [line.strip().strip("\"'“”") for line in without_thoughts(answer).splitlines() if line.strip()]
    if len(lines) != 1 or len(lines[0]) > _LONGEST:
        return ""
    return re.sub(r"^(?:last )?question:\s*", "", lines[0], flags=re.IGNORECASE)


def _foreign(line: str, question: str, turns: Sequence[Turn], language: str) -> str:
    """What ``line`` holds that the user did not say; empty where it is the user's question."""
    own = "\n".join([*(asked for asked, _ in turns), question])
    answers = [answered for _, answered in turns]
    if any(found[0].rstrip(".,;:?!)") not in own for found in ADDRESS.finditer(line)):
        return FOREIGN_ADDRESS
    said = set(words(own, language))
    instructs = any(not said.issuperset(words(found[0], language)) for found in INSTRUCTION.finditer(line))
    if instructs or follows_planted(line, answers, Spoken(language, None, words), own):
        return FOREIGN_INSTRUCTION
    lent = set(words("\n".join(answers), language)) - said
    names = _NAMES if leaves_out(question, language) else 0.0
    return "" if _is_theirs(_forms(line, language), said, lent, names) else OTHER_WORDS


def _is_theirs(forms: Sequence[str], said: set[str], lent: set[str], most: float) -> bool:
    """Whether at least half of a rewriting, in ``forms``, is what the user ``said``. What an answer ``lent``
    counts as names, of which there are ``most``."""
    own = _count(form for form in forms if form in said)
    loose = _count(form for form in forms if form not in said and form not in lent)
    stretches = (_count(run) for is_lent, run in groupby(forms, lent.__contains__) if is_lent)
    names = sum(-(-size // _NAME) for size in stretches)
    return names <= most and own >= loose + names


def _forms(text: str, language: str) -> list[str]:
    """The forms of the words that say what a text is about, in reading order."""
    return [form for word in content(text, language) for form in words(word, language)]


def _count(forms: Iterable[str]) -> float:
    return sum(_PAIR if is_dense(form) else 1.0 for form in forms)
