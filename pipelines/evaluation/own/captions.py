"""Captions of figures and tables: what one says is the question, the page that it is on the answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ....indexer.sentences import sentence_ends
from .candidates import Candidate, folded
from .reading import Read
from .wording import plain, words_said

_LABELS = (
    "figures?|fig|tables?|tab|exhibit|listing|chart|diagram|plate|illustration|algorithm|scheme|"
    "abbildung|abb|tabelle|bild|diagramm|übersicht|schema|"
    "tableau|schéma|graphique|figura|tabla|cuadro|gráfico|tabella|tabela|quadro|figuur|tabel|afbeelding|"
    "figur|tabell|rysunek|rys|obrázek|tabulka|şekil|tablo|рисунок|рис|таблица|табл|"
    "図表|図|表|写真|图表|图|圖|그림|표|도표"
)
_NUMBER = r"(?:[A-Z]{1,2}[-.‑–]?)?\d+(?:[-.‑–]\d+)*[a-z]?|[IVX]+(?=[\s:.])|[A-Z](?=\s*[:.])"
_CAPTION = re.compile(
    rf"(?:{_LABELS})\.?\s*(?:{_NUMBER})(?P<mark>\s*[:：.．|–—―-]+\s*|\s+)(?P<text>\S.*)", re.IGNORECASE
)
_MORE = re.compile(
    r"\s*[(（\[]?\s*\b(?:continued(?: (?:from|on) .*)?|cont(?:inue)?d?\.?|fortsetzung|suite|続き|续表?|계속)"
    r"\s*[)）\]]?\s*\Z",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"(?:\.\s?\.|\u2026|\s{2})\s*(?:\d+|[ivxlc]+)\s*\Z", re.IGNORECASE)
_LONGEST = 240
_LONGEST_UNMARKED = 150
_LEAST_WORDS = 2
_MOST_TIMES = 3
"""A caption that stands in more places than this tells none of them apart."""


def captions(read: Read) -> Iterator[Candidate]:
    """What the captions of a document say, without label and number ("Figure 3-1: ...")."""
    found = dict.fromkeys(_found(read))
    times = Counter(folded(text) for text, _ in found)
    for text, place in found:
        if times[folded(text)] <= _MOST_TIMES:
            yield Candidate("captions", text, read.source, (place,))


def _found(read: Read) -> Iterator[tuple[str, str]]:
    """Captions with their places: paragraphs that are one, and those that the loader tells of tables."""
    for paragraph in read.layout.paragraphs():
        if text := _of_paragraph(paragraph.text, read.language):
            yield text, read.layout.place(paragraph.start)
    for block in read.content.blocks:
        if block.kind != "table" or not block.caption or read.layout.points_elsewhere(block.start):
            continue
        labelled = _of_paragraph(block.caption, read.language)
        unlabelled = None if read.content.pages else _worth(plain(block.caption), read.language)
        if text := labelled or unlabelled:
            yield text, read.layout.place(block.start)


def _of_paragraph(paragraph: str, language: str | None) -> str | None:
    """What a paragraph that is a caption says; None where it is none, or says too little.

    Without a colon or full stop after its number it is one only if it is as short as a title: running
    text, too, begins "Table 3 shows ...".
    """
    if _LEADERS.search(paragraph):
        return None
    match = _CAPTION.fullmatch(plain(paragraph))
    if match is None:
        return None
    text = match["text"]
    if match["mark"].strip():
        return _worth(text[: sentence_ends(text)[0]], language)
    titled = text[0].isupper() or not (text[0].isalpha() and text[0].isascii())
    if not titled or len(text) > _LONGEST_UNMARKED or "\n" in paragraph or text[-1] in ".;,。！？!?":
        return None
    return _worth(text, language)


def _worth(text: str, language: str | None) -> str | None:
    text = _MORE.sub("", text).strip().rstrip(".。:：")
    return text if len(text) <= _LONGEST and words_said(text, language) >= _LEAST_WORDS else None
