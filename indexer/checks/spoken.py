"""Which language a summary is in: by its script, and by the plain words that hold its sentences together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from ..language import detect_language
from ..word_forms import fold, primary
from .plain_words import function_words

LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish", "fr": "French",
    "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "ja": "Japanese",
    "ko": "Korean", "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian",
    "ru": "Russian", "sv": "Swedish", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese",
    "zh": "Chinese",
}  # fmt: skip
_CODES = {name.casefold(): code for code, name in LANGUAGES.items()} | {
    "deutsch": "de", "français": "fr", "español": "es", "italiano": "it", "português": "pt",
    "nederlands": "nl", "русский": "ru", "中文": "zh", "日本語": "ja", "한국어": "ko",
}  # fmt: skip

_SCRIPTS = (
    ("kana", re.compile(r"[\u3041-\u30fa]")),
    ("hangul", re.compile(r"[\uac00-\ud7a3]")),
    ("han", re.compile(r"[\u4e00-\u9fff]")),
    ("latin", re.compile(r"[A-Za-zÀ-ɏ]")),
    ("cyrillic", re.compile(r"[\u0400-\u052f]")),
    ("greek", re.compile(r"[\u0370-\u03ff]")),
    ("arabic", re.compile(r"[\u0600-\u06ff]")),
    ("hebrew", re.compile(r"[\u0590-\u05ff]")),
    ("devanagari", re.compile(r"[\u0900-\u097f]")),
    ("thai", re.compile(r"[\u0e00-\u0e7f]")),
)
_OWN_SCRIPTS = {
    "ja": "kana", "ko": "hangul", "zh": "han", "ru": "cyrillic", "uk": "cyrillic", "bg": "cyrillic",
    "el": "greek", "ar": "arabic", "fa": "arabic", "he": "hebrew", "hi": "devanagari", "th": "thai",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")
_FEWEST = 4
"""Plain words of another language that a summary must hold before it counts as written in it."""


def language_code(name: str) -> str | None:
    """The ISO 639-1 code of a language by its name or tag: ``de`` of German, Deutsch and de-AT."""
    known = _CODES.get(name.casefold())
    tag = primary(name)
    return known or (tag if tag in LANGUAGES else None)


def is_in(text: str, language: str) -> bool:
    """Whether a text may be in the language of that code: written in its script, and not clearly in
    another language. Names and code in it do not count against it."""
    scripts = Counter({name: len(pattern.findall(text)) for name, pattern in _SCRIPTS})
    own = _OWN_SCRIPTS.get(language, "latin")
    letters = scripts.total()
    if not letters:
        return True
    if own != "latin":
        # A letter of these says as much as a Latin word: a third of the letters is enough beside names.
        mine = scripts[own] + (scripts["han"] if own == "kana" else 0)
        return mine * 4 >= letters and (own != "kana" or scripts["kana"] > 0) and not _kana_in(scripts, own)
    return scripts["latin"] * 2 >= letters and not _elsewhere(text, language)


def _kana_in(scripts: Mapping[str, int], own: str) -> bool:
    """Whether Chinese is Japanese."""
    return own == "han" and scripts["kana"] * 4 > scripts["han"]


def _elsewhere(text: str, language: str) -> bool:
    """Whether the function words of a text are clearly another language's."""
    words = [fold(word) for word in _WORD.findall(text)]
    counts = {code: sum(word in known for word in words) for code, known in function_words().items()}
    if language not in counts:
        detected = detect_language(text)
        return len(words) > 3 * _FEWEST and detected in counts and counts[detected] * 4 > len(words)
    best = max(counts.values())
    return best >= _FEWEST and best > 2 * counts[language]
