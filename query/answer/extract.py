"""An answer without a model: the sentences of the evidence that bear most on the question.

A sentence is worth what of the question's words stands in it and in the title over it, by their weight,
how like the question it is to the embedder, and whether it has the shape of an answer (a figure for how
many, a step for how to). What follows a good sentence gains from it, and one that says again what
another says is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from ...indexer.models.ports import Vectors
from ...indexer.standalone import PROSE, read_sentences
from ...indexer.word_forms import is_dense
from ...indexer.words import words
from .asked import Asked
from .completing import listed, reflow, with_colons
from .conflicts import age_of, are_editions
from .evidence import Source
from .rows import table_rows, without_tables

LOOKED_AT = 24
"""Sentences that are embedded: the best by their words."""
LONGEST = 480
"""Characters of a sentence that are shown."""

_WORDS, _PAIRS, _LIKE, _SHAPE, _AFTER = 0.55, 0.15, 2.0, 0.15, 0.15
"""What a sentence's words, word pairs, likeness and shape are worth, and the share of the sentence before.
The likeness counts as far as the search gave weight to it for this question."""
_FIGURES, _QUANTITY = 0.1, 0.25
"""What the figures of the question are worth, and any figure where one is asked for."""
_TITLE = 0.6
"""What a word of the question counts that stands over a sentence: in its title, or its label."""
_LABEL = 160
"""Characters of a label."""
_KEYLESS = 0.75
"""What a sentence is worth that lacks the word by which the question is told from others."""
_FIGURELESS = 0.9
"""What a sentence is worth that lacks a number of the question."""
_WHOLE = 0.5
"""The merit from which on a sentence stands for itself."""
_ECHO = 0.2
"""What a sentence is worth that says the question again."""
_LATER = 0.06
"""What each place further down in the evidence takes."""
_STATED = 0.4
"""What a sentence gains that states a relation on the way to the answer."""
_ROW, _REST = 0.95, 0.75
"""What a row of a table, and what any other line that is no prose, is worth against prose."""
_CLOSE = 0.62
"""The least worth of a further sentence, as a share of the best."""
_SAME = 0.75
"""The share of words in common from which on one sentence says again what another says."""
_SAYING, _ANNOUNCING = 5, 3
"""Spaces in the shortest line that is a sentence, and in one that announces what follows."""
_ENTRY, _ENTRIES = re.compile(r"\S, \d{1,4}(?=\s|$)"), 3
"""An entry of a printed index ("wdt_enable, 214"); so many in a row only say where something is told."""
_CLAUSE = re.compile(r"[,;:] (?=\S)|[，；：、]")
_COLON = (":", "：")

Likeness = Callable[[Sequence[str]], Vectors]
"""The cosine of each text to the question."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A sentence of an extract, and the source that it stands in, where it is ``quoted`` from. ``share`` is
    what of its worth counts, ``announced`` what follows its colon."""

    text: str
    quoted: str
    source: Source
    place: int
    worth: float
    share: float = 1.0
    prose: bool = True
    announced: str = ""


def extract(
    asked: Asked,
    sources: Sequence[Source],
    most: int,
    likeness: Likeness,
    stated: Collection[str] = (),
) -> list[Chosen]:
    """The ``most`` best sentences of ``sources``, those of the best source first. Those ``stated`` are steps
    on the way from the question to its answer."""
    found = [each for source in sources if not source.summary for each in _sentences(asked, source, stated)]
    if not found:
        return []
    found.sort(key=lambda each: (-each.worth * each.share, each.source.rank, each.place))
    near = found[:LOOKED_AT]
    cosines = likeness([each.text for each in near])
    near = [
        replace(
            each,
            worth=(each.worth + _LIKE * asked.dense * max(0.0, float(cosine))) * each.share * _trust(each),
        )
        for each, cosine in zip(near, cosines, strict=True)
    ]
    near = _with_what_precedes(near)
    chosen: list[Chosen] = []
    for each in sorted(near, key=lambda each: (-each.worth, each.source.rank, each.place)):
        if chosen and each.worth < _CLOSE * chosen[0].worth:
            break
        same = next((at for at, other in enumerate(chosen) if _again(each, other)), None)
        if same is not None:
            if _supersedes(each, chosen[same]):
                chosen[same] = each
        elif len(chosen) < most:
            chosen.append(each)
    chosen = _in_order(chosen, asked)
    return [
        replace(each, text=_shown(each, asked), source=each.source.quoted(each.quoted, each.announced))
        for each in chosen
    ]


def _in_order(chosen: Sequence[Chosen], asked: Asked) -> list[Chosen]:
    """Sentences, given best first, as they are told: the best one, then the others by source and place; steps
    as they follow one another in theirs."""
    best: dict[int, int] = {}
    for each in chosen:
        best.setdefault(each.source.rank, len(best))
    lead = chosen[:1] if asked.shape != "steps" else []
    rest = sorted(chosen[len(lead) :], key=lambda each: (best[each.source.rank], each.place))
    return [*lead, *rest]


def _sentences(asked: Asked, source: Source, stated: Collection[str]) -> list[Chosen]:
    """The sentences and rows of a source, each with what its words are worth."""
    text = reflow(source.text)
    prose = with_colons(without_tables(text))
    labels = _Labels(prose)
    found: list[Chosen] = []
    line = ""  # a signature or the like, which what follows explains
    for sentence in read_sentences([prose]):
        title = _title(source, sentence.text)
        over = f"{title}\n{labels.before(sentence.text)}\n{line}"
        prose_like = sentence.tier == PROSE or _reads(sentence.text)
        line = "" if prose_like and sentence.merit >= _WHOLE else sentence.text[-_LABEL:]
        announced = _announced(sentence.text, source) if sentence.text.endswith(_COLON) else ""
        worth, share = _worth(asked, sentence.text, over, source.language, announced)
        if sentence.text in stated:
            worth, share = worth + _STATED, 1.0
        merit = 1.0 if prose_like and sentence.tier != PROSE else sentence.merit
        share *= _ECHO if len(_ENTRY.findall(sentence.text)) >= _ENTRIES else 1.0
        share *= (1.0 if prose_like or asked.shape == "syntax" else _REST) * (0.5 + 0.5 * merit)
        found.append(
            Chosen(
                sentence.text, sentence.text, source, sentence.place[1], worth, share, prose_like, announced
            )
        )
    # Two apart: a row gains nothing from the one before it.
    for at, row in enumerate(table_rows(text), start=len(found)):
        over = f"{_title(source, row.line)}\n{source.over}"
        worth, share = _worth(asked, row.text, over, source.language)
        told = f"{row.text} ({source.over})" if source.over else row.text
        found.append(Chosen(told, row.line, source, 2 * at, worth, _ROW * share, prose=False))
    return [each for each in found if each.worth > 0]


def _reads(text: str) -> bool:
    """Whether a line that looks like code is a sentence: one that begins with what it explains, or that
    announces what follows."""
    letters = sum(map(str.isalpha, text)) + text.count(" ")
    fewest = _ANNOUNCING if text.endswith(_COLON) else _SAYING
    long_enough = text.count(" ") >= fewest or (is_dense(text) and len(text) >= 12)
    return text.rstrip().endswith((".", "。", *_COLON)) and long_enough and letters >= 0.8 * len(text)


def _worth(
    asked: Asked, text: str, over: str, language: str | None, announced: str = ""
) -> tuple[float, float]:
    """What a sentence's words are worth, with what stands ``over`` it, and what share of it counts; a list
    that it ``announced`` may be what it says beyond the question."""
    match, both = asked.match(text, language), asked.match(f"{over}\n{text}", language)
    if not both.found:
        return 0.0, 0.0
    said = match.terms + _TITLE * (both.terms - match.terms)
    worth = _WORDS * said + _PAIRS * (match.pairs + match.threes) + _FIGURES * match.figures
    share = 1.0 if asked.key is None or asked.key in both.found else _KEYLESS
    share *= _FIGURELESS if asked.lacks_figure(both, language) else 1.0
    shape = _QUANTITY if asked.shape == "quantity" else _SHAPE
    echoes = asked.echoes(f"{text}{announced}", language)
    return worth + shape * asked.tells(text), share * (_ECHO if echoes else 1.0)


def _title(source: Source, quoted: str) -> str:
    """What stands over a sentence of a passage: its section, its document's title, its file's name."""
    citation = source.quoted(quoted).citation
    return "\n".join((*citation.section[-1:], citation.title, PurePosixPath(citation.source).stem))


class _Labels:
    """What stands before a sentence and is none: a heading, a caption, a signature, a term explained."""

    def __init__(self, text: str) -> None:
        self._text = " ".join(text.split())
        self._at = 0

    def before(self, sentence: str) -> str:
        """The end of what was passed over before ``sentence``; to be called for each in reading order."""
        start = self._text.find(sentence, self._at)
        if start < 0:
            return ""
        passed, self._at = self._text[self._at : start], start + len(sentence)
        return passed[-_LABEL:]


def _trust(each: Chosen) -> float:
    """What the source of a sentence makes of its worth."""
    return (0.7 + 0.3 * each.source.relevance) / (1 + _LATER * each.source.rank)


def _with_what_precedes(near: Sequence[Chosen]) -> list[Chosen]:
    """The sentences, each with a share of the worth of the one just before it."""
    worth = {(each.source.rank, each.place): each.worth for each in near}
    return [
        replace(each, worth=each.worth + _AFTER * worth.get((each.source.rank, each.place - 1), 0.0))
        for each in near
    ]


def _again(each: Chosen, other: Chosen) -> bool:
    mine, theirs = (set(words(one.text + one.announced, one.source.language)) for one in (each, other))
    return len(mine & theirs) >= _SAME * min(len(mine), len(theirs))


def _supersedes(each: Chosen, other: Chosen) -> bool:
    """Whether a sentence is that of a newer edition."""
    mine, theirs = each.source.document, other.source.document
    if mine is None or theirs is None or not are_editions(mine, theirs):
        return False
    return age_of(mine) > age_of(theirs)


def _shown(each: Chosen, asked: Asked) -> str:
    """A sentence as it is shown: with what its colon announces, and not too long."""
    text = each.text + each.announced
    return text if len(text) <= LONGEST else _cut(text, asked, each.source.language)


def _cut(text: str, asked: Asked, language: str | None) -> str:
    """The clauses of a long sentence, next to one another, that hold most of the question."""
    starts = [0, *(found.end() for found in _CLAUSE.finditer(text))]
    best, kept = -1.0, (0, LONGEST)
    for start in starts:
        if start and len(text) - start < LONGEST // 2:
            break
        ends = [end for end in (*starts, len(text)) if start < end <= start + LONGEST]
        end = max(ends, default=start + LONGEST)
        match = asked.match(text[start:end], language)
        if match.terms + match.pairs > best:
            best, kept = match.terms + match.pairs, (start, end)
    part = text[slice(*kept)].strip()
    return f"{'… ' if kept[0] else ''}{part}{' …' if kept[1] < len(text) else ''}"


def _announced(text: str, source: Source) -> str:
    """What follows the colon at the end of a sentence: the items, the code, or the next sentence."""
    said = text.rstrip("".join(_COLON))
    last = r"\s+".join(re.escape(word) for word in said.split()[-6:])
    if is_dense(said):
        last = r"\s*".join(re.escape(character) for character in said[-12:] if not character.isspace())
    if (found := re.search(last, source.text)) is None:
        return ""
    return listed(source.text[found.end() :].lstrip(" :："))
