"""An answer as it comes, in pieces that may be cut anywhere: without its thoughts, and in sentences.

What comes out does not depend on where the pieces were cut, and costs about what the whole costs in one: a
sentence is looked at when it may have ended, and again only once it has grown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...indexer.models.thoughts import THINK, THOUGHT, without_thoughts
from ...indexer.sentences import BACK, may_end
from .marks import Marked, parted, read_from

_GROWTH = 4
"""A sentence is looked at again once it has grown by this part of its length."""
_HALF_MARK = re.compile(r"[\d\s,;、，–-]*")
_WORD = re.compile(r"\w")
_MARKS = re.compile(r"[\[【][^\[\]【】]*[\]】]")


class Thoughts:
    """Takes what a model thinks out of its answer. ``begun_anew`` counts how often all that came before
    turned out to be none of it: it may have begun to think untold."""

    def __init__(self) -> None:
        self.begun_anew = 0
        self._kept = ""
        self._thinks = False

    def take(self, piece: str) -> str:
        """What this piece adds to the answer, or begins it with where ``begun_anew`` grew."""
        text = self._kept + piece
        if THOUGHT in text:
            text = without_thoughts(text)
            self.begun_anew += 1
            self._thinks = False
        if self._thinks:
            self._kept = text[-len(THOUGHT) :]
            return ""
        if THINK in text:
            self._thinks = True
            said, _, rest = text.partition(THINK)
            self._kept = rest[-len(THOUGHT) :]
            return said
        kept = max((n for n in range(len(THOUGHT)) if _begins_tag(text[len(text) - n :])), default=0)
        self._kept = text[len(text) - kept :]
        return text[: len(text) - kept]

    def end(self) -> str:
        """What is left of the answer: the beginning of a tag that never came."""
        kept, self._kept = self._kept, ""
        return "" if self._thinks else kept


def _begins_tag(text: str) -> bool:
    return bool(text) and (THINK.startswith(text) or THOUGHT.startswith(text))


class Sentences:
    """The sentences of an answer, as :func:`.read_marked` reads them, each once nothing that may follow can
    change it."""

    def __init__(self, passages: Sequence[str] = ()) -> None:
        self._passages = passages
        self._text = ""
        """What has not ended yet, and before ``_begin`` what says whether a full stop is one."""
        self._begin = 0
        self._least = 0
        """As long as the text must be to be looked at again."""
        self._may_end = False

    def take(self, piece: str) -> list[Marked]:
        """The sentences that have ended with this piece."""
        self._text += piece
        self._may_end = self._may_end or may_end(piece)
        if not self._may_end or len(self._text) < self._least:
            return []
        self._text = parted(self._text)
        settled = _settled(self._text)
        found = read_from(settled, self._passages, self._begin)
        self._may_end = _is_open(settled) or may_end(self._text[len(settled) :])
        if len(found) > 1:
            self._let_go(found[-1][0])
        length = len(self._text)
        self._least = length + (length - self._begin) // _GROWTH
        return [marked for _, marked in found[:-1]]

    def end(self) -> list[Marked]:
        """The sentences that are left."""
        return [marked for _, marked in read_from(parted(self._text), self._passages, self._begin)]

    def _let_go(self, begin: int) -> None:
        kept = max(0, len(self._text[:begin].rstrip()) - BACK - 1)
        self._text, self._begin = self._text[kept:], begin - kept


def _settled(text: str) -> str:
    """The text without a word or a mark at its end that may go on."""
    mark = max(map(text.rfind, "[【"))
    if mark >= 0 and _HALF_MARK.fullmatch(text, mark + 1):
        return text[:mark]
    end = len(text)
    while end and (text[end - 1].isalnum() or text[end - 1] == "_"):
        end -= 1
    return text[:end]


def _is_open(settled: str) -> bool:
    """Whether the last thing that a sentence may end at has no word behind it yet that decides on it."""
    at = len(settled)
    while at and not may_end(settled[at - 1]):
        at -= 1
    return at > 0 and not _WORD.search(_MARKS.sub("", settled[at:]))
