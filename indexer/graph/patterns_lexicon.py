"""The verbs that state a relation, by language, each with the one English type that it is kept under."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from ..word_forms import primary
from .patterns_verbs import GRAMMAR, VERBS

Phrases = Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What a language states relations with.

    ``active`` and ``passive`` map a word to a relation type, ``phrases`` a first word to (the words after
    it, type); ``bare`` has the active words that are an infinitive, too; ``late`` has words that end a
    clause, with the preposition before and the type ("in Ulm geboren"). ``be`` are the copula and the
    auxiliary of the passive, ``by`` what its agent stands after, ``articles`` begin what a thing is said to
    be, ``never`` negates, ``pronouns`` and ``generic`` nouns after a ``definite`` stand for what the text is
    about, ``stops`` end a clause, ``joins`` go on with a list. ``verb_last``: participles end the clause.
    """

    active: Mapping[str, str]
    passive: Mapping[str, str]
    phrases: Phrases
    bare: frozenset[str]
    late: Mapping[str, tuple[str, str]]
    be: frozenset[str]
    by: frozenset[str]
    articles: frozenset[str]
    never: frozenset[str]
    pronouns: frozenset[str]
    definite: frozenset[str]
    generic: frozenset[str]
    prepositions: frozenset[str]
    of: frozenset[str]
    stops: frozenset[str]
    joins: frozenset[str]
    verb_last: bool = False


@cache
def lexicon(language: str | None) -> Lexicon:
    """The lexicon of a language, English where there is none for it."""
    code = primary(language) if language else "en"
    code = code if code in VERBS else "en"
    grammar: dict[str, frozenset[str]] = {}
    for kind, words in _lines(GRAMMAR[code]):
        grammar[kind] = grammar.get(kind, frozenset()) | frozenset(words.split())
    active: dict[str, str] = {}
    passive: dict[str, str] = {}
    late: dict[str, tuple[str, str]] = {}
    phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for type, forms in _lines(VERBS[code]):
        plain, _, participles = forms.partition("|")
        for word in plain.split():
            first, *rest = word.split("+")
            if not rest:
                active.setdefault(word, type)
            elif first in grammar["prepositions"]:
                late.setdefault(rest[0], (first, type))
            else:
                phrases.setdefault(first, []).append((tuple(rest), type))
        for word in participles.split():
            passive.setdefault(word, type)
    bare = frozenset(word for word in active if code == "en" and word + "s" in active)
    return Lexicon(
        active=active,
        passive=passive,
        phrases={head: tuple(sorted(rest, key=lambda one: -len(one[0]))) for head, rest in phrases.items()},
        bare=bare,
        late=late,
        verb_last=code == "de",
        **grammar,
    )


def _lines(block: str) -> Iterator[tuple[str, str]]:
    for line in block.strip().splitlines():
        head, _, rest = line.partition(":")
        yield head, rest


def has_lexicon(language: str | None) -> bool:
    """Whether the sentences of a language are read with a lexicon of its own."""
    return language is not None and primary(language) in VERBS
