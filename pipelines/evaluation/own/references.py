"""Cross-references: a sentence that points at a section is the question, that section the answer.

The page of the sentence itself does not count; the field ``from`` names it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....indexer.sentences import sentence_ends
from ....indexer.word_forms import is_dense
from ..places import page_place
from .candidates import Candidate, folded
from .pointing import may_point, pointing
from .reading import Read
from .section_numbers import SectionNumbers
from .wording import leans_on_before, words_said

_FILLERS = """
see more further information details detail described description section chapter discussed discussion
explained explanation example examples following also refer page list complete full additional about note
please siehe weitere weiteren informationen nähere einzelheiten beschrieben abschnitt kapitel finden
beispiel beachten
"""
_SAYING_LITTLE = frozenset(_FILLERS.split())
_LEAST_WORDS = 4
_LONGEST = 300
_SHORT_SECTION = 2
"""Pages up to which the whole section is gold, and not its first page alone."""


def references(read: Read) -> Iterator[Candidate]:
    """Sentences that point at one section of their own document, without the reference itself."""
    numbers = SectionNumbers(read.content)
    for offset, sentence in _sentences(read):
        found = pointing(sentence)
        if found is None or not _stands_alone(found.said, read.language):
            continue
        sections = {numbers.find(number) for number in found.numbers}
        if len(sections) == 1 and (index := sections.pop()) is not None:
            yield from _candidate(read, found.said, index, offset)


def _sentences(read: Read) -> Iterator[tuple[int, str]]:
    for paragraph in read.layout.paragraphs():
        if may_point(paragraph.text):
            start = 0
            for end in sentence_ends(paragraph.text):
                yield paragraph.start + start, paragraph.text[start:end]
                start = end


def _candidate(read: Read, said: str, index: int, offset: int) -> Iterator[Candidate]:
    start, end = read.content.sections[index].start, read.layout.section_end(index)
    here = read.layout.place(offset)
    gold: tuple[str, ...] = (read.layout.place(start),)
    if read.content.pages:
        pages = read.layout.pages(start, end)
        shown = pages if len(pages) <= _SHORT_SECTION else pages[:1]
        gold = tuple(page_place(read.source, page) for page in shown)
        if read.layout.page(offset) in pages:
            return
    if here not in gold and not start <= offset < end:
        yield Candidate("references", said, read.source, gold, {"from": here})


def _stands_alone(said: str, language: str | None) -> bool:
    if len(said) > _LONGEST or leans_on_before(said):
        return False
    words = [word for word in folded(said).split() if word.strip(".,;:()") not in _SAYING_LITTLE]
    return words_said(" ".join(words), language) >= _LEAST_WORDS + is_dense(said)
