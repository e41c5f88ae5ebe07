"""Which language a document is in, where neither its author nor a rule says so."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_LETTERS = re.compile(r"[^\W\d_]+(?:\s+[^\W\d_]+)*")
_SAMPLES = 5
_SAMPLE = 400
_LEAST = 40
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_LATIN = re.compile(r"[A-Za-z]")
_SIGNS = 0.15
"""Signs of East Asia beside Latin letters from which on a text is in their language: of its commands and
code, which are in Latin letters whatever the language, a manual may have three times as many."""
_LANGUAGES = [
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "eu", "fa", "fi", "fr", "ga",
    "he", "hi", "hr", "hu", "hy", "id", "is", "it", "ja", "ka", "kk", "ko", "lt", "lv", "mr", "ms",
    "ne", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "sw", "ta", "te", "th", "tr",
    "uk", "ur", "vi", "zh",
]  # fmt: skip
"""Those that we stem, and others that many documents are in. The detector knows eighty more,
most of which it sees in short texts of names; each would add its stems to every question."""


def detect_language(text: str) -> str | None:
    """The ISO 639-1 code of a text, by its signs where many are of East Asia, else from samples over its
    length; None for too few letters to tell."""
    if (known := _by_signs(text)) is not None:
        return known
    votes: dict[str, int] = {}
    identifier = _identifier()
    for at in range(_SAMPLES):
        start = at * max(len(text) - _SAMPLE * 4, 0) // _SAMPLES
        sample = " ".join(_LETTERS.findall(text[start : start + _SAMPLE * 4]))[:_SAMPLE]
        if len(sample) >= _LEAST or (len(text) < _SAMPLE and len(sample) >= _LEAST // 4):
            language = str(identifier.classify(sample)[0])
            votes[language] = votes.get(language, 0) + 1
        if len(text) <= _SAMPLE * 4:
            break
    if not votes:
        return None
    return min(votes, key=lambda language: (-votes[language], language))


def _by_signs(text: str) -> str | None:
    """Chinese, Japanese or Korean, where enough of a text is in their signs."""
    if text.isascii():
        return None
    han, kana, hangul = (len(signs.findall(text)) for signs in (_HAN, _KANA, _HANGUL))
    signs = han + kana + hangul
    if signs < _LEAST or signs < _SIGNS * len(_LATIN.findall(text)):
        return None
    if hangul > han + kana:
        return "ko"
    return "ja" if 10 * kana > signs else "zh"


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(_LANGUAGES)
    return identifier
