"""From extractions to rows: what is kept of names and statements, what is dropped, and no order matters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from treegraph.indexer.graph.assembly import Assembled, ExtractedChunk, assemble
from treegraph.indexer.graph.extraction import Extraction, Named, Stated
from treegraph.indexer.stores.graph_rows import ChunkPlace, EntityRow, MentionRow

INDEX_ID = "0b5cf0ff-6a50-4a36-9d5c-6d1f6f6e4b1a"
OTHER_ID = "7f0d1b0e-98a1-4f0f-8a6b-0d1f8c5b2f11"


def chunk(
    place: str, *names: Named | str, said: tuple[Stated, ...] = (), access: str = "public"
) -> ExtractedChunk:
    """A chunk at ``document:ordinal`` with these names."""
    document, ordinal = place.split(":")
    where = ChunkPlace(f"{document}-{ordinal}", document, f"{document}.md", "", int(ordinal), None, access)
    named = tuple(Named(name) if isinstance(name, str) else name for name in names)
    return ExtractedChunk(where, Extraction(named, said), "en")


def entity(assembled: Assembled, name: str) -> EntityRow:
    (row,) = (row for row in assembled.entities if row.name == name)
    return row


def mention(assembled: Assembled, name: str, where: str) -> MentionRow:
    (row,) = (row for row in assembled.mentions if row.chunk == where and name in row.names)
    return row


def test_a_mention_keeps_what_is_written_and_how_it_is_looked_up() -> None:
    aes = Named("Advanced Encryption Standard", "cipher", "subject", 2, aliases=("AES",))
    found = assemble([chunk("a:0", aes, Named("AES", count=3)), chunk("a:1", "AES")], INDEX_ID)
    row = mention(found, "AES", "a-0")
    assert row.names == ("AES", "Advanced Encryption Standard")
    assert row.forms == ("aes", "advanced encryption standard")
    assert (row.role, row.count, row.type) == ("subject", 5, "cipher")
    assert mention(found, "AES", "a-1").entity == row.entity
    assert entity(found, "AES").type == "cipher"


def test_a_relation_keeps_its_evidence_in_order_and_once() -> None:
    def states(sentence: str, condition: str = "") -> Stated:
        return Stated("ADDPS", "SSE", "requires", sentence, condition)

    found = assemble(
        [
            chunk("b:1", "ADDPS", "SSE", said=(states("Last."),)),
            chunk("a:7", "ADDPS", "SSE", said=(states("Second, if CR4 says so.", "if CR4 says so"),)),
            chunk("a:2", "ADDPS", "SSE", said=(states("Zero."), states("First."), states("First."))),
        ],
        INDEX_ID,
    )
    (relation,) = found.relations
    assert relation.source == entity(found, "ADDPS").id
    assert relation.target == entity(found, "SSE").id
    assert [one.sentence for one in relation.evidence] == [
        "First.",
        "Zero.",
        "Second, if CR4 says so.",
        "Last.",
    ]
    assert [one.condition for one in relation.evidence] == ["", "", "if CR4 says so", ""]


def test_what_leads_nowhere_is_dropped_and_counted() -> None:
    said = (
        Stated("SSE", "sse", "is", "SSE is SSE."),
        Stated("SSE", "Nobody", "requires", "SSE requires nobody."),
        Stated("SSE", "CR4", "requires", "SSE requires CR4."),
    )
    found = assemble([chunk("a:0", "SSE", "CR4", said=said)], INDEX_ID)
    assert [row.type for row in found.relations] == ["requires"]
    assert found.counts == {
        "dropped: relation of a thing to itself": 1,
        "dropped: relation to what is not named": 1,
    }


@pytest.mark.parametrize("name", [None, 7, "", "   ", "...", "x" * 10_000])
def test_what_is_no_name_costs_itself_alone(name: Any) -> None:
    bad = replace(Named("x", aliases=("CR4",)), name=name)
    beside = replace(Named("CR0"), aliases=(name,))
    found = assemble([chunk("a:0", bad, beside, "CR3")], INDEX_ID)
    assert {row.name for row in found.entities} == {"CR0", "CR3"}
    assert found.counts["dropped: no name"] == 1


@pytest.mark.parametrize(
    "name", ["\ud800 half", "a\x00b", "'; DROP TABLE entities; --", "}) DETACH DELETE n //"]
)
def test_an_odd_name_is_a_name(name: str) -> None:
    found = assemble([chunk("a:0", name, "CR3")], INDEX_ID)
    assert {row.name for row in found.entities} >= {"CR3"}
    assert len({row.id for row in found.entities}) == len(found.entities) == 2
    assert all(row.name.encode("utf-8") for row in found.entities)


def test_a_local_name_is_another_thing_in_every_document() -> None:
    figure = Named("Figure 3-1", local=True, aliases=("Fig. 3-1",))
    found = assemble(
        [chunk("a:0", figure, "CR4"), chunk("a:1", figure), chunk("b:0", figure, "CR4")], INDEX_ID
    )
    assert mention(found, "Figure 3-1", "a-0").entity == mention(found, "Figure 3-1", "a-1").entity
    assert mention(found, "Figure 3-1", "a-0").entity != mention(found, "Figure 3-1", "b-0").entity
    assert found.local == {row.id for row in found.entities if row.name == "Figure 3-1"}
    assert entity(found, "CR4").id not in found.local


def test_ids_follow_from_index_and_name() -> None:
    one = assemble([chunk("a:0", "CR4")], INDEX_ID)
    assert entity(one, "CR4").id == entity(assemble([chunk("b:3", "CR4", "CR0")], INDEX_ID), "CR4").id
    assert entity(one, "CR4").id != entity(assemble([chunk("a:0", "CR4")], OTHER_ID), "CR4").id


def test_access_is_that_of_the_chunk() -> None:
    said = (Stated("CR4", "SSE", "enables", "CR4 enables SSE."),)
    found = assemble([chunk("a:0", "CR4", "SSE", said=said, access="secret"), chunk("b:0", "CR4")], INDEX_ID)
    assert {(row.chunk, row.access) for row in found.mentions} == {("a-0", "secret"), ("b-0", "public")}
    assert [one.access for one in found.relations[0].evidence] == ["secret"]


NAMES = [
    "CR0",
    "CR4",
    "SSE",
    "sse",
    "control register",
    "control registers",
    "AES",
    "Auger",
    "Ann Lee",
    "Lee",
]
_named = st.builds(
    Named,
    st.sampled_from(NAMES),
    type=st.sampled_from(["", "register"]),
    count=st.integers(1, 3),
    local=st.booleans(),
    aliases=st.lists(st.sampled_from(NAMES), max_size=1).map(tuple),
)
_stated = st.builds(
    Stated, st.sampled_from(NAMES), st.sampled_from(NAMES), st.just("requires"), st.sampled_from(["A.", "B."])
)
_extraction = st.builds(
    Extraction, st.lists(_named, max_size=4).map(tuple), st.lists(_stated, max_size=3).map(tuple)
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), _extraction), max_size=8), st.randoms())
def test_the_order_of_the_input_does_not_matter(said: list[tuple[str, Extraction]], random: Any) -> None:
    chunks = [
        replace(chunk(f"{document}:{number}"), extraction=one) for number, (document, one) in enumerate(said)
    ]
    found = assemble(chunks, INDEX_ID)
    random.shuffle(chunks)
    assert assemble(chunks, INDEX_ID) == found
    for rows in (found.entities, found.mentions, found.relations):
        keys = [row.key for row in rows]
        assert keys == sorted(set(keys))
    entities = {row.id for row in found.entities}
    assert entities == {row.entity for row in found.mentions} >= found.local
    assert {end for row in found.relations for end in (row.source, row.target)} <= entities
