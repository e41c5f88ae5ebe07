"""The ways in which a sentence announces that it defines a term, by language."""

from __future__ import annotations

import re
from dataclasses import dataclass

_QUOTE = "\"'“”‘’„«»「」『』"
_WORD = r"[^\W_][\w+#./’'-]*"
_WORDS = rf"{_WORD}(?:[ -]{_WORD}){{0,3}}?"
_TERM = rf"[{_QUOTE}]*(?P<term>{_WORDS})[{_QUOTE}]*"
_MARKED = (
    rf"(?:[“„«‘\"](?P<term>{_WORDS})[”“»’\"]"
    rf"|(?P<mark>\*{{1,2}}|_{{1,2}})(?P<marked>{_WORDS})(?P=mark))"
)
_ASIDE = r"(?:\s*\([^()]{1,40}\))?"
_CLASS = (
    rf"(?:{_WORD},? ){{1,7}}?\(?(?:that|which|who|whose|where|of|for|used|to|in|with|from|by|consisting|"
    r"containing|between|on|and|or|made|known)\s"
)
_CLASS_DE = (
    r"(?:[\w-]+,? ){0,6}?[A-ZÄÖÜ][\w-]+,? (?:der|die|das|mit|zum|zur|für|aus|von|in|und|zu|des|im|"
    r"bei|dem|welche\w*)\s"
)
_UNSPACED = r"[^\s，。、；：？！,.;:?!“”「」『』\"()（）⟨⟩<>]{1,20}"
_TERM_WIDE = (
    rf"[“「『\"]?(?P<term>{_UNSPACED}(?: {_UNSPACED}){{0,2}}?)[”」』\"]?(?:\s*[(（][^()（）]{{1,40}}[)）])?"
)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A way of defining. It is ``certain`` where no other sentence is worded so; else the term must be
    spoken of in the title of the section."""

    language: str
    regex: re.Pattern[str]
    certain: bool = True


def _certain(language: str, *patterns: str) -> tuple[Pattern, ...]:
    return tuple(Pattern(language, re.compile(pattern)) for pattern in patterns)


def _likely(language: str, *patterns: str) -> tuple[Pattern, ...]:
    return tuple(Pattern(language, re.compile(pattern), certain=False) for pattern in patterns)


PATTERNS = (
    *_certain(
        "en",
        # A *watchdog* is a ...    “Watchdog” means ...
        rf"(?:(?P<article>An?|The) )?{_MARKED}{_ASIDE} (?P<verb>is|are) (?:an?|the|any|one|those)\b",
        rf"(?:(?P<article>An?|The) )?{_MARKED}{_ASIDE} (?:means|refers to|denotes|stands for)\s",
        # LVM stands for ...
        rf"(?:The (?:name|acronym|abbreviation|term) )?{_TERM}{_ASIDE} (?:stands for|is short for|"
        r"is an? (?:abbreviation|acronym|synonym) (?:for|of)|is the (?:abbreviation|acronym) (?:for|of))\s",
        rf"(?:The term|By) (?:an? )?{_TERM} (?:means|refers to|denotes|is used for|we mean)\s",
        # A watchdog is a timer that ...
        rf"(?P<article>An?) {_TERM}{_ASIDE},? is an? {_CLASS}",
    ),
    *_certain(
        "de",
        rf"(?:(?P<article>Eine?|Der|Die|Das) )?{_MARKED}{_ASIDE} (?:ist eine?|bedeutet|bezeichnet|heißt)\s",
        rf"(?:Die Abkürzung )?{_TERM}{_ASIDE} (?:steht für|ist (?:die|eine) Abkürzung für)\s",
        rf"Unter (?:(?:einem|einer) )?{_TERM} versteht man\s",
        rf"Als {_TERM} bezeichnet man\s",
        rf"(?P<article>Eine?) {_TERM}{_ASIDE} ist eine? {_CLASS_DE}",
    ),
    *_certain(
        "fr",
        rf"(?P<article>Une?) {_TERM}{_ASIDE} est une? (?:[\w’'-]+ ){{1,6}}?(?:qui|que|dont|de|pour)\s",
        rf"(?:On appelle|On entend par) (?:une? )?{_TERM}\s",
    ),
    *_certain("es", rf"(?P<article>Una?) {_TERM}{_ASIDE} es una? (?:[\w-]+ ){{1,6}}?(?:que|de|para|con)\s"),
    *_certain("zh", rf"(?:所谓)?{_TERM_WIDE}\s?(?:是指|指的是|是一种|是一款|是一套|即为)\s?\S"),
    *_certain(
        "ja",
        rf"{_TERM_WIDE}とは(?!別|違|異|限|言え|いえ|い[うっ])、?.{{4,}}"
        r"(?:です|である|こと|もの|を指|を言|をいう|をいい|を意味|しま|する)",
    ),
    *_certain(
        "ko", rf"{_TERM_WIDE}(?:이란|란)\s.{{4,}}(?:말한|말합|의미|뜻|가리|것이|것을|것입|입니다|이다)"
    ),
    *_likely("en", rf"(?:(?P<article>An?|The) )?{_TERM}{_ASIDE},? (?P<verb>is|are) (?:an?|the|one of the) "),
    *_likely("de", rf"(?:(?P<article>Eine?|Der|Die|Das) )?{_TERM}{_ASIDE} ist (?:eine?|der|die|das) "),
    *_likely("zh", rf"{_TERM_WIDE}\s?是一[个组]\s?\S"),
)
"""The certain ones first: a sentence is what the first that fits it says."""

HINT = re.compile(
    r" (?:is|are) (?:an?|the|any|one|those|short|another)\b| (?:means|stands for|refers to|denotes|we mean) |"
    r" ist (?:eine?|der|die|das)\b| (?:bedeutet|bezeichnet|heißt|steht für|versteht man)\b|"
    r" est une? | es una? |On appelle|On entend par|是指|指的是|是一|即为|とは|[이가-힣]란\s"
)
"""Something of which every pattern holds at least one."""
