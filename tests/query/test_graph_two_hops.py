"""Two hundred questions of two hops over a manual whose links are known, through a real build and the real
encoder: the graph finds the passage that shares no word with the question, which similarity cannot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pytest
import treegraph
from linked_manual import LinkedManual, content, linked_manual, sections
from linked_manual_report import build, place, recall, search
from linked_manual_ways import LINKS
from treegraph.query.index import Index
from treegraph.query.result import Hit

SEED, COUNT = 1, 200


@pytest.fixture(scope="module")
def manual() -> LinkedManual:
    return linked_manual(SEED, COUNT)


@pytest.fixture(scope="module")
def index(manual: LinkedManual, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    pytest.importorskip("onnxruntime", reason="the local extra is not installed")
    with treegraph.open_index(build(manual, tmp_path_factory.mktemp("linked"))) as opened:
        yield opened


@pytest.fixture(scope="module")
def found(manual: LinkedManual, index: Index) -> Mapping[str, list[Sequence[Hit]]]:
    """The hits of every question, by route."""
    return {route: search(manual, index, route) for route in ("hybrid", "graph")}


def test_the_manual_is_what_it_says(manual: LinkedManual) -> None:
    texts = sections(manual.files)
    assert len({asked.text for asked in manual.questions}) == COUNT
    assert {asked.link for asked in manual.questions} == LINKS.keys()
    assert all(len(ways.said) >= 6 for ways in LINKS.values())
    for asked in manual.questions:
        assert asked.first != asked.second
        assert not content(asked.text) & content(texts[asked.second])
    again, other = linked_manual(SEED, COUNT), linked_manual(SEED + 1, COUNT)
    assert again == manual
    assert other != manual


def test_the_graph_finds_both_passages_and_similarity_does_not(
    manual: LinkedManual, found: Mapping[str, list[Sequence[Hit]]]
) -> None:
    hybrid, graph = recall(manual, found["hybrid"]), recall(manual, found["graph"])
    assert graph >= 0.93
    assert graph - hybrid >= 0.4


def test_a_second_passage_is_found_over_what_the_first_one_names(
    manual: LinkedManual, found: Mapping[str, list[Sequence[Hit]]]
) -> None:
    led = [
        [step["kind"] for step in hit.path or ()]
        for asked, hits in zip(manual.questions, found["graph"], strict=True)
        for hit in hits
        if place(hit) == asked.second
    ]
    assert len(led) >= 0.8 * COUNT
    assert all(kinds[0] in ("entity", "chunk") and kinds[-1] == "chunk" for kinds in led)
    assert sum(kinds.count("entity") >= 2 for kinds in led) >= 0.9 * len(led)


def test_an_acronym_of_another_document_leads_nobody_astray(
    manual: LinkedManual, found: Mapping[str, list[Sequence[Hit]]]
) -> None:
    meant = 0
    for asked, hits in zip(manual.questions, found["graph"], strict=True):
        letters = initials(asked.second[1])
        twins = {other for other in manual.homonyms if letters and initials(other[1]) == letters}
        if twins:
            shown = set(map(place, hits))
            meant += asked.second in shown
            assert not twins & shown
    assert meant >= 10


def initials(name: str) -> str:
    """The initials of a name of several words."""
    return "".join(word[0] for word in name.split()) if " " in name else ""
