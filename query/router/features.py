"""What a question says of itself, without a model and without looking into the index."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...indexer.function_words import content_words
from ...indexer.word_forms import is_dense, normalise, tokens
from .cues import CUES

LONGEST = 2000
"""Characters of a question that are looked at: what comes later is taken for quoted text."""
_IDENTIFIER = re.compile(
    r"(?<![\w.-])(?:"
    r"--?[A-Za-z][\w-]*|(?=\w*[._:]+\w)\w+(?:[.:]+\w+)*(?:\(\))?|\w+\(\)|[A-Za-z]+-?\d[\w-]*|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|0x[\dA-Fa-f]+"
    r")(?![\w-])"
)
_END = re.compile(r"[?？]\s*\Z")


@dataclass(frozen=True, slots=True)
class Features:
    """What a question wants, by its words.

    ``whole``, ``link``, ``compare``, ``count`` and ``listing`` say that it holds words that ask for that;
    ``bare`` that it asks nothing and only names a subject, as what people type into a search box.
    ``identifiers`` are the technical names in it, in its order; ``words`` how many words of it mean
    something, ``nested`` how many of its phrases hang on another ("the mayor of the birthplace of").
    """

    whole: bool
    link: bool
    compare: bool
    count: bool
    listing: bool
    bare: bool
    identifiers: tuple[str, ...]
    words: int
    nested: int

    @property
    def subject(self) -> bool:
        """Whether it is the name of a subject: bare, of more than one word, and no technical name."""
        return self.bare and self.words > 1 and not self.identifiers


def features_of(question: str, languages: Sequence[str]) -> Features:
    """The features of a question to an index whose documents are in ``languages``."""
    text = question[:LONGEST]
    asks = _END.search(text) is not None or CUES["asking"].search(text) is not None
    identifiers = tuple(dict.fromkeys(_IDENTIFIER.findall(text)))
    return Features(
        whole=CUES["whole"].search(text) is not None,
        link=CUES["link"].search(text) is not None,
        compare=CUES["compare"].search(text) is not None,
        count=CUES["count"].search(text) is not None,
        listing=CUES["list"].search(text) is not None,
        bare=not asks,
        identifiers=identifiers,
        words=telling_words(text, languages),
        nested=len(CUES["nested"].findall(text)),
    )


def telling_words(text: str, languages: Sequence[str]) -> int:
    """How many words mean something; of scripts without spaces two characters are one."""
    found = tokens(normalise(text))
    dense = sum(len(token) for token in found if is_dense(token))
    spaced = [token for token in found if not is_dense(token)]
    return (dense + 1) // 2 + (len(content_words(spaced, languages)) if spaced else 0)
