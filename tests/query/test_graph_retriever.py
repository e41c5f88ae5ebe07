"""The graph route over real stores: hops, directions, paths, reports, and who sees what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from small_graph import Said, SmallGraph, build, question
from treegraph.indexer.errors import ConfigurationError
from treegraph.indexer.stores.graph_ports import GraphSnapshot
from treegraph.indexer.stores.graph_rows import CommunityRow
from treegraph.indexer.types import PUBLIC
from treegraph.query.access import Access
from treegraph.query.graph_settings import GraphReadSettings
from treegraph.query.hybrid import HybridRetriever
from treegraph.query.question import Candidate
from treegraph.query.settings import SearchSettings

STAFF = "class-of-staff"
ANYBODY = Access(classes=(PUBLIC,))
HUB = "Orion"

FACTS: Sequence[Said] = (
    Said("ADDPS is an instruction of SSE.", "ADDPS", states=[("ADDPS", "is a", "SSE", "")]),
    Said(
        "SSE requires that the operating system sets the control bit CR4.OSFXSR, unless it is emulated.",
        "SSE",
        states=[("SSE", "requires", "CR4.OSFXSR", "unless it is emulated")],
    ),
    Said("The emulation bit CR0.EM must be clear.", "CR0.EM", names=["CR0.EM"]),
    Said("MOVAPS requires SSE.", "MOVAPS", states=[("MOVAPS", "requires", "SSE", "")]),
    Said("Paging sets a register bit.", "Paging", names=["CR0.PG"]),
    Said("Kestrel was founded by Ada Quill.", "Kestrel", names=["Ada Quill"]),
    Said("Her father kept a mill at Dunmore.", "Ada Quill", names=["Dunmore"]),
    Said("The mill at Dunmore burned down.", "Dunmore"),
    Said("The Vault opens with the code of Ada Quill.", "Vault", names=["Ada Quill"], document="secret"),
    Said("Mallory holds the key.", "Mallory", states=[("Mallory", "holds", "Vault", "")], document="secret"),
)
FILLING = [Said(f"{HUB} moves part {n} of the line.", f"Part {n}", names=[HUB]) for n in range(60)]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallGraph]:
    home = tmp_path_factory.mktemp("graph")
    draft = build(home / "draft", [*FACTS, *FILLING], {"secret": STAFF})
    draft.close()
    members = tuple(sorted(draft.entity(name) for name in ("SSE", "ADDPS", "MOVAPS", "CR4.OSFXSR")))
    report = CommunityRow(
        "11111111-0000-5000-8000-000000000001", 0, None, members, "SSE", "SSE and its instructions need CR4.",
        tuple(draft.chunks[:2]), ("manual",), (PUBLIC,),
    )  # fmt: skip
    hidden = replace(
        report,
        id="11111111-0000-5000-8000-000000000002",
        members=(draft.entity("Vault"), draft.entity("Ada Quill")),
        report="All about instructions of the vault.",
        documents=("manual", "secret"),
        classes=(PUBLIC, STAFF),
    )
    built = build(home / "whole", [*FACTS, *FILLING], {"secret": STAFF}, [report, hidden])
    yield built
    built.close()


def texts(found: Sequence[Candidate]) -> list[str]:
    return [candidate.payload["text"] for candidate in found]


def steps(candidate: Candidate, kind: str) -> list[Mapping[str, Any]]:
    return [step for step in candidate.path or () if step["kind"] == kind]


def found_with(found: Sequence[Candidate], start: str) -> Candidate:
    return next(one for one in found if one.payload["text"].startswith(start))


CONTROL_BIT = "which control register bit must the operating system set before ADDPS can run"


def test_two_hops_lead_from_an_instruction_to_the_bit_that_it_needs(small: SmallGraph) -> None:
    found = small.ask(CONTROL_BIT).candidates
    first = texts(found)[:2]
    assert any("CR4.OSFXSR" in text for text in first)
    assert not any("CR0.EM" in text for text in first)
    needed = found_with(found, "SSE requires")
    assert [step["name"] for step in steps(needed, "entity")] == ["ADDPS", "SSE", "CR4.OSFXSR"]
    assert steps(needed, "entity")[0]["said"] == "ADDPS"
    belongs, requires = steps(needed, "relation")
    assert (belongs["type"], requires["type"]) == ("is a", "requires")
    assert requires["condition"] == "unless it is emulated"
    assert requires["sentence"] == needed.payload["text"]
    assert (requires["pages"], requires["chunk"]) == ([2], needed.payload["id"])
    assert needed.path is not None
    assert needed.path[-1] == {"kind": "chunk", "id": needed.payload["id"]}


def test_what_requires_a_thing_is_not_what_it_requires(small: SmallGraph) -> None:
    onto = found_with(small.ask("what requires SSE").candidates, "MOVAPS")
    assert [step["type"] for step in steps(onto, "relation")] == ["requires"]
    assert [step["name"] for step in steps(onto, "entity")] == ["SSE", "MOVAPS"]
    away = small.ask("what does SSE require")
    assert not any(
        step["type"] == "requires" for step in steps(found_with(away.candidates, "MOVAPS"), "relation")
    )
    assert texts(away.candidates)[0].startswith("SSE requires")
    assert texts(small.ask("what requires SSE").candidates).index("MOVAPS requires SSE.") < 2


def test_a_second_passage_comes_by_the_first_ones_subject(small: SmallGraph) -> None:
    found = small.ask("who was the father of the founder of Kestrel", limit=8).candidates
    second = found_with(found, "Her father")
    assert texts(found).index(second.payload["text"]) < 2
    assert "Ada Quill" in [step["name"] for step in steps(second, "entity")]
    chunks = [step["id"] for step in steps(second, "chunk")]
    assert chunks[-1] == second.payload["id"]
    assert len(chunks) == len(set(chunks))


def test_steps_of_every_path_are_joined_in_the_graph(small: SmallGraph) -> None:
    where = Access().where(None)
    for asked in (CONTROL_BIT, "who was the father of the founder of Kestrel", "Dunmore and MOVAPS"):
        for candidate in small.ask(asked, limit=30).candidates:
            path = list(candidate.path or ())
            assert path[-1]["id"] == candidate.payload["id"]
            assert len({step["id"] for step in path if step["kind"] != "relation"}) == len(
                [step for step in path if step["kind"] != "relation"]
            )
            for one, other in pairwise(path):
                kinds = {one["kind"], other["kind"]}
                if kinds == {"entity", "chunk"}:
                    entity, chunk = sorted((one, other), key=lambda step: step["kind"], reverse=True)
                    mentions = small.graph.mentions([chunk["id"]], where)
                    assert entity["id"] in {mention.entity for mention in mentions}
                elif kinds == {"entity", "relation"}:
                    entity, relation = sorted((one, other), key=lambda step: step["kind"])
                    assert entity["id"] in (relation["source_id"], relation["target_id"])


def test_a_question_that_names_nothing_keeps_the_hybrid_order(small: SmallGraph) -> None:
    asked = "and where is it then"
    hybrid = HybridRetriever(small.vectors, SearchSettings())(question(asked), Access(), 10)
    found = small.ask(asked)
    assert not found.links
    assert [one.key for one in found.candidates] == [one.key for one in hybrid.candidates]
    assert [one.ranks["graph"] for one in found.candidates] == list(range(1, len(found.candidates) + 1))


def test_a_hub_leads_nowhere(small: SmallGraph) -> None:
    assert not any(link.entity.name == HUB for link in small.ask(f"what does {HUB} do").links)
    found = small.ask("Kestrel and Part 3", limit=20)
    for candidate in found.candidates:
        assert HUB not in [step["name"] for step in steps(candidate, "entity")]


def test_a_misspelt_name_is_found_and_another_figure_is_another_name(small: SmallGraph) -> None:
    links = small.ask("who founded Kestrell").links
    assert [(link.entity.name, link.by) for link in links] == [("Kestrel", "alike")]
    assert not any(link.entity.name == "CR4.OSFXSR" for link in small.ask("the bit CR3.OSFXSR").links)


def test_nothing_of_what_a_reader_may_not_see_comes_out(small: SmallGraph) -> None:
    for asked in ("who holds the Vault of Ada Quill", "Mallory", "overview of the main instructions of SSE"):
        mine = small.ask(asked, Access(), limit=80)
        theirs = small.ask(asked, ANYBODY, limit=80)
        shown = str([(one.payload, one.path) for one in theirs.candidates]) + str(theirs.links)
        assert "Vault" not in shown
        assert "Mallory" not in shown
        assert "vault" not in shown
        assert len(mine.candidates) > len(theirs.candidates)
    names = {link.entity.name for link in small.ask("who holds the Vault of Ada Quill").links}
    assert names == {"Vault", "Ada Quill"}


def test_a_reader_of_nothing_gets_nothing(small: SmallGraph) -> None:
    assert small.ask("Kestrel", Access(classes=())).candidates == ()


def test_a_broad_question_gets_reports_between_its_chunks(small: SmallGraph) -> None:
    found = small.ask("give an overview of the main instructions of SSE").candidates
    kinds = [one.payload["kind"] for one in found]
    assert kinds[:3] == ["chunk"] * 3
    assert kinds[3] == "report"
    report = found[3]
    assert report.leaves == tuple(small.chunks[:2])
    assert report.path is not None
    assert report.path[0]["kind"] == "community"
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_a_question_for_one_fact_gets_no_report(small: SmallGraph) -> None:
    assert {one.payload["kind"] for one in small.ask(CONTROL_BIT, limit=40).candidates} == {"chunk"}


def test_a_neighbourhood_answers_as_the_whole_graph_does(small: SmallGraph) -> None:
    whole, part = small.ask(CONTROL_BIT), small.ask(CONTROL_BIT, whole=0)
    assert texts(whole.candidates)[:3] == texts(part.candidates)[:3]


def test_what_is_late_is_left_out_and_named(small: SmallGraph) -> None:
    found = small.ask(CONTROL_BIT, time_limit=1e-9)
    assert found.late == ("second passages", "paths")
    assert found.candidates
    assert small.ask(CONTROL_BIT).late == ()


class Planning:
    """A graph's snapshot that takes a second over each kind of question when it is first asked, as a server
    does that plans. ``now`` is its clock."""

    def __init__(self, graph: GraphSnapshot) -> None:
        self._graph = graph
        self._planned: set[str] = set()

    @property
    def now(self) -> float:
        return float(len(self._planned))

    def __getattr__(self, name: str) -> Any:
        self._planned.add(name)
        return getattr(self._graph, name)


@pytest.mark.parametrize("whole", [0, 1000])
def test_a_server_that_has_just_started_answers_as_it_does_later(
    small: SmallGraph, whole: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    planning = Planning(small.graph)
    monkeypatch.setattr("treegraph.query.graph_reading.perf_counter", lambda: planning.now)
    found = replace(small, graph=planning).ask(CONTROL_BIT, time_limit=0.5, whole=whole)
    later = small.ask(CONTROL_BIT, whole=whole)
    assert (found.late, planning.now > 5) == ((), True)
    assert [(one.key, one.score) for one in found.candidates] == [
        (one.key, one.score) for one in later.candidates
    ]


def test_the_way_to_the_hits_is_told_in_numbers(small: SmallGraph) -> None:
    means = small.ask(CONTROL_BIT).means
    assert [(link["said"], link["name"], link["by"]) for link in means["links"]] == [
        ("ADDPS", "ADDPS", "name")
    ]
    assert means["paths"] > 0
    assert means["walked"]["chunks"] == len(small.chunks)
    assert "reports" not in means
    broad = small.ask("give an overview of the main instructions of SSE")
    assert broad.means["reports"] == {"communities": 2, "reports": 2}
    theirs = small.ask("give an overview of the main instructions of SSE", ANYBODY)
    assert theirs.means["reports"] == {"communities": 1, "reports": 1}
    assert theirs.means["walked"]["chunks"] < len(small.chunks)
    assert small.ask("and where is it then").means == {"links": []}


def test_it_answers_alike_every_time_and_fills_the_limit(small: SmallGraph) -> None:
    first, again = small.ask(CONTROL_BIT, limit=70), small.ask(CONTROL_BIT, limit=70)
    assert [one.key for one in first.candidates] == [one.key for one in again.candidates]
    assert len(first.candidates) == 70
    assert len({one.key for one in first.candidates}) == 70


def test_settings_out_of_range_are_refused() -> None:
    for wrong in ({"restart": 0.0}, {"common": 2.0}, {"hops": 5}, {"steps": 0}, {"time_limit": 0.0}):
        with pytest.raises(ConfigurationError, match=f"graph_read.{next(iter(wrong))}"):
            GraphReadSettings(**wrong)  # type: ignore[arg-type]
