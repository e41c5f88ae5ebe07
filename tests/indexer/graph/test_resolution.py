"""Which names are one thing and which cannot be, and edits by hand that outlast a rebuild."""

from __future__ import annotations

import time

import numpy as np
import pytest
from treegraph.indexer.errors import ConfigurationError
from treegraph.indexer.graph.assembly import Assembled, ExtractedChunk, assemble
from treegraph.indexer.graph.edits import Edits, Merge, Split
from treegraph.indexer.graph.extraction import Extraction, Named, Passage
from treegraph.indexer.graph.patterns import PatternExtractor
from treegraph.indexer.names import form
from treegraph.indexer.stores.graph_rows import ChunkPlace

INDEX_ID = "0b5cf0ff-6a50-4a36-9d5c-6d1f6f6e4b1a"
NORTH, EAST = np.eye(2, dtype=np.float32)


def chunk(
    place: str, *names: Named | str, vector: np.ndarray | None = NORTH, language: str = "en"
) -> ExtractedChunk:
    """A chunk at ``document:ordinal`` with these names."""
    document, ordinal = place.split(":")
    where = ChunkPlace(place, document, f"{document}.md", "", int(ordinal), None, "public")
    named = tuple(Named(name) if isinstance(name, str) else name for name in names)
    return ExtractedChunk(where, Extraction(named), language, vector)


def are_one(found: Assembled, first: tuple[str, str], second: tuple[str, str]) -> bool:
    """Whether two (chunk, name) are mentions of one entity."""
    held = {(row.chunk, name): row.entity for row in found.mentions for name in row.forms}
    return held[first[0], form(first[1])] == held[second[0], form(second[1])]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("control register", "control registers"),
        ("look-aside buffer", "lookaside buffer"),
        ("colour table", "color tables"),
        ("CR4 register", "CR4"),
        ("--check option", "--check"),
        ("Polar Lines Ltd.", "Polar Lines"),
        ("Dwight D. Alder", "Dwight Alder"),
        ("Dr. Ruth Amsel", "Amsel"),
        ("Border Gateway Protocol", "BGP"),
        ("SLAs", "SLA"),
    ],
)
def test_variants_of_a_name_in_one_document_are_one_thing(first: str, second: str) -> None:
    found = assemble([chunk("a:0", first, "Ness"), chunk("a:1", second, "Ayr")], INDEX_ID)
    assert are_one(found, ("a:0", first), ("a:1", second))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("CR0", "CR4"),
        ("XMM registers", "YMM registers"),
        ("Python 2", "Python 3"),
        ("v1.2", "v1.3"),
        ("VX-12 pump", "VX-13 pump"),
        ("Type A", "Type B"),
        ("World War I", "World War II"),
        ("HTTP 403", "HTTP 404"),
        ("32-bit", "64-bit"),
        ("slot 3-1", "slot 31"),
        ("max_size", "maxSize"),
        ("--size", "size"),
        ("C", "C++"),
        ("John A. Smith", "John B. Smith"),
        ("organ", "organization"),
        ("North Carolina", "Carolina"),
    ],
)
def test_things_that_are_told_apart_stay_apart(first: str, second: str) -> None:
    found = assemble(
        [chunk("a:0", first, second, "Ness"), chunk("a:1", first), chunk("a:2", second)], INDEX_ID
    )
    assert not are_one(found, ("a:0", first), ("a:0", second))


def test_no_alias_makes_two_numbered_things_one() -> None:
    wrong = Named("CR0", aliases=("CR4",))
    found = assemble([chunk("a:0", wrong, "CR4"), chunk("a:1", "CR4"), chunk("a:2", "CR0")], INDEX_ID)
    assert not are_one(found, ("a:1", "CR4"), ("a:2", "CR0"))


def test_names_alone_join_nothing_across_documents() -> None:
    one = chunk("a:0", "control register", "paging", "Zephyr")
    far = chunk("b:0", "control registers", "cashier", "till", vector=EAST)
    near = chunk("b:0", "control registers", "paging", "Zephyr", vector=EAST)
    assert not are_one(
        assemble([one, far], INDEX_ID), ("a:0", "control register"), ("b:0", "control registers")
    )
    assert are_one(assemble([one, near], INDEX_ID), ("a:0", "control register"), ("b:0", "control registers"))


def test_homonyms_stay_two_and_are_told_apart_by_their_documents() -> None:
    planet = chunk("a:0", "Mercury", "Caloris basin", "Hermes 3", "orbit")
    label = chunk("b:0", "Mercury", "Brook Street", "Dana Cole", "quartet", vector=EAST)
    found = assemble([planet, label], INDEX_ID)
    assert not are_one(found, ("a:0", "Mercury"), ("b:0", "Mercury"))
    bridge = chunk("c:0", "Mercury", "Caloris basin", "Dana Cole", vector=EAST)
    assert are_one(assemble([planet, label, bridge], INDEX_ID), ("a:0", "Mercury"), ("b:0", "Mercury"))


def test_an_acronym_means_what_its_own_document_says() -> None:
    chunks = [
        chunk("a:0", Named("Advanced Encryption Standard", aliases=("AES",)), "AES", "cipher", "gateway"),
        chunk("b:0", Named("Auger electron spectroscopy", aliases=("AES",)), "AES", "sample", "vacuum"),
        chunk("c:0", "AES", "cipher", "session key"),
    ]
    found = assemble(chunks, INDEX_ID)
    assert are_one(found, ("a:0", "AES"), ("a:0", "Advanced Encryption Standard"))
    assert are_one(found, ("b:0", "AES"), ("b:0", "Auger electron spectroscopy"))
    assert not are_one(found, ("a:0", "AES"), ("b:0", "AES"))
    assert are_one(found, ("c:0", "AES"), ("a:0", "AES"))


def test_a_surname_that_two_persons_have_is_neither() -> None:
    found = assemble([chunk("a:0", "Dr. Anna Smith", "Dr. John Smith"), chunk("a:1", "Smith")], INDEX_ID)
    assert not are_one(found, ("a:1", "Smith"), ("a:0", "Dr. Anna Smith"))
    assert not are_one(found, ("a:1", "Smith"), ("a:0", "Dr. John Smith"))


def test_without_vectors_neighbours_decide() -> None:
    one = chunk("a:0", "control register", "paging", "Zephyr", vector=None)
    same = chunk("b:0", "control registers", "paging", "Zephyr", vector=None)
    other = chunk("c:0", "control registers", "cashier", vector=None)
    found = assemble([one, same], INDEX_ID)
    assert are_one(found, ("a:0", "control register"), ("b:0", "control registers"))
    found = assemble([one, other], INDEX_ID)
    assert not are_one(found, ("a:0", "control register"), ("c:0", "control registers"))


def test_a_split_takes_a_name_out_and_can_be_taken_back() -> None:
    chunks = [chunk("a:0", "control register", "CR4"), chunk("a:1", "control registers")]
    ends = ("a:0", "control register"), ("a:1", "control registers")
    edits = Edits().split("Control Registers")
    assert not are_one(assemble(chunks, INDEX_ID, edits), *ends)
    assert are_one(assemble(chunks, INDEX_ID, edits.without(Split("Control Registers"))), *ends)
    merged = edits.merge("control register", "control registers")
    assert are_one(assemble(chunks, INDEX_ID, merged), *ends)
    assert not are_one(assemble(chunks, INDEX_ID, merged.split("control registers")), *ends)


def test_a_split_by_document_makes_a_name_another_thing_in_each() -> None:
    chunks = [chunk("a:0", "Paris", "Seine"), chunk("b:0", "Paris", "Seine")]
    ends = ("a:0", "Paris"), ("b:0", "Paris")
    assert are_one(assemble(chunks, INDEX_ID), *ends)
    found = assemble(chunks, INDEX_ID, Edits().split("Paris", "document"))
    assert not are_one(found, *ends)
    assert len({row.id for row in found.entities}) == len(found.entities)


def test_an_edit_of_a_name_that_is_not_there_waits_for_it() -> None:
    edits = Edits().merge("Larkspur", "Delphinium").split("Nobody")
    found = assemble([chunk("a:0", "Larkspur")], INDEX_ID, edits)
    assert found.counts["edit of a missing name"] == 2
    found = assemble([chunk("a:0", "Larkspur"), chunk("b:0", "Delphinium", vector=EAST)], INDEX_ID, edits)
    assert are_one(found, ("a:0", "Larkspur"), ("b:0", "Delphinium"))


def test_edits_are_values_with_a_text_of_their_own() -> None:
    edits = Edits().merge("b", "a").merge("a", "b").split("c", "document")
    assert edits == Edits((Merge("a", "b"),), (Split("c", "document"),))
    assert Edits.from_json(edits.to_json()) == edits
    assert edits.without(Merge("a", "b")).without(Split("c", "document")) == Edits()
    for text in ("", "[]", '{"merges": [["a"]], "splits": []}', '{"merges": [], "splits": [["a", "b"]]}'):
        with pytest.raises(ConfigurationError):
            Edits.from_json(text)


def test_twice_the_names_take_about_twice_the_time() -> None:
    def seconds(count: int) -> float:
        chunks = [
            chunk(f"d{at % 50}:{at}", f"Part {at}", f"common thing {at % 99}", f"item-{at}", f"items-{at}")
            for at in range(count)
        ]
        start = time.process_time()
        assemble(chunks, INDEX_ID)
        return time.process_time() - start

    seconds(200)
    assert seconds(4000) < 6 * max(seconds(1500), 0.05)


def _part(place: str, type: str, *names: str, vector: np.ndarray = NORTH) -> ExtractedChunk:
    return chunk(place, Named("BV-68", type=type), *names, vector=vector)


def test_a_number_that_two_documents_give_to_things_of_two_kinds_is_two_things() -> None:
    valve, bracket = (
        _part("a:0", "valve", "PT-3", "TK-1"),
        _part("b:0", "bracket", "PT-3", "KX-4", "KX-5", "KX-6", "KX-7"),
    )
    again = _part("c:0", "", "KX-4", "KX-5")
    found = assemble([valve, bracket, again], INDEX_ID)
    assert not are_one(found, ("a:0", "BV-68"), ("b:0", "BV-68"))
    assert are_one(found, ("b:0", "BV-68"), ("c:0", "BV-68"))


def test_two_words_for_one_numbered_thing_among_the_same_names_are_one_thing() -> None:
    valve, fitting = _part("a:0", "valve", "PT-3", "TK-1"), _part("b:0", "fitting", "PT-3", "TK-1")
    assert are_one(assemble([valve, fitting], INDEX_ID), ("a:0", "BV-68"), ("b:0", "BV-68"))


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("CR4", "Set the CR4 register first.", "The CR4 value is read at reset."),
        ("P-12", "The pump P-12 feeds the tank.", "The P-12 unit is switched off at night."),
        ("F-16", "The F-16 flew at dawn.", "The fighter F-16 is old."),
        ("A4", "The A4 ran all day.", "The A4 alone, in the hall, is loud."),
    ],
)
def test_a_numbered_thing_that_two_documents_say_two_words_of_is_one_thing(
    name: str, first: str, second: str
) -> None:
    """Few words of two documents say little about what a number is, however far they are from each other."""
    read = [
        chunk(place, *PatternExtractor().extract(Passage(place, place[0], text, language="en")).names,
              vector=vector)
        for place, text, vector in (("a:0", first, NORTH), ("b:0", second, EAST))
    ]  # fmt: skip
    assert are_one(assemble(read, INDEX_ID), ("a:0", name), ("b:0", name))


def _ports(place: str, vector: np.ndarray, *names: str, language: str = "en") -> ExtractedChunk:
    return chunk(place, "Marlow", *names, vector=vector, language=language)


@pytest.mark.parametrize(("chunks", "language", "one"), [(1, "en", True), (2, "en", False), (2, "ja", True)])
def test_what_stands_around_a_name_parts_it_only_where_it_stands_often_enough_in_one_language(
    chunks: int, language: str, one: bool
) -> None:
    north = [_ports(f"a:{at}", NORTH, "Ness", "Ayr", "Tay", "Esk") for at in range(chunks)]
    beside = np.array([0.1, 0.995], dtype=np.float32)
    east = [
        _ports(f"b:{at}", beside, "Ohm", "Volt", "Watt", "Bel", language=language) for at in range(chunks)
    ]
    assert are_one(assemble([*north, *east], INDEX_ID), ("a:0", "Marlow"), ("b:0", "Marlow")) is one
