"""What a question asks of a name: the kind of relation, and which end of it the name is."""

from __future__ import annotations

import pytest
from treegraph.query.graph_asked import asked_of, senses_of
from treegraph.query.graph_direction import direction
from treegraph.query.graph_kinds import Said, kinds_said
from treegraph.query.graph_words import place_of

ASKED = (
    ("Which valve does PX-4 require?", "needs", "out"),
    ("Which valve requires PX-4?", "needs", "in"),
    ("How heavy is the unit that PX-4 depends on?", "needs", "out"),
    ("How heavy is the unit without which PX-4 cannot work?", "needs", "both"),
    ("How heavy is the unit that protects the pump PX-4?", "keeps", "in"),
    ("How heavy is the unit by which the pump PX-4 is shut down?", "keeps", "in"),
    ("How heavy is the unit by which the PX-4 pump is stopped?", "keeps", "in"),
    ("How heavy is the unit to which the register bit PX-4 sends its samples?", "passes", "out"),
    ("How heavy is the unit that receives the output of PX-4?", "passes", "out"),
    ("How heavy is the unit from which PX-4 gets its settings?", "sets", "both"),
    ("How heavy is the rack into which PX-4 is built?", "part", "out"),
    ("How heavy is the rack that contains PX-4?", "part", "out"),
    ("How heavy is the predecessor of PX-4?", "replaces", "out"),
    ("How heavy is the successor of PX-4?", "replaces", "in"),
    ("Who is the spouse of the director of PX-4?", "directs", "both"),
)


@pytest.mark.parametrize(("question", "kind", "way"), ASKED)
def test_the_kind_and_the_way_that_are_asked(question: str, kind: str, way: str) -> None:
    assert (kind, way) in asked_of(question, "PX-4").senses


@pytest.mark.parametrize(
    "question", ["Tell me about PX-4.", "PX-4", "Where is PX-4?", "Wer braucht PX-4?", "what is AB-1", ""]
)
def test_what_asks_for_no_known_kind_asks_nothing(question: str) -> None:
    assert asked_of(question, "PX-4").senses == frozenset()
    assert asked_of(question, "").senses == frozenset()


def test_types_of_relations_fit_what_is_asked_in_other_words() -> None:
    asked = asked_of("How heavy is the unit that protects PX-4?", "PX-4")
    assert asked.fits(senses_of("stops", "in"))
    assert not asked.fits(senses_of("stops", "out"))
    assert not asked.fits(senses_of("requires", "in"))
    inside = asked_of("How heavy is the rack that PX-4 is part of?", "PX-4")
    assert inside.fits(senses_of("belongs to", "out"))
    assert inside.fits(senses_of("contains", "in"))
    assert not inside.fits(senses_of("contains", "out"))


def test_a_sentence_may_speak_of_it_without_stating_it() -> None:
    asked = asked_of("How heavy is the unit that protects PX-4?", "PX-4")
    assert asked.speaks("Nothing but the lock guards it.")
    assert not asked.speaks("It is painted green.")


def test_several_words_say_a_kind_of_their_own() -> None:
    assert Said("part", "on") in kinds_said("is built into")
    assert Said("makes", "on") not in kinds_said("is built into")
    assert kinds_said("the readings") == frozenset()


@pytest.mark.parametrize(
    ("text", "name", "at"),
    [
        ("what feeds p-12 and p-1?", "p-1", 20),
        ("what feeds p-12?", "p-1", -1),
        ("what feeds xp-1?", "p-1", -1),
        ("cr4.pg is set", "cr4", 0),
        ("the relays open", "relay", 4),
        ("p-1を止める弁", "p-1", 0),
        ("主弁を止める", "弁", 1),
        ("p-1은 멈춘다", "p-1", 0),
        ("use c++17", "c++", 4),
        ("p-1", "", -1),
    ],
)
def test_a_name_stands_where_it_is_no_part_of_a_longer_word(text: str, name: str, at: int) -> None:
    assert place_of(name, text) == at


def test_what_is_asked_is_asked_of_the_whole_name() -> None:
    question = "How does P-12 run, and which unit protects P-1?"
    assert ("keeps", "in") in asked_of(question, "P-1").senses
    assert asked_of("Which unit protects P-12?", "P-1").senses == frozenset()
    assert direction("Which unit protects P-12?", "P-1") == "both"
