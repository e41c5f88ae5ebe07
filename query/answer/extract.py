"""An answer without a model: the sentences of the evidence that bear most on the question.

A sentence is worth what of the question's words stands in it and in the title over it, by their weight,
how like the question it is to the embedder, and whether it has the shape of an answer (a figure for how
many, a step for how to). What follows a good sentence gains from it, and one that says again what
another says is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...indexer.models.ports import Vectors
from ...indexer.sentences import sentence_ends
from ...indexer.standalone import PROSE, read_sentences
from ...indexer.word_forms import is_dense
from ...indexer.words import words
from .asked import Asked
from .completing import reflow
from .evidence import Source

LOOKED_AT = 24
"""Sentences that are embedded: the best by their words."""
LONGEST = 420
"""Characters of a sentence that are shown."""

_WORDS, _PAIRS, _LIKE, _SHAPE, _AFTER = 0.55, 0.15, 0.4, 0.1, 0.15
"""What a sentence's words, word pairs, likeness and shape are worth, and the share of the sentence before."""
_TITLE = 0.6
"""What a word of the question counts that stands in the title over a sentence."""
_REST = 0.75
"""What a line of a table or a listing is worth against prose."""
_CLOSE = 0.62
"""The least worth of a further sentence, as a share of the best."""
_SAME = 0.6
"""The share of words in common from which on one sentence says again what another says."""
_COLON = (":", "：")

Likeness = Callable[[Sequence[str]], Vectors]
"""The cosine of each text to the question."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A sentence of an extract, and the source that it stands in."""

    text: str
    source: Source
    place: int
    worth: float
    prose: bool = True


def extract(asked: Asked, sources: Sequence[Source], most: int, likeness: Likeness) -> list[Chosen]:
    """The ``most`` best sentences of ``sources``, those of the best source first."""
    found = [each for source in sources if not source.summary for each in _sentences(asked, source)]
    if not found:
        return []
    found.sort(key=lambda each: (-each.worth, each.source.rank, each.place))
    near = found[:LOOKED_AT]
    cosines = likeness([each.text for each in near])
    near = [
        replace(each, worth=(each.worth + _LIKE * max(0.0, float(cosine))) * _trust(each))
        for each, cosine in zip(near, cosines, strict=True)
    ]
    near = _with_what_precedes(near)
    chosen: list[Chosen] = []
    for each in sorted(near, key=lambda each: (-each.worth, each.source.rank, each.place)):
        near_enough = not chosen or each.worth >= _CLOSE * chosen[0].worth
        if near_enough and len(chosen) < most and not any(_again(each, other) for other in chosen):
            chosen.append(each)
    best: dict[int, int] = {}
    for each in chosen:
        best.setdefault(each.source.rank, len(best))
    chosen.sort(key=lambda each: (best[each.source.rank], each.place))
    return [replace(each, text=_shown(each)) for each in chosen]


def _sentences(asked: Asked, source: Source) -> list[Chosen]:
    """The sentences of a source, each with what its words are worth."""
    title = source.citation.section[-1] if source.citation.section else source.citation.title
    over = asked.match(title, source.language)
    found: list[Chosen] = []
    for sentence in read_sentences([reflow(source.text)]):
        match = asked.match(sentence.text, source.language)
        said = match.terms + _TITLE * max(0.0, _both(asked, source, title, sentence.text) - match.terms)
        if not match.found and not over.found:
            continue
        worth = _WORDS * said + _PAIRS * (match.pairs + match.threes) + 0.1 * match.figures
        worth += _SHAPE * asked.tells(sentence.text)
        worth *= (1.0 if sentence.tier == PROSE else _REST) * (0.5 + 0.5 * sentence.merit)
        found.append(Chosen(sentence.text, source, sentence.place[1], worth, sentence.tier == PROSE))
    return found


def _both(asked: Asked, source: Source, title: str, text: str) -> float:
    """The share of the question's words in a sentence and the title over it together."""
    return asked.match(f"{title}\n{text}", source.language).terms


def _trust(each: Chosen) -> float:
    """What the source of a sentence makes of its worth."""
    return 0.7 + 0.3 * each.source.relevance - 0.01 * min(each.source.rank, 10)


def _with_what_precedes(near: Sequence[Chosen]) -> list[Chosen]:
    """The sentences, each with a share of the worth of the one just before it."""
    worth = {(each.source.rank, each.place): each.worth for each in near}
    return [
        replace(each, worth=each.worth + _AFTER * worth.get((each.source.rank, each.place - 1), 0.0))
        for each in near
    ]


def _again(each: Chosen, other: Chosen) -> bool:
    mine, theirs = (set(words(one.text, one.source.language)) for one in (each, other))
    return len(mine & theirs) >= _SAME * min(len(mine), len(theirs))


def _shown(each: Chosen) -> str:
    """A sentence as it is shown: with what its colon announces, and not too long."""
    text = each.text
    if text.endswith(_COLON):
        text += _announced(each)
    if len(text) <= LONGEST:
        return text
    cut = text.rfind(" ", 0, LONGEST)
    return f"{text[: cut if cut > LONGEST // 2 else LONGEST].rstrip()} …"


def _announced(each: Chosen) -> str:
    """What follows the colon at the end of a sentence: the items, the code, or the next sentence."""
    body = each.source.text
    last = r"\s+".join(re.escape(word) for word in each.text.split()[-6:])
    if is_dense(each.text):
        last = r"\s*".join(re.escape(character) for character in each.text[-12:] if not character.isspace())
    if (found := re.search(last, body)) is None:
        return ""
    following = body[found.end() :].strip("\n")
    block = re.split(r"\n[ \t]*\n", following, maxsplit=1)[0].rstrip()
    if not block or len(block) > LONGEST:
        block = following[: next(iter(sentence_ends(following)), 0)].rstrip()
    return f"\n{block}" if block and len(block) <= LONGEST else ""
