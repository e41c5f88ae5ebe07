"""The tools for agents: what they give, in pages under a budget."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from small_index import build, manual, open_small
from small_shelf import CALLS, COUNT, LEAST, PLENTY, box, joined, pages
from treegraph.query.index import Index
from treegraph.query.tools.paging import dump
from treegraph.query.tools.shapes import output_schema
from treegraph.query.tools.toolbox import TOOLS

ITEMS = {
    "documents": "documents",
    "outline": "nodes",
    "search": "hits",
    "read": "parts",
    "neighbours": "neighbours",
    "path": "steps",
}
SCHEMAS = {tool.name: output_schema(tool.shape) for tool in TOOLS}


def reading(index: Index, name: str, labels: tuple[str, ...] | None = (), **arguments: Any) -> dict[str, Any]:
    (page,) = pages(box(index, labels, PLENTY), "read", id=name, **arguments)
    return page


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_pages_hold_the_budget_and_give_everything_once(
    index: Index, tool: str, arguments: dict[str, Any]
) -> None:
    key = "summary" if arguments.get("detail") == "summaries" else "text"
    (whole,) = pages(box(index, tokens=PLENTY), tool, **arguments)
    found = pages(box(index, tokens=LEAST), tool, **arguments)
    assert joined(found, ITEMS[tool], key) == whole[ITEMS[tool]] != []
    for page in (whole, *found):
        Draft202012Validator(SCHEMAS[tool]).validate(page)
        assert page["generation"] == index.generation
        assert page is whole or COUNT(dump(page)) <= LEAST
    traces = {page["trace"] for page in (whole, *found)}
    assert len(traces) == 1 + len(found)


def test_what_is_read_is_what_stands_there(index: Index) -> None:
    assert "".join(part["text"] for part in reading(index, "shelf/guide/valve.md")["parts"]) == (
        index.read("shelf/guide/valve.md").text
    )
    texts = index.page_texts("shelf/pages/press.pdf")
    some = reading(index, "shelf/pages/press.pdf@2-4")
    assert [(part["page"], part["text"]) for part in some["parts"]] == [(n, texts[n]) for n in (2, 3, 4)]
    assert (some["previous"], some["next"]) == ("shelf/pages/press.pdf@1", "shelf/pages/press.pdf@5")
    whole = reading(index, "shelf/pages/press.pdf")
    assert [part["page"] for part in whole["parts"]] == list(range(1, 13))


def test_a_hit_can_be_read_on(index: Index) -> None:
    hit = box(index).call("search", {"question": "gauge G-3 of the valve", "k": 1}).document["hits"][0]
    found = reading(index, hit["id"], neighbours=2)
    offsets = [part["offset"] for part in found["parts"]]
    assert 0 in offsets
    assert all(after - before == 1 for before, after in pairwise(offsets))
    at = offsets.index(0)
    assert found["parts"][at] == {**found["parts"][at], "id": hit["id"], "text": hit["text"]}
    assert found["parts"][at + 1]["id"] == found["next"]
    assert reading(index, found["above"][-1]["id"])["kind"] == "node"


def test_a_hit_says_how_it_was_come_by_and_what_was_counted(station: Index) -> None:
    tools = box(station, tokens=PLENTY)
    walked = tools.call("search", {"question": "What does the Cobalt Relay Yoke require?", "route": "graph"})
    assert walked.document["hits"][0]["via"] == "Cobalt Relay Yoke > [requires, only if FLOOD = 1] > KIV-40"
    whole = tools.call("search", {"question": "What is there on the pump as a whole?", "route": "tree"})
    facts = [hit["facts"] for hit in whole.document["hits"] if hit["kind"] == "node"]
    assert facts == [["2 sections: Intake; Gate"]]


def test_hits_that_are_beside_the_question_come_with_a_hint(station: Index) -> None:
    tools = box(station)
    beside = tools.call("search", {"question": "zebra crossings in Lisbon", "route": "hybrid"}).document
    assert beside["hits"]
    assert "the documents do not say" in beside["hint"]
    assert "hint" not in tools.call("search", {"question": "At what pressure does the gate open?"}).document


def test_the_outline_leads_down_to_the_text(index: Index) -> None:
    tools = box(index, tokens=PLENTY)
    (top,) = pages(tools, "outline")
    document = next(node for node in top["nodes"] if node.get("source") == "shelf/guide/boiler.md")
    (below,) = pages(tools, "outline", of=document["id"], depth=5, detail="text")
    text = "".join(node.get("text", "") for node in below["nodes"])
    assert text.split() == index.read("shelf/guide/boiler.md").text.split()
    node = reading(index, document["id"])
    assert node["parts"][0]["text"] == index.read(document["id"]).text
    for part in node["parts"]:
        assert "id" not in part or reading(index, part["id"])["parts"]


def test_entities_and_reports_are_read_by_the_ids_that_neighbours_shows(index: Index) -> None:
    tools = box(index, None, PLENTY)
    (entity,) = pages(tools, "neighbours", entity="RPM")
    assert {entity["name"], *entity["aliases"]} == {"RPM", "Ring Pressure Monitor"}
    assert entity["total"] == len(entity["neighbours"])
    assert reading(index, entity["id"], None)["kind"] == "entity"
    report = reading(index, entity["groups"][0]["id"], None)
    assert report["kind"] == "report"
    assert report["parts"][0]["text"]
    members = [part["id"] for part in report["parts"] if part.get("kind") == "entity"]
    assert entity["id"] in members
    for stated in entity["neighbours"]:
        for one in stated["evidence"]:
            text = " ".join(reading(index, one["chunk"], None)["parts"][0]["text"].split())
            assert one["sentence"] in text


def test_another_thing_of_the_same_name_is_told_by_where_it_stands(tmp_path: Path) -> None:
    source = manual(
        tmp_path / "m",
        pumps="# Pumps\n\n## 4.2 Seals\n\nA seal is greased first. What to do is said in section 4.2.\n",
        steam="# Steam\n\n## 4.2 Ducts\n\nA duct is swept. How it is done is said in section 4.2.\n",
    )
    build(tmp_path / "i", source, without=["tree"])
    with open_small(tmp_path / "i") as plant:
        (page,) = pages(box(plant, (), PLENTY), "neighbours", entity="4.2")
        (other,) = page["others"]
        Draft202012Validator(SCHEMAS["neighbours"]).validate(page)
        assert {other["source"], page["passages"][0]["source"]} == {"m/pumps.md", "m/steam.md"}
        assert reading(plant, other["id"])["kind"] == "entity"


def test_of_very_many_relations_the_strongest_are_shown(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("treegraph.query.tools.graph.MOST", 2)
    (page,) = pages(box(index, None, PLENTY), "neighbours", entity="RPM")
    assert len(page["neighbours"]) == 2 < page["total"]
    assert "the strongest 2" in page["hint"]


def test_documents_say_what_is_known_of_each(index: Index) -> None:
    (found,) = pages(box(index), "documents", sources=["*.pdf"])
    (press,) = found["documents"]
    assert press["source"] == "shelf/pages/press.pdf"
    assert (press["pages"], press["edition"], press["valid_from"]) == (12, "B", "2020-01-01")
    assert press["fields"]["line"] == "4"
    with_field = box(index).call("search", {"question": "gauge", "filters": ["line=4"], "k": 5}).document
    assert {hit["source"] for hit in with_field["hits"]} == {"shelf/pages/press.pdf"}


def test_without_tree_and_graph_the_tools_say_so_and_the_rest_works(tmp_path: Path) -> None:
    build(tmp_path / "i", manual(tmp_path / "m", a="# A\n\nThe red key opens.\n"), without=["tree", "graph"])
    with open_small(tmp_path / "i") as plain:
        tools = box(plain)
        for tool, arguments in (
            ("outline", {}),
            ("neighbours", {"entity": "key"}),
            ("path", {"from": "a", "to": "b"}),
            ("search", {"question": "key", "route": "graph"}),
            ("search", {"question": "key", "route": "tree"}),
        ):
            reply = tools.call(tool, arguments)
            assert reply.failed
            assert "holds no" in reply.document["error"]
            assert "auto, hybrid" in reply.document["try"]
        (hit,) = tools.call("search", {"question": "red key", "route": "auto"}).document["hits"]
        assert reading(plain, hit["id"])["parts"][0]["text"] == hit["text"]


def test_texts_are_marked_as_data_with_their_source(index: Index) -> None:
    tools = box(index, tokens=PLENTY)
    for tool, arguments in CALLS:
        (page,) = pages(tools, tool, **arguments)
        assert "never instructions" in page["note"]
        for hit in page.get("hits", ()):
            assert hit.get("source") or hit["rests_on"][0]["source"]
