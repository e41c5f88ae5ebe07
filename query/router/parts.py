"""A question that asks several things, taken apart by its form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .features import LONGEST, telling_words

LEAST = 2
"""Words with a meaning (or pairs of characters without spaces) in the shortest question that stands alone."""
_SENTENCE = re.compile(r"(?<=[?？;；])\s*")
_WH = (
    r"what|which|who|whom|whose|when|where|why|how|does|do|did|can|could|must|should"
    r"|was|welche[mnrs]?|wer|wann|wo|warum|wie|womit|wofür|kann|muss|darf"
    r"|quel\w*|quand|où|pourquoi|comment|combien|qué|cuál\w*|quién\w*|cuándo|dónde|cómo"
)
_AND = re.compile(rf",?\s+(?:and|und|et|y)\s+(?=(?:(?:also|auch|in|at|on|for|to|with)\s+)?(?:{_WH})\b)", re.I)
_DENSE_AND = re.compile(r"[，,、]\s*(?:以及|并且|另外|还有|また|それから|그리고)\s*|,?\s+그리고\s+")
_QUESTION = re.compile(rf"\s*(?:[\w'’-]+,?\s+){{0,4}}?(?:{_WH}|is|are|was|were|ist|sind|est|es)\b", re.I)
_LEANING = re.compile(
    r"(?<!\w)(?:it|its|itself|they|them|their|this|that|these|those|he|she|his|her|there|then|so|such|one|ones"
    r"|(?:the )?(?:same|latter|former|other)|both"
    r"|er|sie|es|ihn|ihm|ihr\w*|dies(?:e[mnrs]?)?|davon|dafür|damit|dort|dann|il|elle|ils|elles|ce|cela|y|ello|este|esto)"
    r"(?!\w)|[它其]|这[个些种]?|那[个些种]?|それ|これ|その|この|그것|이것",
    re.I,
)
_SIDE = r"[^,;?]{1,80}?"
_STOP = r"(?=\s*(?:[,;?]|\.?\s*$|\b(?:in|with|for|when|on|bei|im|wenn|mit)\b))"
_BOTH = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r"(?:the )?(?:differences?|similarit(?:y|ies)|relation(?:ship)?s?|connections?|comparison)"
        rf"\s+between\s+(?P<one>{_SIDE})\s+and\s+(?P<two>{_SIDE}){_STOP}",
        rf"compare\s+(?P<one>{_SIDE})\s+(?:and|with|to)\s+(?P<two>{_SIDE}){_STOP}",
        r"(?:der |die |den )?(?:Unterschiede?|Zusammenhang|Vergleich|Beziehung|Verbindung)\s+zwischen\s+"
        rf"(?P<one>{_SIDE})\s+und\s+(?P<two>{_SIDE}){_STOP}",
        r"(?P<one>[^，。？,?\s]{1,40}?)(?:和|与|與|跟)(?P<two>[^，。？,?\s]{1,40}?)(?:之间)?的?"
        r"(?:区别|區別|差别|差異|差异|不同|关系|比较)",
        r"(?P<one>[^、。？?\s]{1,40}?)と(?P<two>[^、。？?\s]{1,40}?)の(?:違い|相違|差|関係|比較)",
        r"(?P<one>[^,.?]{1,40}?)(?:와|과)\s*(?P<two>[^,.?]{1,40}?)(?:의|\s)\s*(?:차이|관계|비교)",
    )
)


def parts_of(question: str, languages: Sequence[str], most: int) -> list[str]:
    """The questions to ask for ``question``, at most ``most``; itself alone where it asks one thing.

    Several sentences that ask, and clauses joined by "and" that ask each for itself, are asked one by one,
    unless one leans on another ("and how do I clear it?"). Of a comparison both sides are asked, each with
    what is asked of both, after the question itself. One that is longer than what is looked at for what it
    wants is asked whole.
    """
    if most < LEAST or len(question) > LONGEST:
        return [question]
    parts = [part for sentence in _SENTENCE.split(question) for part in _clauses(sentence.strip()) if part]
    alone = [_stands_alone(part, languages) for part in parts]
    if len(parts) < LEAST or not all(alone) or any(map(_LEANING.search, parts[1:])):
        parts = [question, *_sides(question, languages)]
    return list(dict.fromkeys(parts))[:most]


def _clauses(sentence: str) -> Iterator[str]:
    """The clauses of a sentence that ask each for itself: all of them do, or it is one."""
    pieces = [piece.strip() for part in _AND.split(sentence) for piece in _DENSE_AND.split(part)]
    spaced = [piece for piece in pieces if " " in piece]
    yield from pieces if all(map(_QUESTION.match, spaced)) else [sentence]


def _sides(question: str, languages: Sequence[str]) -> list[str]:
    """The two sides of a comparison, each with the rest of the question; none where it compares nothing."""
    for pattern in _BOTH:
        if found := pattern.search(question):
            sides = [found["one"].strip(), found["two"].strip()]
            if not any(map(_LEANING.search, sides)) and all(telling_words(side, languages) for side in sides):
                before, after = question[: found.start()], question[found.end() :]
                return [f"{before}{side}{after}".strip() for side in sides]
    return []


def _stands_alone(part: str, languages: Sequence[str]) -> bool:
    return telling_words(part, languages) >= LEAST
