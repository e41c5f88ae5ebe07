"""Passages of documents, about as long as a chunk, for a model to write questions about."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from .layout import Paragraph
from .reading import Read
from .wording import words_said

_FEWEST_CHARACTERS = 300
_MOST_CHARACTERS = 1200
_LEAST_WORDS = 25


@dataclass(frozen=True, slots=True)
class Passage:
    """Running text of one section and page. ``title`` is where it stands, as a reader would say it."""

    source: str
    title: str
    text: str
    place: str
    language: str | None

    @property
    def id(self) -> str:
        """The same for the same text of the same document."""
        return hashlib.sha256(f"{self.source}\n{self.text}".encode("utf-8", "surrogatepass")).hexdigest()


def passages(read: Read) -> Iterator[Passage]:
    """The running text of a document in passages that say enough to ask about."""
    together: list[Paragraph] = []
    for paragraph in read.layout.paragraphs():
        if together and not _belongs(read, together, paragraph):
            yield from _passage(read, together)
            together = []
        together.append(paragraph)
    if together:
        yield from _passage(read, together)


def _belongs(read: Read, together: list[Paragraph], paragraph: Paragraph) -> bool:
    first = together[0].start
    length = sum(len(each.text) for each in together) + len(paragraph.text)
    same = read.layout.path(first) == read.layout.path(paragraph.start)
    return (
        same and length <= _MOST_CHARACTERS and read.layout.place(first) == read.layout.place(paragraph.start)
    )


def _passage(read: Read, together: list[Paragraph]) -> Iterator[Passage]:
    text = "\n\n".join(each.text for each in together)
    enough = len(text) >= _FEWEST_CHARACTERS or words_said(text, read.language) >= 2 * _LEAST_WORDS
    if enough and len(text) <= 2 * _MOST_CHARACTERS and words_said(text, read.language) >= _LEAST_WORDS:
        path = " > ".join(read.layout.path(together[0].start))
        place = read.layout.place(together[0].start)
        yield Passage(read.source, path or read.content.title or read.source, text, place, read.language)
