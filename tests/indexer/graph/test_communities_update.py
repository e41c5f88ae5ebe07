"""Communities after edits: only what was touched is detected again, and it stays nearly as good as new."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from treegraph.indexer.graph.assembly import Assembled, ExtractedChunk, assemble
from treegraph.indexer.graph.communities import LOST, CommunitySettings, Detected, Group, detect
from treegraph.indexer.graph.extraction import Extraction, Named, Stated
from treegraph.indexer.stores.graph_rows import ChunkPlace

INDEX_ID = "0b5cf0ff-6a50-4a36-9d5c-6d1f6f6e4b1a"
SETTINGS = CommunitySettings(members=10)


def topic(number: int, chunks: int = 12, parts: int = 14) -> list[ExtractedChunk]:
    """A document about one topic: chunks that name some of its parts, and now and then another topic's."""
    rng, made = Random(number), []
    for at in range(chunks):
        names = [f"Part {number}x{part}" for part in rng.sample(range(parts), 4)]
        if rng.random() < 0.3:
            names.append(f"Part {rng.randrange(12)}x0")
        said = (Stated(names[0], names[1], "drives", f"{names[0]} drives {names[1]}."),)
        place = ChunkPlace(f"{number}-{at}", f"d{number:02}", f"{number}.md", "", at, None, "public")
        made.append(ExtractedChunk(place, Extraction(tuple(map(Named, names)), said)))
    return made


def found(
    chunks: Sequence[ExtractedChunk], before: Detected | None = None, old: Assembled | None = None
) -> tuple[Assembled, Detected]:
    """What is detected over these chunks; after ``old`` as a build does it, from the rows that differ."""
    assembled = assemble(chunks, INDEX_ID)
    places = [chunk.place for chunk in chunks]
    if before is None or old is None:
        return assembled, detect(assembled, places, INDEX_ID, SETTINGS)
    return assembled, detect(assembled, places, INDEX_ID, SETTINGS, before.groups, changed(old, assembled))


def changed(old: Assembled, new: Assembled) -> set[str]:
    """The entities with a mention or relation that is there only before or only after."""
    rows = {row.digest: {row.entity} for row in old.mentions}
    rows |= {row.digest: {row.source, row.target} for row in old.relations}
    after = {row.digest: {row.entity} for row in new.mentions}
    after |= {row.digest: {row.source, row.target} for row in new.relations}
    return {entity for key in rows.keys() ^ after.keys() for entity in (rows | after)[key]}


def assert_sound(assembled: Assembled, groups: Sequence[Group]) -> None:
    """Every entity once at level 0; every community is the sum of its parts, and one level above them."""
    finest = [member for group in groups if group.level == 0 for member in group.members]
    assert sorted(finest) == sorted({row.id for row in assembled.entities} - assembled.local)
    assert len({group.id for group in groups}) == len(groups)
    for group in groups:
        parts = [part for part in groups if part.parent == group.id]
        assert (group.level == 0) == (not parts)
        assert group.level or len(group.members) <= SETTINGS.members
        if parts:
            assert sorted(member for part in parts for member in part.members) == list(group.members)
            assert group.level == 1 + max(part.level for part in parts)


def test_without_a_change_every_community_is_as_it_was() -> None:
    chunks = [chunk for number in range(8) for chunk in topic(number)]
    assembled, before = found(chunks)
    again = found(chunks, before, assembled)[1]
    assert again.groups == before.groups
    assert again.kept == len(before.groups)
    assert_sound(assembled, before.groups)
    assert max(group.level for group in before.groups) >= 1


def test_a_new_document_leaves_what_it_does_not_touch() -> None:
    chunks = [chunk for number in range(8) for chunk in topic(number)]
    old, before = found(chunks)
    alone = [
        ExtractedChunk(
            ChunkPlace(f"new-{at}", "zz", "zz.md", "", at, None, "public"),
            Extraction((Named("Part 3x1"), Named(f"Fresh {at}"), Named("Fresh Thing"))),
        )
        for at in range(4)
    ]
    assembled, after = found([*chunks, *alone], before, old)
    assert_sound(assembled, after.groups)
    members = {member for row in after.groups for member in row.members if row.id not in known(before)}
    names = {row.id: row.name for row in assembled.entities}
    far = {group.id for group in before.groups if not members & set(group.members)}
    assert far <= known(after)
    assert len(far) > len(before.groups) // 2
    assert {names[member] for member in members} >= {"Fresh Thing", "Part 3x1"}


def known(detected: Detected) -> set[str]:
    """The ids of the communities."""
    return {group.id for group in detected.groups}


@settings(max_examples=12, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 11), st.booleans()), min_size=1, max_size=10))
def test_after_any_edits_the_communities_are_nearly_as_good_as_new(edits: list[tuple[int, bool]]) -> None:
    held = set(range(6))
    old, before = found([chunk for number in sorted(held) for chunk in topic(number)])
    for number, kept in edits:
        held = held | {number} if kept else held - {number}
        chunks = [chunk for one in sorted(held) for chunk in topic(one)]
        old, before = found(chunks, before, old)
        assert_sound(old, before.groups)
    assert before.modularity >= found(chunks)[1].modularity - LOST


@pytest.mark.parametrize("count", [11, 40, 300])
def test_a_hub_that_nothing_divides_is_cut_to_size(count: int) -> None:
    places = [ChunkPlace(f"c{at}", "d", "d.md", "", at, None, "public") for at in range(count)]
    said = [(Stated("Hub", f"Leaf {at}", "drives", f"Hub drives leaf {at}."),) for at in range(count)]
    chunks = [
        ExtractedChunk(place, Extraction((Named("Hub"), Named(f"Leaf {at}")), said[at]))
        for at, place in enumerate(places)
    ]
    assembled, detected = found(chunks)
    assert_sound(assembled, detected.groups)


def test_local_entities_are_in_no_community() -> None:
    place = ChunkPlace("c", "d", "d.md", "", 0, None, "public")
    names = (Named("Figure 3-1", local=True), Named("CR4"), Named("SSE"), Named("FXSAVE"))
    assembled, detected = found([ExtractedChunk(place, Extraction(names))])
    held = {member for group in detected.groups for member in group.members}
    assert held == {row.id for row in assembled.entities} - assembled.local
    assert len(held) == 3
