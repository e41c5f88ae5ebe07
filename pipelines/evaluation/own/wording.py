"""How much a few words say, and how a question is put, in the languages that manuals come in."""

from __future__ import annotations

import re

from ....indexer.function_words import content_words
from ....indexer.word_forms import is_dense, normalise, primary, tokens

_ASKED = {
    "en": "What is {}?",
    "de": "Was ist {}?",
    "fr": "Qu'est-ce que {} ?",
    "es": "¿Qué es {}?",
    "it": "Che cos'è {}?",
    "pt": "O que é {}?",
    "nl": "Wat is {}?",
    "zh": "什么是{}？",
    "ja": "{}とは何ですか？",
    "ko": "{}은(는) 무엇입니까?",
}
_ASKED_OF_MANY = "What are {}?"
_KANA = re.compile(r"[\u3040-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_LEANING = re.compile(
    r"(?:this|these|those|that|it|its|they|their|he|she|such|here|there|then|so|thus|however|both|either|"
    r"neither|otherwise|"
    r"(?:most|some|all|many|few|each|none|one) of (?:them|these|those|which)|"
    r"and|but|or|also|another|again|the (?:above|latter|former|same|following|previous)|"
    r"dies\w*|es|er|sie|ihre?[mnrs]?|jene\w*|solche\w*|hier\w*|dort|dann|dabei|dazu|damit|dadurch|"
    r"außerdem|auch|und|aber|oder|beide|"
    r"cela|ceci|cet?|cette|ces|il|elle|ils|elles|est[eao]s?|ell[oa]s?|quest[oaei]|ess[oae]s?)\b"
    r"|[这此该其它他上下]|以上|以下|同样|另外|但|而且|如此"
    r"|こ[のれこ]|そ[のれこ]|あ[のれ]|また|しかし|なお|上記|下記|以下|同"
    r"|이(?:것|를|는|런|때|와|들)?\s|그(?:것|리|런|러|래)?\S{0,2}\s|해당|위의|아래",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(
    r"(?<![\w*_])(?P<mark>\*{1,3}|_{1,3})(?=\S)(?P<text>[^*\n]*?)(?<=\S)(?P=mark)(?![\w*_])"
)
_CODE = re.compile(r"(?P<mark>`{1,2})(?P<text>[^`]+)(?P=mark)")
_LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*\)")
_WIDE = "\u2e80-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"
_BREAK = re.compile(rf"(?<=[{_WIDE}])[ \t]*\n\s*(?=[{_WIDE}])")


def words_said(text: str, language: str | None) -> int:
    """How many words of ``text`` carry meaning; a script without spaces counts two characters a word."""
    found = tokens(normalise(text))
    dense = sum(len(token) for token in found if is_dense(token)) // 2
    plain = [token for token in found if not is_dense(token) and any(map(str.isalpha, token))]
    said = content_words(plain, [language or "en"]) if plain else []
    return dense + sum(len(token) > 1 for token in said)


def asks_what(term: str, language: str | None, plural: bool = False) -> str:
    """The question what a term is, in the language of its document (English where there is no other)."""
    known = primary(language) if language else "en"
    asked = _ASKED.get(known, _ASKED["en"])
    return (_ASKED_OF_MANY if plural and asked == _ASKED["en"] else asked).format(term)


def language_of(text: str, language: str | None) -> str | None:
    """The language of a stretch of a document in ``language``: another one where its script says so."""
    if _KANA.search(text):
        return "ja"
    if _HANGUL.search(text):
        return "ko"
    if language and primary(language) in {"ja", "ko", "zh"}:
        spaced = sum(character.isascii() and character.isalpha() for character in text)
        return "en" if spaced * 2 > len(text) else language
    return language


def leans_on_before(text: str) -> bool:
    """Whether a sentence begins with a word that points at what stands before it ("This", "Diese")."""
    return _LEANING.match(text.lstrip("\"'“„«「(（ ")) is not None


def plain(text: str) -> str:
    """``text`` on one line, without the marks of Markdown."""
    for marked in (_EMPHASIS, _CODE):
        text = marked.sub(r"\g<text>", text)
    return " ".join(_LINK.sub(r"\1", _BREAK.sub("", text)).split())
