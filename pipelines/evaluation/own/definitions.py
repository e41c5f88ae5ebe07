"""Sentences that say what a term means, in the words that a few languages have for that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ....indexer.function_words import content_words
from ....indexer.word_forms import is_dense, tokens
from .term_patterns import HINT, PATTERNS, Pattern
from .wording import leans_on_before

_NOT_TERMS = re.compile(
    r"(?:typical|simple|common|good|better|best|natural|first|second|third|last|next|new|possible|similar|"
    r"useful|further|related|alternative|major|minor|special|other|different|single|given|short|full|complete|"
    r"few|lot|number|example|note|result|default|value|reason|case|problem|solution|answer|purpose|goal|aim|"
    r"way|advantage|difference|idea|option|argument|following|return|output|input|most|only|main|more|less|"
    r"all|each|every|any|some|no|what|who|how|why|when|where|one|both|there|if|list|set|corresponding|actual|"
    r"current|desired|specified|whole|entire|important|easy|easier|key|small|large|optional|above|same|"
    r"wichtig\w*|einfach\w*|gute\w*|möglich\w*|weitere\w*|ander\w*|erste\w*|zweite\w*|letzte\w*|nächste\w*|"
    r"typische\w*|große\w*|wesentliche\w*|bekannte\w*|beispiel|teil|folgende\w*|"
    r"autre|bon|otro|buen)\b"
    r"|.*\b(?:example|reason|difference|problem|solution|way|purpose|idea|case|which|that|you|we|it|they|not|"
    r"if|is|are|be|can|must|will|should|may|and|or|value returned)\b"
    r"|.*[这此该们您你我]|[其它以那他她如但当由也或并若就]|.*(?:不是|就是|可以|因为|如果|的是|[也都又还]\Z|的)"
    r"|.*[をはがにもでへ]|.*[^ぁ-ん]の\Z|どれ|なに|これ|それ|あれ|この|その|こう|そう|上|下|同"
    r"|이|그|저|.*(?:하|되|는|을|를|에|의)\Z",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\A(?:[-•·*–—‣◦▪]|\(?\d{1,2}[.)])\s+(?=\S)")
_QUOTES = " \"'“”‘’„«»「」『』*_`"
_ARTICLES = frozenset({"a", "an", "the", "Ein", "Eine", "Der", "Die", "Das", "Un", "Une", "Una"})
_LONGEST = 50
_MOST_WORDS = 4


@dataclass(frozen=True, slots=True)
class Definition:
    """A defined term. ``asked`` is it as it is asked for, with its article where it has one; ``plural``
    whether its sentence speaks of several.

    ``certain`` says that the words alone make it a definition; else the title of its section must speak
    of the term.
    """

    term: str
    asked: str
    language: str
    certain: bool
    plural: bool


def may_define(text: str) -> bool:
    """Whether there is anything in ``text`` that definitions are made with."""
    return HINT.search(text) is not None


def sentence_definition(sentence: str) -> Definition | None:
    """The definition that a sentence is, in any of the languages that have patterns; None for none."""
    sentence = _BULLET.sub("", sentence)
    return None if leans_on_before(sentence) else next(_definitions(sentence), None)


def _definitions(sentence: str) -> Iterator[Definition]:
    for pattern in PATTERNS:
        match = pattern.regex.match(sentence)
        if match is None:
            continue
        groups = match.groupdict()
        term = (groups.get("term") or groups.get("marked") or "").strip(_QUOTES)
        if is_term(term, pattern.language):
            yield _definition(term, groups.get("article") or "", groups.get("verb") == "are", pattern)


def _definition(term: str, article: str, plural: bool, pattern: Pattern) -> Definition:
    spoken = article.lower() if pattern.language != "de" else article
    asked = f"{article.lower()} {term}" if spoken in _ARTICLES else term
    return Definition(term, asked, pattern.language, pattern.certain, plural)


def is_term(term: str, language: str | None) -> bool:
    """Whether a few words can be a term: not too long, beginning with a word that carries meaning, none
    in them that points at something else."""
    if not 1 < len(term) <= _LONGEST or not term[0].isalnum() or _NOT_TERMS.match(term):
        return False
    if not any(map(str.isalpha, term)):
        return False
    found = tokens(term)
    if any(map(is_dense, found)):
        return True
    said = content_words(found, [language or "en"])
    return bool(found) and said[:1] == found[:1] and len(term.split()) <= _MOST_WORDS
