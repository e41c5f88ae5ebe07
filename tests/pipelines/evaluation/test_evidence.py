"""The evidence within a budget, and what it is worth."""

import pytest
from treegraph.indexer.types import Citation, Hit
from treegraph.pipelines.evaluation.distinctive import DistinctiveTerms
from treegraph.pipelines.evaluation.evidence import gather_evidence
from treegraph.pipelines.evaluation.places import page_place, ranking, source_of


def _hit(name: str, words: int, *pages: tuple[int, ...]) -> Hit:
    citations = tuple(
        Citation(f"d{name}", "m/a.pdf", "A", each, (), f"{name}{n}") for n, each in enumerate(pages)
    )
    return Hit(name, "chunk", " ".join(["word"] * words), 1.0, citations)


def _count(text: str) -> int:
    return len(text.split())


def test_hits_expand_to_their_pages_first_page_first_and_once() -> None:
    hits = [_hit("a", 1, (4, 5)), _hit("b", 1, (9,), (2, 3)), _hit("c", 1, (5, 6))]

    assert ranking(hits, "page") == [page_place("m/a.pdf", page) for page in (4, 5, 9, 2, 3, 6)]
    assert ranking(hits, "page", frozenset({"m/a.pdf@9"}))[2] == "m/a.pdf@2"


def test_the_first_hit_that_does_not_fit_ends_the_evidence() -> None:
    hits = [_hit("a", 60, (1,)), _hit("b", 50, (2,)), _hit("c", 10, (3,))]

    found = gather_evidence(hits, "page", frozenset(), 100, _count)

    assert found.places == ("m/a.pdf@1",)
    assert found.tokens == 60


def test_a_hit_on_left_out_pages_alone_costs_nothing() -> None:
    hits = [_hit("index", 90, (99,)), _hit("a", 60, (1, 99)), _hit("b", 40, (2,))]

    found = gather_evidence(hits, "page", frozenset({"m/a.pdf@99"}), 100, _count)

    assert found.places == ("m/a.pdf@1", "m/a.pdf@2")
    assert found.tokens == 100
    values = found.metrics({"m/a.pdf@1": 1, "m/a.pdf@7": 1, "m/a.pdf@8": 1}, "page")
    assert values["page_recall"] == pytest.approx(1 / 3)
    assert values["page_f1"] == pytest.approx(2 / (2 + 3))
    assert (values["pages"], values["tokens"]) == (2, 100)


def test_records_are_named_by_their_own_metrics() -> None:
    hit = Hit("a", "chunk", "some words", 1.0, (Citation("d", "corpus.jsonl#r1", "R", None, (), "c"),))

    values = gather_evidence([hit], "record", frozenset(), 10, _count).metrics({"r1": 1}, "record")

    assert values == {"record_recall": 1.0, "record_f1": 1.0, "records": 1.0, "tokens": 2.0}


@pytest.mark.parametrize(
    ("place", "source"),
    [("m/a.pdf@12", "m/a.pdf"), ("m/a@b.md#Wiring > Relays", "m/a@b.md")],
)
def test_a_place_knows_its_source(place: str, source: str) -> None:
    assert source_of(place, "page") == source


def test_evidence_that_says_nothing_holds_no_terms() -> None:
    pages = {
        "m@1": "The watchdog resets the controller when the heartbeat stops. Watchdog registers follow.",
        "m@2": "The relay driver switches the pump. The relay coil is rated at 24 volts.",
        "m@3": "The display shows the menu.",
    }
    terms = DistinctiveTerms(pages, {})

    assert terms.of(["m@1"])[0] == "watchdog"
    assert "the" not in terms.of(["m@1"])
    assert terms.held(pages["m@1"], ["m@1"]) == 1
    assert terms.held("This chapter is about many things of the device.", ["m@1"]) == 0
    assert 0 < (terms.held("The watchdog resets.", ["m@1"]) or 0) < 1
    assert terms.held("anything", ["m@99"]) is None
