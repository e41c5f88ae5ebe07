"""A made-up graph of any size, and questions that begin somewhere in it."""

from __future__ import annotations

import random
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from treegraph.indexer.stores.graph_rows import (
    ChunkPlace,
    EntityRow,
    GraphKind,
    GraphRow,
    MentionRow,
    RelationRow,
)
from treegraph.indexer.types import Evidence

_VERBS = ("requires", "uses", "sets", "enables", "is", "see")
_NAMED = 12
"""Entities that a chunk names."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where a question begins: entities that it names, chunks that fit it."""

    entities: Sequence[str]
    chunks: Sequence[str]


@dataclass(frozen=True, slots=True)
class LargeGraph:
    """Rows of each kind, and for each chunk the entities that it names."""

    rows: dict[GraphKind, list[GraphRow]]
    named: dict[str, list[str]]

    def starts(self, number: int, seed: int = 7) -> list[Start]:
        """Questions of three entities, as some chunk names them, and twenty chunks, some of which do too."""
        chance, chunks = random.Random(seed), list(self.named)
        found = []
        for _ in range(number):
            first = chance.choice(chunks)
            asked = chance.sample(self.named[first], 3)
            found.append(Start(asked, [first, *chance.sample(chunks, 19)]))
        return found


def large_graph(entities: int, seed: int = 3) -> LargeGraph:
    """A graph of so many entities, half as many chunks in documents of a hundred, three relations and six
    mentions an entity. Few entities are named often: the first by one chunk in eight or so."""
    chance = random.Random(seed)
    ids = [_key(chance) for _ in range(entities)]
    places = [_place(chance, at) for at in range(entities // 2)]
    often = [[ids[at * 2], ids[at * 2 + 1]] for at in range(len(places))]
    named: dict[str, list[str]] = {}
    for place, own in zip(places, often, strict=True):
        more = (ids[int(entities * chance.random() ** 2.5)] for _ in range(_NAMED - 2))
        named[place.chunk] = list(dict.fromkeys([*own, *more]))
    spelt = {entity: f"Unit {entity[:6]} {at}" for at, entity in enumerate(ids)}
    mentions = [_mention(chance, place, entity, spelt) for place in places for entity in named[place.chunk]]
    rows: dict[GraphKind, list[GraphRow]] = {
        "chunk": [*places],
        "entity": [EntityRow(entity, name, "term") for entity, name in spelt.items()],
        "mention": [*mentions],
        "relation": [*_relations(chance, places, named, spelt, 3 * entities)],
        "community": [],
    }
    return LargeGraph(rows, named)


def _key(chance: random.Random) -> str:
    return str(uuid.UUID(int=chance.getrandbits(128)))


def _place(chance: random.Random, at: int) -> ChunkPlace:
    book, page = f"book{at // 100}", at % 100
    document = str(uuid.uuid5(uuid.NAMESPACE_OID, book))
    access = "public" if at // 100 % 4 else "internal"
    return ChunkPlace(_key(chance), document, f"{book}.pdf", book, page, (page + 1, page + 1), access)


def _mention(chance: random.Random, place: ChunkPlace, entity: str, spelt: dict[str, str]) -> MentionRow:
    name, role = spelt[entity], "subject" if chance.random() < 0.1 else "mention"
    count = 1 + int(3 * chance.random() ** 2)
    forms = (name.casefold(),)
    return MentionRow(
        entity, place.chunk, place.document, place.access, (name,), forms, role, count, "term"
    )  # fmt: skip


def _relations(
    chance: random.Random,
    places: Sequence[ChunkPlace],
    named: dict[str, list[str]],
    spelt: dict[str, str],
    number: int,
) -> list[RelationRow]:
    found: dict[tuple[str, str, str], RelationRow] = {}
    while len(found) < number:
        place = chance.choice(places)
        source, target = chance.sample(named[place.chunk], 2)
        verb = chance.choice(_VERBS)
        sentence = (
            f"{spelt[source]} {verb} {spelt[target]} while the system is being started by its operator."
        )
        piece = Evidence(place.chunk, place.document, sentence, "", place.access)
        more = found.get((source, target, verb))
        evidence = (*more.evidence, piece) if more else (piece,)
        key = more.id if more else _key(chance)
        found[source, target, verb] = RelationRow(key, source, target, verb, evidence)
    return list(found.values())
