"""The statements of a chunk, sentence by sentence: places referred to, and relations between its names."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..names import Found
from ..sentences import sentence_ends
from ..word_forms import is_dense
from .extraction import Passage, Stated
from .patterns_conditions import condition_spans, condition_text
from .patterns_copula import find_copulas
from .patterns_dense import find_dense_relations
from .patterns_lexicon import has_lexicon, lexicon
from .patterns_names import Gathered
from .patterns_needs import find_enablers, find_needs
from .patterns_places import find_places
from .patterns_relations import find_relations
from .patterns_subjects import About
from .patterns_terms import see_also
from .patterns_units import Triple, read_units
from .patterns_uses import find_uses

_LONGEST = 1200
"""A longer sentence is a list or a listing: no relations are read from it."""
_MOST_NAMES = 40


def read_sentences(
    gathered: Gathered, passage: Passage, found: Sequence[Found], about: About
) -> Iterator[Stated]:
    """The statements of the passage; every name in them is added to ``gathered``."""
    text = passage.text
    ends = sentence_ends(text)
    sentences = list(pairwise([0, *ends]))
    yield from _places(gathered, text, sentences, about)
    yield from _seen(gathered, text, sentences, about)
    if passage.kind == "code":
        return
    at = 0
    for start, end in sentences:
        names: list[Found] = []
        while at < len(found) and found[at].start < end:
            names.append(found[at])
            at += 1
        if names and end - start <= _LONGEST and len(names) <= _MOST_NAMES:
            yield from _relations(gathered, passage, text[start:end], start, names, about.subject)


def _places(
    gathered: Gathered, text: str, sentences: list[tuple[int, int]], about: About
) -> Iterator[Stated]:
    own = about.place
    at = 0
    for place in sorted(find_places(text), key=lambda place: place.start):
        aliases = [place.written] if place.written != place.name else []
        if place.caption:
            aliases.append(place.caption)
        name = gathered.add(place.name, type=place.type, local=True, aliases=aliases)
        if name is None or not own or name == own:
            continue
        while sentences[at][1] <= place.start:
            at += 1
        sentence = text[slice(*sentences[at])].strip()
        if len(sentence) <= _LONGEST:
            yield Stated(own, name, "contains" if place.caption else "refers to", sentence)


def _seen(gathered: Gathered, text: str, sentences: list[tuple[int, int]], about: About) -> Iterator[Stated]:
    for item, at in see_also(text):
        name = gathered.add(item, kind="identifier")
        start, end = sentences[bisect_right(sentences, (at, len(text))) - 1]
        if name and about.subject and end - start <= _LONGEST:
            yield Stated(about.subject, name, "refers to", text[start:end].strip())


def _relations(
    gathered: Gathered, passage: Passage, sentence: str, offset: int, names: list[Found], subject: str
) -> Iterator[Stated]:
    evidence = sentence.strip()
    if evidence.endswith(("?", "？")):
        return
    conditions = condition_spans(sentence, passage.language)
    if not sentence.isascii() and is_dense(sentence):
        triples = find_dense_relations(sentence, offset, names, conditions, bool(subject))
    else:
        triples = _spaced(sentence, offset, names, conditions, passage.language, bool(subject))
    condition = condition_text(sentence, conditions)
    for source, type, target in triples:
        first = _end(gathered, source, subject)
        second = _end(gathered, target, subject)
        if first and second:
            yield Stated(first, second, type, evidence, condition)


def _spaced(
    sentence: str,
    offset: int,
    names: list[Found],
    conditions: list[tuple[int, int]],
    language: str | None,
    subject: bool,
) -> Iterator[Triple]:
    if language and not has_lexicon(language) and not is_dense_language(language):
        return
    words = lexicon(language)
    units = read_units(sentence, offset, names, conditions)
    yield from find_relations(units, words, subject)
    yield from find_copulas(units, words)
    whole = read_units(sentence, offset, names, ()) if conditions else units
    yield from find_needs(whole, words)
    yield from find_uses(units, words)
    yield from find_enablers(sentence, offset, names, conditions, subject)


def is_dense_language(language: str) -> bool:
    """Whether a language is written without spaces, so that a spaced sentence in it is a quotation."""
    return language[:2] in ("zh", "ja", "ko")


def _end(gathered: Gathered, end: Found | None, subject: str) -> str | None:
    """The name of an end of a relation; a German noun becomes a name by being one."""
    if end is None:
        return subject
    return gathered.find(end.name) or (gathered.add(end.name, kind="term") if end.kind == "term" else None)
