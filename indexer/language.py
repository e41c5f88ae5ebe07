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
_LANGUAGES = [
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "eu", "fa", "fi", "fr", "ga",
    "he", "hi", "hr", "hu", "hy", "id", "is", "it", "ja", "ka", "kk", "ko", "lt", "lv", "mr", "ms",
    "ne", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "sw", "ta", "te", "th", "tr",
    "uk", "ur", "vi", "zh",
]  # fmt: skip
"""Those that we stem, and others that many documents are in. The detector knows eighty more,
most of which it sees in short texts of names; each would add its stems to every question."""


def detect_language(text: str) -> str | None:
    """The ISO 639-1 code of a text, from samples over its length; None for too few letters to tell."""
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


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(_LANGUAGES)
    return identifier
