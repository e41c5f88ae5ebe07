"""Where sentences about a name of the question lead: to what they say is asked, over relations or without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_graph import Said, SmallGraph, build, question
from treegraph.query.access import Access
from treegraph.query.graph_open import unheld
from treegraph.query.graph_reading import Clock, GraphRead
from treegraph.query.graph_settings import GraphReadSettings
from treegraph.query.question import Candidate, Found

FACTS: Sequence[Said] = (
    Said("Tarn is described here. Its cover is green.", "Tarn"),
    Said("Ebbor is described here. Four bolts carry it.", "Ebbor"),
    Said("Ruddle is described here. Four bolts carry it.", "Ruddle"),
    Said("Quoin is described here. Four bolts carry it.", "Quoin"),
    Said("Ebbor halts Tarn.", "First", states=[("Ebbor", "stops", "Tarn", "")]),
    Said("Tarn halts Ruddle.", "Second", states=[("Tarn", "stops", "Ruddle", "")]),
    Said("Tarn requires Quoin.", "Third", states=[("Tarn", "requires", "Quoin", "")]),
    Said("Wold is described here. It hums.", "Wold"),
    Said("Sike is described here. Four bolts carry it.", "Sike"),
    Said("Lathe is described here. Four bolts carry it.", "Lathe"),
    Said("Wold never leaves Sike.", "Fourth", names=["Wold", "Sike"]),
    Said("Wold requires Lathe.", "Fifth", states=[("Wold", "requires", "Lathe", "")]),
    Said("Orla is described here. It is old.", "Orla"),
    Said("Orla turns the crimson flywheel Fenn.", "Sixth", states=[("Orla", "turns", "Fenn", "")]),
    Said("Orla stands beside Fenn.", "Seventh", states=[("Orla", "stands beside", "Fenn", "")]),
    Said("Fenn wears out Brack.", "Fenn", states=[("Fenn", "wears out", "Brack", "")]),
    Said("The weight and colour of a unit that protects another are on its plate.", "Plates"),
    Said("Weight: which unit protects it stands on the plate.", "Weights"),
)
FILLING = [Said(f"Line {n} goes on.", f"Line {n}") for n in range(60)]
PROTECTS = "What is the weight of the unit that protects Tarn?"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallGraph]:
    built = build(tmp_path_factory.mktemp("told"), [*FACTS, *FILLING], {})
    yield built
    built.close()


def texts(found: Sequence[Candidate]) -> list[str]:
    return [one.payload["text"] for one in found]


def place(small: SmallGraph, asked: str, start: str, **settings: float) -> int:
    found = texts(small.ask(asked, limit=40, **settings).candidates)
    return next(at for at, text in enumerate(found) if text.startswith(start))


def test_it_leads_to_what_is_asked_in_other_words(small: SmallGraph) -> None:
    assert place(small, PROTECTS, "Ebbor is") < 5
    assert place(small, PROTECTS, "Ebbor halts") < 5
    assert place(small, PROTECTS, "Ebbor is", told=0.0) > place(small, PROTECTS, "Ebbor is")


def test_not_against_the_direction_nor_to_what_another_relation_says(small: SmallGraph) -> None:
    for other in ("Ruddle is", "Quoin is"):
        assert place(small, PROTECTS, other) > place(small, PROTECTS, "Ebbor is")
        assert place(small, PROTECTS, other) >= place(small, PROTECTS, other, told=0.0)
    turned = "What is the weight of the unit that Tarn protects?"
    assert place(small, turned, "Ruddle is") < place(small, turned, "Ebbor is")


def test_the_path_says_by_which_relation(small: SmallGraph) -> None:
    found = small.ask(PROTECTS).candidates
    path = next(one.path for one in found if one.payload["text"].startswith("Ebbor is"))
    assert [step.get("name", step.get("type")) for step in path or ()][:3] == ["Tarn", "stops", "Ebbor"]


def test_what_is_left_over_must_be_it(small: SmallGraph) -> None:
    asked = "What is the weight of the unit that contains Wold?"
    assert place(small, asked, "Sike is") < place(small, asked, "Lathe is")
    assert place(small, asked, "Sike is") < place(small, asked, "Sike is", told=0.0)


def test_beside_a_second_name_nothing_is_left_over(small: SmallGraph) -> None:
    asked = "Does the unit that contains Wold weigh more than Quoin?"
    assert place(small, asked, "Sike is") == place(small, asked, "Sike is", told=0.0)


def test_of_chains_that_end_alike_the_one_that_says_most_goes_on(small: SmallGraph) -> None:
    found = small.ask("what does the crimson flywheel that Orla turns wear out").candidates
    path = next(one.path for one in found if one.payload["text"].startswith("Fenn wears")) or ()
    assert [step["type"] for step in path if step["kind"] == "relation"] == ["turns", "wears out"]


@given(st.lists(st.floats(0, 9), min_size=2, max_size=12, unique=True), st.randoms())
def test_words_weigh_the_same_in_any_order(small: SmallGraph, weights: list[float], chance: object) -> None:
    terms = {f"w{at}": weight for at, weight in enumerate(weights)}
    mixed = list(terms)
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    values = set()
    for order in (list(terms), mixed):
        graph = unheld(small.graph, Access(), GraphReadSettings())
        found = Found((), 0.0, {name: terms[name] for name in order})
        read = GraphRead(small.vectors, graph, question("x"), found, Clock(1.0))
        values.add(read.weigh(order[: len(order)]))
        values.add(read.weigh(frozenset(order)))
    assert len(values) == 1
