"""Titles and reports of communities: the names that hold them together, and what is said of them.

A report is a summary like those of the tree, written by the same port and checked in the same way. What it
is made of are sentences, character for character: those that state a relation between two members, and those
that name several, from the chunks that together name most of the community.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from math import log1p

from ..digests import digest
from ..models.ports import Tokenizer
from ..owed import owed_key
from ..stores.graph_rows import ChunkPlace, CommunityRow, MentionRow, RelationRow
from ..tree.summarizer import Passage, Request, Summary
from .assembly import Assembled
from .communities import Group
from .reports_sentences import STATED, sentences_of, telling
from .resolution_uses import most_common_language

_MOST_MENTIONS = 48
"""Mentions of one member that are looked at: those of a hub are spread over everything."""
_MOST_CHUNKS = 8
_FEWEST_CHUNKS = 3
_MEMBERS_A_CHUNK = 6
_COVERED = 0.25
"""What a member counts for once a chunk that names it is chosen."""
_TITLE_NAMES = 3


@dataclass(frozen=True, slots=True)
class Draft:
    """A report to be written: ``request`` goes to a Summarizer (the tree's port, extractive or a model),
    and :meth:`row` takes what it wrote. ``chunks`` are what it rests on, best first; ``documents`` and
    ``classes`` those of all mentions of all members. ``made`` digests all that the report depends on: what
    was written for an equal one (in any generation) can be used again."""

    group: Group
    title: str
    request: Request
    chunks: tuple[str, ...]
    documents: tuple[str, ...]
    classes: tuple[str, ...]
    made: str

    def row(self, summary: Summary) -> CommunityRow:
        """The community's row with the report that ``summary`` holds, which is told from what was to be made
        where it stands in for that."""
        group = self.group
        return CommunityRow(
            group.id,
            group.level,
            group.parent,
            group.members,
            self.title,
            summary.text,
            self.chunks,
            self.documents,
            self.classes,
            summary.by,
            owed_key(self.made) if summary.owed else self.made,
        )


Texts = Callable[[Collection[str]], Mapping[str, str]]
"""Gives the texts of chunks, by their ids."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a report is to rest on: ``chunks``, the mentions of members ``together`` in each, the sentences
    that are ``evidence`` there, and how ``central`` each member is."""

    group: Group
    chunks: Sequence[str]
    together: Mapping[str, Sequence[MentionRow]]
    evidence: Mapping[str, Set[str]]
    central: Mapping[str, float]


class Reporter:
    """Drafts the reports of one graph's communities, of at most ``tokens`` tokens each. ``texts`` is asked
    once for all chunks that some drafts need, and never twice for one, ``languages`` are their documents' by
    id; ``writer`` is the name of the summarizer."""

    def __init__(
        self,
        assembled: Assembled,
        places: Sequence[ChunkPlace],
        texts: Texts,
        tokenizer: Tokenizer,
        writer: str,
        languages: Mapping[str, str | None] | None = None,
        tokens: int = 120,
    ) -> None:
        self._texts = texts
        self._sentences: dict[str, list[str]] = {}
        self._count = tokenizer.count
        self._made_by = [writer, tokens]
        self._tokens = tokens
        self._languages = languages or {}
        self._places = {place.chunk: place for place in places}
        self._names = {row.id: row.name for row in assembled.entities}
        self._mentions: defaultdict[str, list[MentionRow]] = defaultdict(list)
        for mention in assembled.mentions:
            self._mentions[mention.entity].append(mention)
        self._stated: defaultdict[str, list[RelationRow]] = defaultdict(list)
        for relation in assembled.relations:
            self._stated[relation.source].append(relation)

    def drafts(self, groups: Sequence[Group]) -> list[Draft]:
        """What the reports of ``groups`` are to be made of."""
        plans = [self._plan(group) for group in groups]
        self._read({chunk for plan in plans for chunk in plan.chunks})
        return [self._draft(plan) for plan in plans]

    def _plan(self, group: Group) -> _Plan:
        held = frozenset(group.members)
        together = self._together(group)
        stated = [row for one in group.members for row in self._stated.get(one, ()) if row.target in held]
        central = self._central(group, together, stated)
        evidence = _evidence(stated)
        count = min(_MOST_CHUNKS, _FEWEST_CHUNKS + len(held) // _MEMBERS_A_CHUNK)
        chunks = self._chosen(together, central, evidence, count)
        return _Plan(group, chunks, together, evidence, central)

    def _read(self, chunks: Set[str]) -> None:
        """Fetch the texts of those chunks that were not read before, and part them."""
        missing = sorted(chunks - self._sentences.keys())
        found = self._texts(missing) if missing else {}
        for chunk in missing:
            self._sentences[chunk] = sentences_of(found.get(chunk, ""))

    def _draft(self, plan: _Plan) -> Draft:
        group = plan.group
        request = self._request(plan)
        mentions = [row for member in group.members for row in self._mentions[member]]
        passages = [[passage.id, passage.text, passage.source] for passage in request.passages]
        return Draft(
            group,
            self._title(group, plan.central),
            request,
            tuple(plan.chunks),
            tuple(sorted({row.document for row in mentions})),
            tuple(sorted({row.access for row in mentions})),
            digest([*self._made_by, request.language, passages]),
        )

    def _together(self, group: Group) -> dict[str, list[MentionRow]]:
        """The mentions of members, by chunk."""
        together: defaultdict[str, list[MentionRow]] = defaultdict(list)
        for member in group.members:
            rows = self._mentions[member]
            step = max(1, len(rows) // _MOST_MENTIONS)
            for row in rows[::step]:
                together[row.chunk].append(row)
        return together

    def _central(
        self, group: Group, together: Mapping[str, Sequence[MentionRow]], stated: Sequence[RelationRow]
    ) -> dict[str, float]:
        """How much of the community each member holds together: the chunks that name it beside others, and
        the relations that it has to them."""
        central = {member: log1p(len(self._mentions[member])) for member in group.members}
        for rows in together.values():
            weight = log1p(len(rows) - 1)
            for row in rows:
                central[row.entity] += weight * (2 if row.role == "subject" else 1)
        for relation in stated:
            weight = STATED * log1p(len(relation.evidence))
            central[relation.source] += weight
            central[relation.target] += weight
        return central

    def _chosen(
        self,
        together: Mapping[str, Sequence[MentionRow]],
        central: Mapping[str, float],
        evidence: Mapping[str, Set[str]],
        count: int,
    ) -> list[str]:
        """The chunks that name most of the community and state most of it, one after the other."""
        left = dict.fromkeys(central, 1.0)
        weight = {member: log1p(value) for member, value in central.items()}
        stated = {chunk: log1p(STATED * len(evidence.get(chunk, ()))) for chunk in together}
        worth = {
            chunk: stated[chunk] + sum(weight[r.entity] for r in rows) for chunk, rows in together.items()
        }
        order = sorted(worth, key=lambda chunk: (-worth[chunk], *self._where(chunk)))[: 4 * count]
        chosen: list[str] = []
        while order and len(chosen) < count:
            gains = [
                stated[chunk] + sum(weight[row.entity] * left[row.entity] for row in together[chunk])
                for chunk in order
            ]
            best = order.pop(max(range(len(order)), key=lambda at: (gains[at], -at)))
            chosen.append(best)
            for row in together[best]:
                left[row.entity] *= _COVERED
        return chosen

    def _where(self, chunk: str) -> tuple[str, int, str]:
        place = self._places[chunk]
        return place.document, place.ordinal, chunk

    def _request(self, plan: _Plan) -> Request:
        ordered = sorted(plan.chunks, key=self._where)
        passages = []
        for chunk in ordered:
            names = {name for row in plan.together[chunk] for name in row.names}
            said = plan.evidence.get(chunk, frozenset())
            if text := " ".join(telling(self._sentences[chunk], names, said)):
                passages.append(Passage(chunk, text, self._count(text), _source(self._places[chunk])))
        languages = Counter(self._languages.get(self._places[chunk].document) for chunk in ordered)
        return Request(tuple(passages), self._tokens, most_common_language(languages))

    def _title(self, group: Group, central: Mapping[str, float]) -> str:
        """The most central names, none of which is part of another."""
        names: list[str] = []
        for member in sorted(group.members, key=lambda one: (-central[one], self._names[one], one)):
            name = self._names[member]
            folded = name.casefold()
            if not any(folded in other.casefold() or other.casefold() in folded for other in names):
                names.append(name)
            if len(names) == _TITLE_NAMES:
                break
        return ", ".join(names)


def _evidence(stated: Sequence[RelationRow]) -> dict[str, set[str]]:
    """The sentences that state these relations, by chunk."""
    evidence: defaultdict[str, set[str]] = defaultdict(set)
    for relation in stated:
        for one in relation.evidence:
            evidence[one.chunk].add(one.sentence)
    return evidence


def _source(place: ChunkPlace) -> str:
    if place.pages is None:
        return place.source
    first, last = place.pages
    return f"{place.source} p. {first}" if first == last else f"{place.source} pp. {first}-{last}"
