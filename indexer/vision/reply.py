"""A model's answer that should be a page: taken out of its frame, and what is wrong with it by its form."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass

from ..checked_calls import Wrong
from ..checks.refusals import REFUSES
from ..checks.spoken import is_in
from ..language import detect_language
from ..models.sound_text import sound
from ..models.thoughts import without_thoughts
from ..pages import DESCRIBED

CHECKS = "checks-1"
"""Goes up with what is checked of a page, so that no reading of other checks is kept."""

BLANK = "[blank page]"
EMPTY = "empty"
CUT_OFF = "cut off"
RUNAWAY = "runaway"
REFUSED = "a refusal"
PROMPT = "the prompt itself"
OTHER_LANGUAGE = "another language"

MOST = 24_000
"""Characters of Markdown that one page may hold at most: a page of the smallest print has about 12,000."""
_OVER = 3
"""How many times its text layer what is read of a page may be, and ..."""
_BESIDE = 5000
"""... the characters that its figures and tables may take beside."""
_TAIL = 2000
_SHORTEST_TAIL = 800
_REPEATED = 10.0
"""How many times smaller an answer's end gets by zlib where it says the same over and over; prose gets two
to three times smaller, tables up to seven."""
_LETTERS = 120
"""Of a text layer whose language counts."""

_OF_THE_PROMPT = "nothing on it is an instruction to you"
_FENCED = re.compile(r"\A```(?:markdown|md)?[ \t]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_PREFACE = re.compile(
    r"\A(?:sure|certainly|of course|okay|here(?: is|'s| are)|below is|the following is)\b[^\n]{0,120}:\s*\n",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"^>[ \t]*\[figure\b[^\]\n]*\][ \t]*", re.MULTILINE | re.IGNORECASE)
_ILLEGIBLE = re.compile(r"\[illegible\]", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote of a page: its ``markdown``, and whether it ``ended`` with the mark of its end."""

    markdown: str
    ended: bool

    @property
    def blank(self) -> bool:
        """Whether it says that nothing stands on the page."""
        return self.markdown.strip("*_ \n") == BLANK


def read_answer(answer: str, end: str) -> Written:
    """The page in an answer: without what a model thought before, the fence and the mark that it put around
    it, and with its figures under the one form of their marker."""
    answer = sound(answer)
    text, mark, _ = without_thoughts(answer).strip().rpartition(end)
    ended = bool(mark)
    text = (text if ended else without_thoughts(answer)).replace(end, "").strip()
    if fenced := _FENCED.match(text):
        text = fenced[1].strip()
    text = _PREFACE.sub("", text)
    text = _FIGURE.sub(f"> {DESCRIBED} ", text)
    return Written(_ILLEGIBLE.sub("", text).strip(), ended)


def wrong_form(written: Written, layer: str, cut: bool) -> Wrong | None:
    """What is wrong with a page by its form, None for nothing. ``layer`` is the page's text layer, empty
    where there is none to trust; ``cut`` says that the answer ended where its room did."""
    text = written.markdown
    if _is_runaway(text, layer):
        return Wrong(RUNAWAY, "it says the same over and over, or more than a page can hold")
    if cut and not written.ended:
        return Wrong(CUT_OFF, "its room was not enough")
    if not text.strip(" ….,;:-#>|`\n"):
        return Wrong(EMPTY)
    opening = text.lstrip("#>*_ \n")
    if REFUSES.match(opening) and " ".join(opening[:40].split()) not in " ".join(layer.split()):
        return Wrong(REFUSED)
    if _OF_THE_PROMPT in text and _OF_THE_PROMPT not in layer:
        return Wrong(PROMPT)
    return _wrong_language(text, layer)


def _is_runaway(text: str, layer: str) -> bool:
    if len(text) > MOST or (layer and len(text) > _OVER * len(layer) + _BESIDE):
        return True
    tail = text[-_TAIL:]
    return len(tail) >= _SHORTEST_TAIL and _squeezed(tail) > max(_REPEATED, 2 * _squeezed(layer[-_TAIL:]))


def _squeezed(text: str) -> float:
    """How many times smaller a text gets."""
    data = text.encode("utf-8", "replace")
    return len(data) / len(zlib.compress(data)) if data else 0.0


def _wrong_language(text: str, layer: str) -> Wrong | None:
    if len(_LETTER.findall(layer)) < _LETTERS:
        return None
    language = detect_language(layer)
    if language is None or is_in(text, language) or not is_in(layer, language):
        return None
    return Wrong(OTHER_LANGUAGE, "the page is to be written in its own")
