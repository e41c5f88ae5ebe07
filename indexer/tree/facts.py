"""Facts that code counts over what a branch holds: how many sections and which, how many documents and
which.

They are counted, not written, and carry the members that they were counted over; so the check on summaries
(:mod:`..checks`) does not apply to them. They are kept apart from what is indexed: titles among the words
of a summary would put the words of many a question there.

A section is what some chunk stands under: one so short that it shares a longer one's chunk is not told apart
from that one, here as anywhere in the tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter

from ..types import Document, Fact, FactKind
from ..word_forms import primary
from .skeleton import Branch, Leaf
from .stretches import Range, Stretches, joined

_WORDS: Mapping[str, Mapping[FactKind, str]] = {
    "de": {"sections": "{} Abschnitte", "documents": "{} Dokumente"},
    "en": {"sections": "{} sections", "documents": "{} documents"},
    "es": {"sections": "{} secciones", "documents": "{} documentos"},
    "fr": {"sections": "{} sections", "documents": "{} documents"},
    "it": {"sections": "{} sezioni", "documents": "{} documenti"},
    "ja": {"sections": "{} 節", "documents": "{} 文書"},
    "ko": {"sections": "절 {}개", "documents": "문서 {}개"},
    "nl": {"sections": "{} secties", "documents": "{} documenten"},
    "pl": {"sections": "sekcje ({})", "documents": "dokumenty ({})"},
    "pt": {"sections": "{} seções", "documents": "{} documentos"},
    "ru": {"sections": "разделы ({})", "documents": "документы ({})"},
    "sv": {"sections": "{} avsnitt", "documents": "{} dokument"},
    "tr": {"sections": "{} bölüm", "documents": "{} belge"},
    "zh": {"sections": "{} 节", "documents": "{} 份文档"},
}
_FEWEST = 2
"""Members of which something can be told that the branch's own title does not say."""
_SHOWN = 300
"""Characters of titles in a fact; an ellipsis stands for the others."""

_Member = tuple[str, str]
"""An id and a title."""


class Facts:
    """The facts of one tree over ``leaves``, sorted by (document, ordinal). ``documents`` by id."""

    def __init__(self, leaves: Sequence[Leaf], documents: Mapping[str, Document]) -> None:
        self._leaves = leaves
        self._documents = documents
        self._stretches = Stretches(leaves)
        self._held: dict[str, tuple[Range, ...]] = {
            leaf.id: ((place, place + 1),) for place, leaf in enumerate(leaves)
        }
        self._names: dict[Range, str] = {}

    def of(self, branch: Branch, documents: Sequence[str], language: str | None) -> tuple[Fact, ...]:
        """The facts of a branch over ``documents``, in ``language``. To be asked for every branch, after
        those beneath it."""
        ranges = joined(held for child in branch.children for held in self._held[child])
        self._held[branch.id] = ranges
        if len(documents) > 1:
            found = _stated("documents", self._titled(documents), language)
        else:
            found = _stated("sections", self._sections(ranges), language)
        if len(ranges) == 1:
            self._names[ranges[0]] = branch.id
        return (found,) if found else ()

    def _sections(self, ranges: Sequence[Range]) -> list[_Member]:
        """The titled sections directly in what a branch holds, each by the highest branch over just that
        section, or by the first of its leaves."""
        found = self._stretches.within(ranges)
        return [
            (self._names.get((each.start, each.end), self._leaves[each.start].id), each.title)
            for each in found
            if each.title.strip()
        ]

    def _titled(self, documents: Sequence[str]) -> list[_Member]:
        """The documents, each by its title, or else its source, in their order: a file that only moves
        changes nothing."""
        known = (self._documents[name] for name in documents)
        return sorted(((each.id, each.title or each.source) for each in known), key=lambda each: each[::-1])


def _stated(kind: FactKind, members: Sequence[_Member], language: str | None) -> Fact | None:
    """How many members there are, and as many of their titles as there is room for; the number is that of
    all. None for fewer than two."""
    if len(members) < _FEWEST:
        return None
    words = _WORDS.get(primary(language or "en"), _WORDS["en"])
    text = words[kind].format(len(members))
    titles = [" ".join(title.split()) for _, title in members]
    shown, room = 0, _SHOWN
    while shown < len(titles) and len(titles[shown]) <= room:
        room -= len(titles[shown])
        shown += 1
    if shown:
        listed = "; ".join(titles[:shown])
        text += f": {listed}" + ("; …" if shown < len(titles) else "")
    return Fact(kind, text, tuple(map(itemgetter(0), members)))
