"""What documents give, one after the other, until the questions are chosen from all of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from ..places import page_place
from ..questions import Withheld
from .candidates import Candidate, alone, order, sampled, together
from .captions import captions
from .defined_terms import defined_terms
from .index_terms import index_terms, scattered_terms
from .layout import bare_title
from .passages import Passage, passages
from .reading import Read
from .references import references
from .scope import asked_title, scope

Maker = Callable[[Read], Iterator[Candidate]]

KINDS = ("index", "captions", "terms", "references", "scope", "scattered")
"""The kinds of questions that need no model."""

_WHY_NONE = {
    "index": "no document has a printed index that could be read",
    "scattered": "no document has a printed index with a term on three pages or more",
    "captions": "no figure or table has a caption that says enough",
    "terms": "no document defines a term in a way that is recognised",
    "references": "no sentence refers to a numbered section of its document",
    "scope": "no outline has an entry of 5 to 60 pages whose title says something alone",
}


@dataclass(slots=True)
class Gathering:
    """The questions of ``kinds`` that documents gave so far, with the pages of their printed indexes
    (``left_out``) and, where ``keeps_passages``, the passages that a model may be asked about."""

    kinds: Sequence[str]
    seed: int
    keeps_passages: bool
    passages: list[Passage] = field(default_factory=list)
    left_out: set[str] = field(default_factory=set)
    _found: dict[str, list[Candidate]] = field(default_factory=dict)
    _titles: Counter[str] = field(default_factory=Counter)

    def add(self, read: Read) -> None:
        """Ask every kind of one document."""
        makers = self._makers()
        for kind in self.kinds:
            self._found.setdefault(kind, []).extend(makers[kind](read))
        if read.index is not None:
            self.left_out |= {page_place(read.source, page) for page in read.index.pages}
        if self.keeps_passages:
            self.passages += passages(read)
        self._titles.update({bare_title(asked_title(section)) for section in read.content.sections})

    def chosen(self, per_kind: int) -> tuple[list[Candidate], tuple[str, ...]]:
        """The questions that are asked, and what there is to say of each kind."""
        asked: list[Candidate] = []
        notes: list[str] = []
        for kind in self.kinds:
            found = self._distinct(kind)
            kept = sampled(found, self.seed, per_kind)
            asked += kept
            counts = f"{kind}: {len(found)} found, {len(kept)} asked"
            notes.append(counts if kept else f"{kind}: none, as {_WHY_NONE[kind]}")
        return asked, tuple(notes)

    def _makers(self) -> Mapping[str, Maker]:
        return {
            "index": index_terms,
            "captions": captions,
            "terms": defined_terms,
            "references": references,
            "scope": partial(scope, order=partial(order, self.seed)),
            "scattered": scattered_terms,
        }

    def _distinct(self, kind: str) -> list[Candidate]:
        found = self._found.get(kind, [])
        if kind != "scope":
            return together(found)
        # A title that another document has too names no one place.
        return [each for each in alone(found) if self._titles[bare_title(each.text)] == 1]


def withheld_entries(asked: Sequence[Candidate]) -> dict[str, tuple[Withheld, ...]]:
    """By source, what is kept from the index for the sake of the questions, in reading order."""
    entries: dict[str, list[Withheld]] = {}
    for candidate in asked:
        if candidate.withheld is not None:
            entries.setdefault(candidate.source, []).append(candidate.withheld)
    return {
        source: tuple(sorted(entries[source], key=lambda entry: (entry.page, entry.title)))
        for source in sorted(entries)
    }
