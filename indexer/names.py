"""Names and technical identifiers of any text, without a model: what the graph knows things by."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import pairwise

from .names_form import form
from .names_lists import CONNECTORS, openers
from .names_spaced import find_spaced
from .names_tokens import Found, NameKind, Token, read_tokens
from .word_forms import primary

__all__ = ["LONGEST_NAME", "Found", "NameKind", "QuestionNames", "find_names", "form", "longest"]

LONGEST_NAME = 200
"""Characters of the longest name."""

_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20, 0xA0: 0x20}
"""Full-width letters and spaces, one for one, so that offsets stay."""
_DENSE_SHARE = 0.1
_SHORTEST_WORD = 3
_MOST_QUOTED = 3
_LONGEST_PHRASE = 4


def find_names(text: str, language: str | None = None, known: Container[str] = ()) -> list[Found]:
    """The names in ``text``, by where they stand: capitalised spans, acronyms, technical identifiers, and
    what Chinese, Japanese and Korean mark as names.

    None overlaps another: of two that do, the longer stays. ``known`` holds case-folded words that are names
    wherever they stand (those of the document's title, say). Works in time linear in the text; what is no
    name alone (numbers, months, keywords, sentence openers, addresses of the web) is left out.
    """
    return longest(_candidates(text, language, known, any_case=False))


def _candidates(text: str, language: str | None, known: Container[str], any_case: bool) -> Iterator[Found]:
    plain = text if text.isascii() else text.translate(_WIDE)
    code = primary(language) if language else None
    tokens = list(read_tokens(plain, code))
    if plain.isascii():
        yield from find_spaced(plain, tokens, code, known, any_case)
        return
    # Here, for its patterns take 12 ms to compile: most searches ask nothing that needs them.
    from .names_unspaced import IS_DENSE, find_unspaced

    characters = len(IS_DENSE.findall(plain))
    dense = characters > _DENSE_SHARE * len(plain)
    yield from find_spaced(plain, tokens, code if not dense else "en", known, any_case or dense)
    if not characters:
        return
    if dense:
        yield from _quoted_words(plain, tokens)
    yield from find_unspaced(plain)


def _quoted_words(text: str, tokens: Sequence[Token]) -> Iterator[Found]:
    """Latin words in a text of another script: one or two in their own letters are a name there, as is a
    path of them; more are a quotation."""
    stop = openers("en")
    at = 0
    while at < len(tokens):
        end = at + 1
        while end < len(tokens) and text[tokens[end - 1].end : tokens[end].start] in (" ", "/", "-"):
            end += 1
        run = tokens[at:end]
        at = end
        if len(run) > _MOST_QUOTED:
            continue
        if len(run) > 1 and all(text[a.end : b.start] == "/" for a, b in pairwise(run)):
            yield Found(text[run[0].start : run[-1].end], run[0].start, run[-1].end, "identifier")
            continue
        for token in run:
            if token.shape == "word" and len(token.text) >= _SHORTEST_WORD and token.text not in stop:
                yield Found(token.text, token.start, token.end, "term")


def longest(found: Iterable[Found]) -> list[Found]:
    """Of names that overlap, the longer, then the earlier; in reading order."""
    kept: list[Found] = []
    for name in sorted(found, key=lambda name: (name.start, -name.end)):
        if name.end - name.start > LONGEST_NAME or not form(name.name):
            continue
        if kept and name.start < kept[-1].end:
            if name.end - name.start > kept[-1].end - kept[-1].start:
                kept[-1] = name
            continue
        kept.append(name)
    return kept


class QuestionNames:
    """Finds what a question may name.

    Besides the names that :func:`find_names` sees, for each of the languages, every run of two to four words
    that are no function words: people ask in small letters, and the index knows which of these are names.
    Single plain words only where the question shows no name: in one that does they lead astray. On
    multi-hop questions recall@5 of a walk from the names alone fell from .56 to .41 with them; the runs
    raised that of a walk with lexical seeds beside from .54 to .56.
    """

    def names(self, text: str, languages: Sequence[str]) -> list[str]:
        """Everything that may be a name, in reading order, each once; where they overlap, longer first."""
        certain = self._certain(text, languages)
        phrases = [name for name in _phrases(text, languages) if " " in name.name or not certain]
        return _unique(certain + phrases)

    def certain(self, text: str, languages: Sequence[str]) -> list[str]:
        """What the question writes as a name, without the runs of plain words."""
        return _unique(self._certain(text, languages))

    @staticmethod
    def _certain(text: str, languages: Sequence[str]) -> list[Found]:
        asked: list[str | None] = list(dict.fromkeys(languages)) or [None]
        return [
            name
            for language in asked
            for name in _candidates(text, language, (), any_case=True)
            if len(name.name) <= LONGEST_NAME
        ]


def _unique(found: Iterable[Found]) -> list[str]:
    """Names in reading order, of two at one place the longer first, each form once as it first stands."""
    names: dict[str, str] = {}
    for name in sorted(found, key=lambda name: (name.start, -name.end)):
        names.setdefault(form(name.name), name.name)
    names.pop("", None)
    return list(names.values())


def _phrases(text: str, languages: Sequence[str]) -> Iterator[Found]:
    """The runs of up to four words of a question, none of which begins or ends with a function word."""
    plain = text if text.isascii() else text.translate(_WIDE)
    stop = frozenset[str]().union(*(openers(code) for code in languages or (None,)))
    tokens = [token for token in read_tokens(plain) if token.shape != "other"]
    folded = [token.text.casefold() for token in tokens]
    edges = [word not in stop and word not in CONNECTORS for word in folded]
    for first, opening in enumerate(tokens):
        if not edges[first] or opening.shape == "number":
            continue
        for last in range(first, min(first + _LONGEST_PHRASE, len(tokens))):
            if last > first and plain[tokens[last - 1].end : tokens[last].start] not in (" ", "-", "/"):
                break
            if folded[last] not in CONNECTORS and folded[last] in stop:
                break
            if edges[last] and (last > first or len(opening.text) > 1):
                yield Found(plain[opening.start : tokens[last].end], opening.start, tokens[last].end, "term")
