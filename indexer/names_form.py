"""The form under which a name is looked up: what stays of it when its writing varies."""

from __future__ import annotations

import re
from functools import lru_cache

from .word_forms import fold, normalise

_HYPHENS = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63"), "-")
_APOSTROPHES = dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u02bc\u02b9\u2032\u00b4`"), "'")
_SAME = _HYPHENS | _APOSTROPHES

_QUOTES = "\"'“”„«»‹›「」『』《》〈〉【】〔〕（）()[]{}<>"
_BEFORE = _QUOTES + " ,;:!?…。、，；：！？·•*|=+"
_AFTER = _QUOTES + " ,;:!?…。、，；：！？·•*|=.-\\/"
_ARTICLE = re.compile(r"(?:the|an?) (?=[^\W\d_]{2})")
_POSSESSIVE = re.compile(r"(?<=[^\W_])'s\Z")
_INITIALS = re.compile(r"(?<![^\W_])([^\W\d_])\.(?: ?(?=[^\W\d_](?:\.|\Z))|(?= )|\Z)")
_TITLE = re.compile(r"\b(dr|jr|mr|mrs|ms|mt|prof|sr|st)\.(?= |\Z)")
_DENSE_SPACE = re.compile(r"(?<=[\u3040-\u30ff\u3400-\u9fff]) | (?=[\u3040-\u30ff\u3400-\u9fff])")
_CALL = re.compile(r"\(\s*\)\Z")


@lru_cache(maxsize=1 << 16)
def form(name: str) -> str:
    """The normalised form of a name; the same for every way to write it, and its own form.

    Width, case, white space, kinds of hyphen and apostrophe, quotes and punctuation around it, a leading
    English article, a possessive 's, the brackets of a call and the full stops of initials do not count.
    What tells one technical name from another does: CR0 is not CR4, ``-x`` not ``x``, C++ not C, .NET not
    NET. Empty where nothing is left.
    """
    text = name
    for _ in range(8):
        before, text = text, _once(text)
        if text == before:
            break
    return text if any(map(str.isprintable, text)) else ""


def _once(text: str) -> str:
    folded = " ".join(fold(normalise(text)).translate(_SAME).split())
    folded = _CALL.sub("", folded)
    folded = _POSSESSIVE.sub("", folded.rstrip(_AFTER))
    folded = _unbalanced(folded.lstrip(_BEFORE))
    folded = _TITLE.sub(r"\1", _INITIALS.sub(r"\1", folded)) if "." in folded else folded
    if not folded.isascii():
        folded = _DENSE_SPACE.sub("", folded)
    return _ARTICLE.sub("", folded, count=1) if _ARTICLE.match(folded) else folded


def _unbalanced(text: str) -> str:
    """``f(x`` was ``f(x)`` before its end was cleaned: the bracket comes back."""
    for opening, closing in ("()", "[]", "{}", "<>", "（）"):
        if text.count(opening) == text.count(closing) + 1:
            text += closing
    return text
