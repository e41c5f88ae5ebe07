"""Names by which entities are looked up, and how alike two of them are.

Full text cannot find "flamingo" by "flamngo" nor a Korean word by its stem, so what is indexed are the
pieces of a name: its words, and of each word every run of three characters (of two, in scripts without
spaces), its ends marked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from ..digests import digest

_WORD = re.compile(r"[^\W_]+")
_PIECES = 96
"""Of a name. Lucene takes 1,024 at most, and a longer name is known by its beginning."""
_LONGEST = 400
"""Bytes of a name that is its own key: Neo4j's range indexes end at some 8,000."""
_FEWEST = 0.25


def name_key(form: str) -> str:
    """What a name is stored under: itself, or its digest where that is long."""
    plain = len(form.encode("utf-8", "surrogatepass")) <= _LONGEST
    return f"={form}" if plain else f"#{digest(form)}"


def pieces(form: str) -> list[str]:
    """The pieces of a name, each once."""
    found: dict[str, None] = {}
    for word in _WORD.findall(unicodedata.normalize("NFKC", form).casefold()):
        found.update(dict.fromkeys(_of(word)))
        if len(found) >= _PIECES:
            break
    return list(found)[:_PIECES]


def most_alike(form: str, others: Iterable[str], limit: int) -> list[str]:
    """Of ``others`` the ``limit`` that share most pieces with ``form`` (Dice's coefficient), at least a
    quarter, or that begin with it or end with it."""
    asked = set(pieces(form))
    scored = [(_likeness(form, asked, other), other) for other in set(others)]
    best = sorted((-score, other) for score, other in scored if score >= _FEWEST)
    return [other for _, other in best[:limit]]


def _likeness(form: str, asked: set[str], other: str) -> float:
    held = set(pieces(other))
    shared = len(asked & held)
    if not shared:
        return 0.0
    # A name inside a longer one ("osfxsr" in "cr4.osfxsr") is alike though most of the longer is not in it.
    return (form == other) + max(2 * shared / (len(asked) + len(held)), 0.9 * shared / len(asked))


def _of(word: str) -> list[str]:
    if any(character >= "\u1100" for character in word):
        return [word, *(word[at : at + 2] for at in range(len(word) - 1))]
    marked = f"_{word}_"
    return [word, *(marked[at : at + 3] for at in range(len(marked) - 2))]
