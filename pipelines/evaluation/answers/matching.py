"""How well the text of an answer fits what it should say.

Exact match and token F1 are those of SQuAD (Rajpurkar et al. 2016, section 6.1, and its evaluation script):
case, punctuation, articles and white space aside. Scripts that are written without spaces count by
characters, as in CMRC 2018 (Cui et al. 2019).
"""

from __future__ import annotations

import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....indexer.word_forms import is_dense

_ARTICLES = frozenset({"a", "an", "the"})
_DROPPED = dict.fromkeys(map(ord, string.punctuation))
_NAMES = ("answer", "answers", "aliases")
"""The fields of a question that hold what it should be answered with, a text or a list of them."""


def gold_answers(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Every text that would be a right answer to a question with these ``fields``; empty where the set does
    not say."""
    values = [fields.get(name) for name in _NAMES]
    listed = [each for value in values for each in (value if isinstance(value, list) else [value])]
    texts = (str(each) for each in listed if isinstance(each, str | int | float) and each is not True)
    return tuple(dict.fromkeys(text for text in texts if answer_tokens(text)))


def answer_tokens(text: str) -> list[str]:
    """The words of an answer that count, each character of a script without spaces by itself."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_DROPPED)
    bare = "".join(" " if _is_mark(char) else char for char in folded)
    spaced = "".join(f" {char} " if is_dense(char) else char for char in bare)
    return [token for token in spaced.split() if token not in _ARTICLES]


def matches(said: str, gold: Sequence[str]) -> dict[str, float]:
    """``exact``, ``f1`` and ``contains`` (whether the words of a gold answer stand in a row in what was
    said) of the best of the ``gold`` answers, each 0..1; empty where there is no gold answer."""
    if not gold:
        return {}
    words, wanted = answer_tokens(said), [answer_tokens(each) for each in gold]

    def best(score: Callable[[list[str], list[str]], float]) -> float:
        return max(score(words, each) for each in wanted)

    return {"exact": best(_exact), "f1": best(_f1), "contains": best(_contains)}


def _exact(said: list[str], gold: list[str]) -> float:
    return float(said == gold)


def _f1(said: list[str], gold: list[str]) -> float:
    shared = (Counter(said) & Counter(gold)).total()
    return 2 * shared / (len(said) + len(gold)) if shared else 0.0


def _contains(said: list[str], gold: list[str]) -> float:
    size = len(gold)
    return float(any(said[at : at + size] == gold for at in range(len(said) - size + 1)))


def _is_mark(char: str) -> bool:
    """Whether a character is punctuation or a symbol. Those of ASCII are gone, as in SQuAD's script."""
    return unicodedata.category(char)[0] in "PS"
