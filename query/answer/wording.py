"""What an answer says in its own words, and in which language: the question's, unless told otherwise."""

from __future__ import annotations

import re

from ...indexer.checks.plain_words import function_words
from ...indexer.checks.spoken import LANGUAGES, language_code
from ...indexer.errors import ConfigurationError
from ...indexer.word_forms import fold

_NOT_FOUND = {
    "en": "The documents do not say.",
    "de": "Die Dokumente sagen dazu nichts.",
    "fr": "Les documents ne le disent pas.",
    "es": "Los documentos no lo dicen.",
    "it": "I documenti non lo dicono.",
    "pt": "Os documentos não o dizem.",
    "nl": "De documenten zeggen daar niets over.",
    "ru": "В документах об этом не говорится.",
    "zh": "文档中没有说明。",
    "ja": "文書には記載がありません。",
    "ko": "문서에는 나와 있지 않습니다.",
}
_SCRIPTS = (
    ("ja", re.compile(r"[\u3041-\u30fa]")),
    ("ko", re.compile(r"[\uac00-\ud7a3]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("ru", re.compile(r"[\u0400-\u052f]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
)
_WORD = re.compile(r"[^\W\d_]+")


def not_found(language: str) -> str:
    """That the documents do not say, in that language where it is known here, else in English."""
    return _NOT_FOUND.get(language, _NOT_FOUND["en"])


def question_language(question: str) -> str:
    """The language of a question by its script, and by the plain words in it; English where these say
    nothing. A few names in Latin letters make no question English."""
    for code, pattern in _SCRIPTS:
        if pattern.search(question):
            return code
    words = [fold(word) for word in _WORD.findall(question)]
    counts = {code: sum(word in known for word in words) for code, known in function_words().items()}
    best = max(counts, key=lambda code: (counts[code], code == "en"))
    return best if counts[best] else "en"


def language_named(name: str) -> str:
    """The code of a language that was asked for. Raises ConfigurationError for one that is not known."""
    code = language_code(name)
    if code is None:
        raise ConfigurationError(f"language {name!r} is not known: give a code, as de, or a name, as German")
    return code


def english_name(code: str) -> str:
    """The language's name in English, as a prompt names it."""
    return LANGUAGES.get(code, code)
