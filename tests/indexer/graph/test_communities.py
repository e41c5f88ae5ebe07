"""Communities of entities: every one in one, the same on any order, mended where something changed."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from treegraph.indexer.graph.assembly import Assembled, ExtractedChunk, assemble
from treegraph.indexer.graph.communities import CommunitySettings, Detected, detect
from treegraph.indexer.graph.extraction import Extraction, Named, Stated
from treegraph.indexer.stores.graph_rows import ChunkPlace

INDEX_ID = "0b5cf0ff-6a50-4a36-9d5c-6d1f6f6e4b1a"
SETTINGS = CommunitySettings(members=8)


def _chunk(number: int, *names: str, document: str = "manual") -> ExtractedChunk:
    said = tuple(Stated(one, other, "requires", f"{one} requires {other}.") for one, other in pairwise(names))
    place = ChunkPlace(f"c{number:03}", document, f"{document}.md", document, number, None, "public")
    return ExtractedChunk(place, Extraction(tuple(map(Named, names)), said))


def _groups(seed: int, groups: int = 6, size: int = 6) -> list[ExtractedChunk]:
    """Chunks that name things of one group each, with one chunk now and then that names two groups'."""
    rng, chunks = Random(seed), []
    for number in range(groups * 12):
        group = number % groups
        names = [f"Part {group}-{part}" for part in rng.sample(range(size), 3)]
        if number % 17 == 0:
            names.append(f"Part {(group + 1) % groups}-0")
        chunks.append(_chunk(number, *names))
    chunks.append(_chunk(900, "Lonely Thing"))
    return chunks


def _detect(chunks: list[ExtractedChunk]) -> tuple[Assembled, Detected]:
    assembled = assemble(chunks, INDEX_ID)
    return assembled, detect(assembled, [chunk.place for chunk in chunks], INDEX_ID, SETTINGS)


def test_every_entity_is_in_one_community_of_the_finest_level() -> None:
    assembled, found = _detect(_groups(1))
    finest = [member for group in found.groups if group.level == 0 for member in group.members]
    assert sorted(finest) == sorted(row.id for row in assembled.entities)
    assert all(len(group.members) <= SETTINGS.members for group in found.groups if group.level == 0)
    by_id = {group.id: group for group in found.groups}
    for group in found.groups:
        if group.parent is not None:
            assert set(group.members) <= set(by_id[group.parent].members)
            assert by_id[group.parent].level > group.level


def test_things_that_are_named_together_are_together() -> None:
    assembled, found = _detect(_groups(2))
    names = {row.id: row.name for row in assembled.entities}
    mixed = 0
    for group in found.groups:
        if group.level == 0:
            mixed += len({names[member].split("-")[0] for member in group.members}) > 1
    assert mixed <= 1


def test_the_order_of_the_input_does_not_matter() -> None:
    chunks = _groups(3)
    shuffled = chunks[:]
    Random(5).shuffle(shuffled)
    assert _detect(chunks)[1].groups == _detect(shuffled)[1].groups


def test_an_edit_leaves_the_communities_that_it_does_not_touch() -> None:
    chunks = _groups(4)
    before = _detect(chunks)[1]
    edited = [*chunks, _chunk(901, "Part 0-0", "Part 0-9")]
    assembled = assemble(edited, INDEX_ID)
    changed = {row.id for row in assembled.entities if row.name in ("Part 0-0", "Part 0-9")}
    places = [chunk.place for chunk in edited]
    found = detect(assembled, places, INDEX_ID, SETTINGS, before.groups, changed)
    fresh = detect(assembled, places, INDEX_ID, SETTINGS)
    finest = [member for group in found.groups if group.level == 0 for member in group.members]
    assert sorted(finest) == sorted(row.id for row in assembled.entities)
    assert found.kept > 0
    assert {group.id for group in before.groups} & {group.id for group in found.groups}
    assert found.modularity >= fresh.modularity - 0.05


def test_nothing_has_no_communities() -> None:
    assembled = assemble([], INDEX_ID)
    assert detect(assembled, [], INDEX_ID, SETTINGS).groups == []
