"""Measure reading a made-up graph in the embedded store: two hops, a neighbourhood, the walk over it.

::

    python docs/measure_graph.py [--entities N] [--relations N] [--mentions N] [--chunks N] [--questions N]

A thing is named by more chunks, and stands in more relations, the lower its number is, as 1/rank. A question
names three things; of its best chunks half name one of them, and half are any. Times are of the processor, in
milliseconds.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np
from treegraph.indexer.graph.extraction import Role
from treegraph.indexer.stores.graph_ports import (
    ChunkPlace,
    EntityRow,
    GraphKind,
    GraphRow,
    GraphSnapshot,
    MentionRow,
    RelationRow,
)
from treegraph.indexer.stores.graph_sqlite import SqliteGraphStore
from treegraph.indexer.types import Evidence
from treegraph.query.access import Access
from treegraph.query.graph_open import ReadableGraph
from treegraph.query.graph_settings import GraphReadSettings

BATCH = 5_000
PER_DOCUMENT = 100
CLASSES = ("public", "one", "two", "three")
READERS = {"owner": Access(), "some classes": Access(classes=("public", "two"))}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: the ids of what it names, and of its best chunks."""

    entities: Sequence[str]
    chunks: Sequence[str]


def main() -> None:
    """Make the graph in a temporary folder, ask, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, number in (("entities", 50_000), ("relations", 150_000), ("mentions", 300_000)):
        parser.add_argument(f"--{name}", type=int, default=number)
    parser.add_argument("--chunks", type=int, default=25_000)
    parser.add_argument("--questions", type=int, default=200)
    sizes = parser.parse_args()
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteGraphStore(Path(folder) / "graph.db")
        began = process_time()
        by_entity, chunks = made_up(store, sizes, rng)
        print(f"written in {process_time() - began:.1f} s")
        named = sorted(by_entity)
        asked = [question(rng, named, by_entity, chunks) for _ in range(sizes.questions)]
        snapshot = store.read(1)
        for reader, access in READERS.items():
            report(reader, snapshot, access, asked)
        snapshot.close()
        store.close()


def made_up(
    store: SqliteGraphStore, sizes: argparse.Namespace, rng: random.Random
) -> tuple[dict[str, list[str]], list[str]]:
    """Write the graph; returns the chunks that name each entity, and all chunks."""
    places = [place(number) for number in range(sizes.chunks)]
    entities = [EntityRow(uid(f"e{n}"), f"Thing {n}", "") for n in range(sizes.entities)]
    ranks = np.random.default_rng(1)
    share = 1 / np.arange(1, sizes.entities + 1)

    def drawn(count: int) -> list[int]:
        return list(map(int, ranks.choice(sizes.entities, count, p=share / share.sum())))

    pairs: set[tuple[int, int]] = set()
    while len(pairs) < sizes.mentions:
        missing = sizes.mentions - len(pairs)
        half = [*drawn(missing // 2), *map(int, ranks.integers(0, sizes.entities, missing - missing // 2))]
        pairs.update((entity, rng.randrange(sizes.chunks)) for entity in half)
    by_entity: defaultdict[str, list[str]] = defaultdict(list)
    mentions: list[GraphRow] = []
    for entity, chunk in sorted(pairs):
        by_entity[entities[entity].id].append(places[chunk].chunk)
        mentions.append(mention(entities[entity], places[chunk], rng))
    held = {entity for entity, _ in pairs}
    relations = [
        relation(number, entities[one], entities[other], by_entity, places, rng)
        for number, (one, other) in enumerate(ends(drawn, held, sizes, rng))
    ]
    rows: dict[GraphKind, Sequence[GraphRow]] = {
        "chunk": places,
        "entity": [entities[number] for number in sorted(held)],
        "mention": mentions,
        "relation": relations,
    }
    writer = store.write(1, None)
    for kind, held_rows in rows.items():
        for first in range(0, len(held_rows), BATCH):
            writer.put(kind, held_rows[first : first + BATCH])
    writer.seal({"community": 0, **{kind: len(held_rows) for kind, held_rows in rows.items()}})
    writer.close()
    return dict(by_entity), [one.chunk for one in places]


def uid(name: str) -> str:
    """An id as the index has them."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, name))


def place(number: int) -> ChunkPlace:
    """A chunk, in a document of one of the classes."""
    document = number // PER_DOCUMENT
    name, access = f"d{document}", CLASSES[document % len(CLASSES)]
    return ChunkPlace(uid(f"c{number}"), uid(name), f"m/{name}.pdf", name, number, (1, 1), access)


def mention(entity: EntityRow, at: ChunkPlace, rng: random.Random) -> MentionRow:
    """That a chunk names an entity; one in ten is about it."""
    role: Role = "subject" if rng.random() < 0.1 else "mention"
    names, forms = (entity.name,), (entity.name.lower(),)
    return MentionRow(entity.id, at.chunk, at.document, at.access, names, forms, role, 1)


def ends(
    drawn: Callable[[int], list[int]], held: set[int], sizes: argparse.Namespace, rng: random.Random
) -> Iterable[tuple[int, int]]:
    """The two ends of each relation: one as popular as its rank says, the other any."""
    known, found = sorted(held), 0
    while found < sizes.relations:
        for one in drawn(sizes.relations - found):
            other = rng.choice(known)
            if one in held and one != other:
                found += 1
                yield one, other


def relation(
    number: int,
    one: EntityRow,
    other: EntityRow,
    by_entity: dict[str, list[str]],
    places: Sequence[ChunkPlace],
    rng: random.Random,
) -> RelationRow:
    """A relation with one to three pieces of evidence."""
    at = [rng.choice(places) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    said = f"{one.name} requires {other.name} in step {number}."
    evidence = tuple(Evidence(each.chunk, each.document, said, "", each.access) for each in at)
    return RelationRow(uid(f"r{number}"), one.id, other.id, "requires", evidence)


def question(
    rng: random.Random, named: Sequence[str], by_entity: dict[str, list[str]], chunks: Sequence[str]
) -> Asked:
    """A question about three things."""
    entities = rng.sample(named, 3)
    near = [rng.choice(by_entity[rng.choice(entities)]) for _ in range(10)]
    return Asked(entities, list(dict.fromkeys([*near, *rng.sample(chunks, 10)])))


def report(reader: str, snapshot: GraphSnapshot, access: Access, asked: Sequence[Asked]) -> None:
    """Print what each step takes for one reader."""
    settings = GraphReadSettings()
    where = access.where(None)
    total = snapshot.counts(where)["chunk"]
    graph = ReadableGraph(snapshot, access, settings, total, None)
    spent: dict[str, list[float]] = {"two hops": [], "neighbourhood": [], "walk": [], "both": []}
    sizes: list[int] = []
    for one in asked:
        began = process_time()
        near = snapshot.relations(one.entities, where)
        ends = {end for relation in near for end in (relation.source, relation.target)}
        snapshot.relations(sorted(ends), where)
        hopped = process_time()
        around = graph.around(one.entities, one.chunks)
        read = process_time()
        seeds = np.zeros(around.size)
        for entity in one.entities:
            if (at := around.place.get(entity)) is not None:
                seeds[at] = 1 / len(one.entities)
        around.walk(seeds, settings.restart, settings.steps)
        walked = process_time()
        sizes.append(around.size)
        times = (hopped - began, read - hopped, walked - read, walked - hopped)
        for name, seconds in zip(spent, times, strict=True):
            spent[name].append(1000 * seconds)
    print(f"{reader}: {np.median(sizes):,.0f} places in a neighbourhood (most {max(sizes):,})")
    for name, all_times in spent.items():
        p50, p95 = np.percentile(all_times, [50, 95])
        print(f"  {name:14} p50 {p50:6.1f}  p95 {p95:6.1f}")


if __name__ == "__main__":
    main()
