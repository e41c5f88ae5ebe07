"""Defined terms: what is X? The place of its definition is the answer.

Only definitions that announce themselves are taken: rather few questions than wrong ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ....indexer.loaders.media import HTML
from ....indexer.sentences import sentence_ends
from .candidates import Candidate, folded
from .definitions import may_define, sentence_definition
from .entries import entry_definition, is_glossary, listed_definitions
from .layout import Paragraph
from .reading import Read
from .wording import asks_what, language_of, plain, words_said

_MOST_TIMES = 2
"""A term that is defined in more places than this is a common word."""
_LEAST_WORDS = 5


def defined_terms(read: Read) -> Iterator[Candidate]:
    """The terms that a document defines, each asked in the language of the definition."""
    found = dict.fromkeys(_found(read))
    times = Counter(folded(question) for question, _ in found)
    for question, place in found:
        if times[folded(question)] <= _MOST_TIMES:
            yield Candidate("terms", question, read.source, (place,))


def _found(read: Read) -> Iterator[tuple[str, str]]:
    paragraphs = list(read.layout.paragraphs())
    listed = set()
    if read.content.media_type == HTML:
        listed = set(listed_definitions([each.text for each in paragraphs], read.language))
    for number, paragraph in enumerate(paragraphs):
        path = read.layout.path(paragraph.start)
        language = language_of(paragraph.text, read.language)
        term = entry_definition(paragraph.text, language, number in listed or is_glossary(path))
        if term:
            yield asks_what(term, language), read.layout.place(paragraph.start)
        elif may_define(paragraph.text):
            for offset, question in _of_sentences(paragraph, path, language):
                yield question, read.layout.place(offset)


def _of_sentences(
    paragraph: Paragraph, path: tuple[str, ...], language: str | None
) -> Iterator[tuple[int, str]]:
    """The questions that sentences of a paragraph answer, with their offsets. After the first sentence
    only what is certain counts: what a section is about it says at its beginning."""
    titles = " ".join(folded(plain(title)) for title in path)
    start = 0
    for end in sentence_ends(paragraph.text):
        sentence = plain(paragraph.text[start:end])
        found = sentence_definition(paragraph.text[start:end].strip()) if may_define(sentence) else None
        told = found is not None and (found.certain or (start == 0 and folded(found.term) in titles))
        if found is not None and told and words_said(sentence, language) >= _LEAST_WORDS:
            yield paragraph.start + start, asks_what(found.asked, found.language, found.plural)
        start = end
