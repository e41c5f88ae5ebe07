"""The sentences of passages that may stand in a summary or an answer, and how well each would stand alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .sentences import sentence_ends
from .word_forms import is_dense

PROSE, REST = 0, 1
"""The tiers: what is not prose is turned to only where prose runs out."""

TERMS_MARK = "▸ "
"""Begins the line of key terms that closes an extractive summary."""
TERMS_JOINT = ", "

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_BULLET = re.compile(r"^\s*(?:[-−*+•‣◦▪●○·–—►✓]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)])\s+")
_TABLE_RULE = re.compile(r"^\|?[\s:|-]+\|?$")
_NUMBERED_TITLE = re.compile(r"^(?:#{1,6}\s|(?:[A-Z]|\d+)(?:\.\d+)+\.?\s|§\s?\d)")
_CODE = re.compile(
    r"^(?:```|~~~|\$ |# |>{1,3} |\? |%\d|//|/\*|#include|[{}]$)|[;{}\\]\s*$|^\s*\S+\s*=\s*\S+.*\("
)
_ENDED = re.compile(r"[.!?…。！？｡؟۔।॥][\"'”’»›)\]}」』）】]*$")
_LEADER = re.compile(r"\.{4,}|\. \. \.|\.\.\.\s+\d|…\s+\d|_{4,}|\s\.{2,3}$")
_LEGAL = re.compile(
    r"©|\(c\) ?\d{4}|copyright|all rights reserved|trademark|warrant(?:y|ies)\b|no liability|"
    r"permission is (?:hereby )?granted|licen[cs]ed? under|general public licen|urheberrecht|warenzeichen|"
    r"markenzeichen|gewährleistung|droits d.auteur|marque déposée|版权|著作权|商标|著作権|商標|저작권|상표",
    re.IGNORECASE,
)
_LEGAL_HINTS = (
    "©", "(c)", "copyright", "rights reserved", "trademark", "warrant", "no liability", "permission is",
    "licen", "urheberrecht", "warenzeichen", "markenzeichen", "gewährleistung", "droits d", "marque dép",
    "版权", "著作", "商标", "商標", "저작권", "상표",
)  # fmt: skip
"""One of these is in whatever ``_LEGAL`` matches: looked for first, since it is many times faster."""
_REFERENCE = re.compile(
    r"^(?:see|refer to|cf\.?|siehe|vgl\.?|voir|véase|vedi|zie|см\.?)\b|\bpage \d+|\bS\. ?\d+\b|"
    r"^(?:参见|参阅|另见|请参阅|詳細は|を参照|참고|참조)|を参照(?:して|のこと|下さい|ください)|"
    r"을 참고|를 참고",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"^(?:this|these|that|those|it|its|they|he|she|such|however|also|thus|therefore|hence|otherwise|then|"
    r"furthermore|moreover|but|and|or|so|here|there|in this|in that|for this|for example|e\.g|"
    r"note that (?:this|it|the)|dies\w*|jene\w*|sie|er|es|dabei|damit|dadurch|jedoch|allerdings|außerdem|"
    r"auch|danach|hier|aber|und|oder|zum beispiel|ce|cet|cette|ces|il|elle|cela|esto?s?|est[ae]s?|ello|"
    r"quest[oaei]|это|этот|эта|он[аио]?)\b|"
    r"^(?:これ|この|それ|その|そこ|ここ|また|しかし|なお|もし|例えば|たとえば|そして|こう|"
    r"这|该|它|其|此|但|因此|所以|例如|另外|如果这|이것?|그|또한|하지만|그러나|예를)",
    re.IGNORECASE,
)
_SIGN = re.compile(r"[^\w ]|[\d_]")
_INDENT = re.compile(r"^(?: {2,}|\t)\S")
_SIGN_SHARE = 0.28
_FEWEST_WORDS, _FEWEST_DENSE = 4, 10
_SHORT_LINE = 60


@dataclass(frozen=True, slots=True)
class Sentence:
    """A stretch that may stand in a summary. ``place`` is (passage, number in it); ``merit`` (0..1] how
    well it stands alone."""

    text: str
    place: tuple[int, int]
    tier: int
    merit: float


def read_sentences(passages: Sequence[str]) -> list[Sentence]:
    """The candidates of all passages, in reading order. Headings are none, nor are lines of a table of
    contents; a table's row comes with the names of its columns."""
    found: list[Sentence] = []
    for index, passage in enumerate(passages):
        legal = _may_be_legal(passage)
        pieces = [piece for part in _PARAGRAPH.split(passage) for piece in _pieces(part, legal)]
        found += [Sentence(text, (index, n), tier, merit) for n, (text, tier, merit) in enumerate(pieces)]
    return found


def key_terms_of(text: str) -> list[str]:
    """The key terms that close the extractive summary ``text``; none where it has no such line."""
    last = text.rpartition("\n")[2]
    return last.removeprefix(TERMS_MARK).split(TERMS_JOINT) if last.startswith(TERMS_MARK) else []


def without_legal(text: str) -> str:
    """``text`` without its sentences of licences, disclaimers and trademarks."""
    if not _may_be_legal(text):
        return text
    ends = [0, *sentence_ends(text)]
    return "".join(text[a:b] for a, b in pairwise(ends) if not _LEGAL.search(text, a, b))


def _may_be_legal(text: str) -> bool:
    lowered = text.lower()
    return any(hint in lowered for hint in _LEGAL_HINTS)


_Piece = tuple[str, int, float]


def _pieces(paragraph: str, legal: bool) -> Iterator[_Piece]:
    lines = [line for line in paragraph.split("\n") if line.strip()]
    if lines and lines[-1].startswith(TERMS_MARK):
        lines.pop()
    if not lines:
        return
    if lines[0].lstrip().startswith("|"):
        yield from _rows(lines)
    elif _is_code(lines):
        yield from ((_flat(line), REST, 0.3) for line in lines if not line.startswith(("```", "~~~")))
    elif len(lines) > 1 or not _is_title(lines[0]):
        text = "\n".join(lines)
        start = 0
        for end in sentence_ends(text):
            if piece := _judged(text[start:end].strip(), legal):
                yield piece
            start = end


def _rows(lines: Sequence[str]) -> Iterator[_Piece]:
    """Rows as ``column: cell``; those of a table whose header is elsewhere stay out."""
    if len(lines) < 3 or not _TABLE_RULE.match(lines[1].strip()):
        return
    header = _cells(lines[0])
    for line in lines[2:]:
        named = [
            f"{name}: {cell}" if name else cell for name, cell in zip(header, _cells(line), strict=False)
        ]
        if len(named) == len(header) and len(header) > 1 and line.lstrip().startswith("|"):
            yield "; ".join(pair for pair in named if not pair.endswith(": ")), REST, 0.6


def _cells(line: str) -> list[str]:
    return [_flat(cell) for cell in line.strip().strip("|").split("|")]


def _is_code(lines: Sequence[str]) -> bool:
    marked = sum(1 for line in lines if _CODE.search(line) or _INDENT.match(line))
    return marked * 2 > len(lines) or (
        len(lines) == 1 and marked == 1 and not _ENDED.search(lines[0].rstrip())
    )


def _is_title(line: str) -> bool:
    line = line.strip()
    return bool(_NUMBERED_TITLE.match(line)) or (len(line) < _SHORT_LINE and not _ENDED.search(line))


def _judged(stretch: str, legal: bool) -> _Piece | None:
    """A sentence with its tier and merit; None for what says nothing alone. ``legal``: to be looked at for
    phrases of licences."""
    if _LEADER.search(stretch):
        return None
    item = _BULLET.match(stretch)
    text = _flat(_without_run_in(stretch[item.end() :] if item else stretch))
    if not text:
        return None
    dense = is_dense(text)
    long_enough = len(text) >= _FEWEST_DENSE if dense else text.count(" ") + 1 >= _FEWEST_WORDS
    if not long_enough:
        return None
    signs = len(_SIGN.findall(text)) / len(text)
    merit = 1.0
    if not dense and text[0].islower():
        merit *= 0.5  # begun in the chunk before, or a line of something else
    if _DANGLING.match(text):
        merit *= 0.6
    if _REFERENCE.search(text) or text.count("(") != text.count(")"):
        merit *= 0.4
    if item or text[0] in "(（[":
        merit *= 0.8
    prose = _ENDED.search(text) is not None and signs <= _SIGN_SHARE
    prose = prose and not (legal and _LEGAL.search(text))
    return text, PROSE if prose else REST, merit


def _without_run_in(stretch: str) -> str:
    """A sentence without the short lines before it that are titles, captions or terms of their own."""
    lines = stretch.split("\n")
    while len(lines) > 1 and len(lines[0].strip()) < _SHORT_LINE and lines[1].lstrip()[:1].isupper():
        lines.pop(0)
    return "\n".join(lines)


def _flat(text: str) -> str:
    return " ".join(text.split())
