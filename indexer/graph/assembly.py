"""From what every chunk says to the rows of the graph: a pure function of all extractions together."""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..models.ports import Vectors
from ..stores.graph_rows import ChunkPlace, EntityRow, MentionRow, RelationRow
from ..types import Evidence
from .edits import NO_EDITS, Edits
from .extraction import Extraction, Named, Stated
from .resolution import Resolution, resolve
from .resolution_uses import Said, most_common, name_form, storable

SELF_LOOP = "dropped: relation of a thing to itself"
UNNAMED = "dropped: relation to what is not named"


@dataclass(frozen=True, slots=True)
class ExtractedChunk:
    """A chunk and what it says. ``vector`` is its unit embedding, shape ``(dimension,)``, None where there
    is none."""

    place: ChunkPlace
    extraction: Extraction
    language: str | None = None
    vector: Vectors | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Assembled:
    """The graph's rows, each list sorted by key. ``local`` are the entities that mean something within
    their document alone (figures, sections). ``counts`` say what was dropped and what was merged, by
    reason, as ``{"merged: acronym": 12, "homonyms": 3}``."""

    entities: list[EntityRow]
    mentions: list[MentionRow]
    relations: list[RelationRow]
    local: frozenset[str] = frozenset()
    counts: Mapping[str, int] = field(default_factory=dict)


def assemble(chunks: Sequence[ExtractedChunk], index_id: str, edits: Edits = NO_EDITS) -> Assembled:
    """The rows of the graph over ``chunks``: the same whatever order they come in. Ids are UUIDv5 of the
    index and the canonical name."""
    ordered = sorted(chunks, key=lambda one: (one.place.document, one.place.ordinal, one.place.chunk))
    said = [Said(one.place.document, one.extraction, one.language) for one in ordered]
    resolution = resolve(said, [one.vector for one in ordered], edits)
    assembly = _Assembly(uuid.UUID(index_id), resolution)
    for chunk in ordered:
        assembly.take(chunk)
    return assembly.done()


class _Naming:
    """What one chunk says of one entity."""

    __slots__ = ("count", "description", "is_subject", "type", "written")

    def __init__(self) -> None:
        self.written: dict[str, int] = {}
        self.type = ""
        self.description = ""
        self.is_subject = False
        self.count = 0

    def take(self, named: Named) -> None:
        times = max(named.count, 1)
        name = storable(named.name)
        self.written[name] = self.written.get(name, 0) + times
        self.count += times
        self.is_subject |= named.role == "subject"
        self.type = min(filter(None, (self.type, named.type)), default="")
        self.description = max(self.description, named.description, key=lambda text: (len(text), text))

    def row(self, entity: str, place: ChunkPlace) -> MentionRow:
        names = tuple(self.written)
        if len(names) > 1:
            names = tuple(sorted(names, key=lambda name: (-self.written[name], name)))
        return MentionRow(
            entity,
            place.chunk,
            place.document,
            place.access,
            names,
            tuple(dict.fromkeys(map(name_form, names))),
            "subject" if self.is_subject else "mention",
            max(self.count, 1),
            self.type,
            self.description,
        )


@dataclass(slots=True)
class _Relating:
    """All that is stated of one relation, in the order of the chunks."""

    source: str
    target: str
    type: str
    evidence: dict[Evidence, None] = field(default_factory=dict)
    descriptions: Counter[str] = field(default_factory=Counter)

    def row(self, key: str) -> RelationRow:
        evidence = tuple(self.evidence)
        return RelationRow(key, self.source, self.target, self.type, evidence, most_common(self.descriptions))


class _Assembly:
    """The rows while chunks are taken in, sorted by document and place there."""

    def __init__(self, index: uuid.UUID, resolution: Resolution) -> None:
        self._index = index
        self._resolution = resolution
        self._ids: dict[str, str] = {}
        self._mentions: list[MentionRow] = []
        self._relations: dict[str, _Relating] = {}
        self._written: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self._types: dict[str, dict[str, int]] = {}
        self._local: set[str] = set()
        self._counts = Counter(resolution.counts)

    def take(self, chunk: ExtractedChunk) -> None:
        """Add what one chunk says."""
        namings: defaultdict[str, _Naming] = defaultdict(_Naming)
        ends: dict[str, str] = {}
        for named in chunk.extraction.names:
            if found := name_form(named.name):
                entity = self._entity(found, chunk.place.document, named.local)
                namings[entity].take(named)
                ends.setdefault(found, entity)
        for named in chunk.extraction.names:
            if name_form(named.name):
                for alias in filter(name_form, named.aliases):
                    entity = self._entity(name_form(alias), chunk.place.document, named.local)
                    namings[entity].written.setdefault(storable(alias), 0)
                    ends.setdefault(name_form(alias), entity)
        for entity, naming in namings.items():
            self._mentions.append(naming.row(entity, chunk.place))
            written = self._written[entity]
            for name, times in naming.written.items():
                written[name] = written.get(name, 0) + times
            if naming.type:
                types = self._types.setdefault(entity, {})
                types[naming.type] = types.get(naming.type, 0) + 1
        self._state(chunk, ends)

    def done(self) -> Assembled:
        """All rows."""
        entities = [
            EntityRow(entity, most_common(self._written[entity]), most_common(self._types.get(entity, {})))
            for entity in sorted(self._written)
        ]
        return Assembled(
            entities,
            sorted(self._mentions, key=lambda row: row.key),
            [self._relations[key].row(key) for key in sorted(self._relations)],
            frozenset(self._local),
            dict(sorted(self._counts.items())),
        )

    def _entity(self, form: str, document: str, local: bool) -> str:
        key = self._resolution.key(form, document, local)
        entity = self._ids.get(key)
        if entity is None:
            entity = self._ids[key] = str(uuid.uuid5(self._index, f"entity\n{key}"))
            if local:
                self._local.add(entity)
        return entity

    def _state(self, chunk: ExtractedChunk, ends: Mapping[str, str]) -> None:
        place = chunk.place
        for stated in sorted(chunk.extraction.statements, key=_order):
            source, target = (ends.get(name_form(end)) for end in (stated.source, stated.target))
            if source is None or target is None:
                self._counts[UNNAMED] += 1
            elif source == target:
                self._counts[SELF_LOOP] += 1
            else:
                kind = " ".join(stated.type.split())
                key = relation_id(self._index, source, kind, target)
                relating = self._relations.setdefault(key, _Relating(source, target, kind))
                said = Evidence(place.chunk, place.document, stated.sentence, stated.condition, place.access)
                relating.evidence[said] = None
                if stated.description:
                    relating.descriptions[stated.description] += 1


def relation_id(index: uuid.UUID, source: str, kind: str, target: str) -> str:
    """The id of the relation of this kind between two entities, whatever the case of the kind's letters."""
    return str(uuid.uuid5(index, f"relation\n{source}\n{kind.casefold()}\n{target}"))


def _order(stated: Stated) -> tuple[str, ...]:
    return stated.sentence, stated.condition, stated.type, stated.source, stated.target
