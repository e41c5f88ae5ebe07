"""The tools for agents: what they say, within their budget, to whom, and when they cannot."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_index import build, manual, open_small
from small_station import CANARIES
from treegraph.indexer.errors import ConfigurationError, RouteUnavailable, StoreError, TreegraphError
from treegraph.indexer.models.usage import estimate_tokens
from treegraph.query.index import Index

pytest.importorskip("llama_index.core")

from llama_index.core.tools import FunctionTool
from llama_index.core.tools.calling import call_tool

NAMES = ["documents", "outline", "search", "read", "neighbours", "path"]
_MORE = re.compile(r"more: [\w ,]+, with cursor '([\d.]+)'\Z")


def tools(index: Index, **options: Any) -> dict[str, FunctionTool]:
    return {tool.metadata.get_name(): tool for tool in index.as_tools(**options)}


def pages(tool: FunctionTool, **arguments: Any) -> Iterator[str]:
    """The pages of a result, one after the other."""
    cursor = ""
    while True:
        text = tool.call(**arguments, cursor=cursor).content
        yield text
        more = _MORE.search(text)
        if more is None:
            return
        cursor = more[1]


def refused(tool: FunctionTool, **arguments: Any) -> str:
    with pytest.raises(TreegraphError) as caught:
        tool.call(**arguments)
    return str(caught.value)


def test_names_descriptions_and_schemas_are_fit_for_a_model(station: Index) -> None:
    held = tools(station)
    assert list(held) == NAMES
    for name, tool in held.items():
        function = tool.metadata.to_openai_tool()["function"]  # refuses a description that is too long
        parameters = function["parameters"]
        assert function["name"] == name
        assert list(parameters["properties"])[-1] == "cursor"
        assert not {"title", "labels"} & set(parameters["properties"])
        assert all(field.get("description") for field in parameters["properties"].values())
        assert '"title"' not in json.dumps(parameters["properties"])
    shown = tools(station, route="tree", k=3)["search"].metadata.get_parameters_dict()["properties"]
    assert next(iter(shown)) == "question"
    assert (shown["route"]["default"], shown["k"]["default"]) == ("tree", 3)
    assert shown["k"]["maximum"] == 100
    assert held["path"].metadata.get_parameters_dict()["required"] == ["from", "to"]


@pytest.mark.parametrize("budget", [500, 700, 2000])
def test_a_result_keeps_to_its_budget_and_goes_on_where_it_stopped(station: Index, budget: int) -> None:
    held = tools(station, budget=budget)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search", {"question": "What does PUMP-12 require of the pressure?", "k": 20}),
        ("search", {"question": "pressure and membrane of the PDF", "k": 20, "route": "tree"}),
        ("read", {"id": "station/pump.pdf"}),
        ("outline", {"depth": 5, "detail": "text"}),
        ("neighbours", {"entity": "PUMP-12"}),
    ]
    for name, arguments in calls:
        shown = list(pages(held[name], **arguments))
        assert all(estimate_tokens(text) <= budget for text in shown)
        whole = list(pages(tools(station, budget=100_000)[name], **arguments))
        assert len(whole) == 1
        assert words(*shown) == words(*whole)


def words(*texts: str) -> list[str]:
    """What stands in the parts of a result, without the head, the cursor and the hint of each page."""
    found: list[str] = []
    for text in texts:
        parts = text.split("\n\n")[1:]
        if not _MORE.search(parts[-1]):
            parts = parts[:-1] if parts[-1].startswith(("Cite", "None of", "Go down", "before")) else parts
        else:
            parts = parts[:-1]
        body = re.sub(r"^.*\(continued\)$", "", "\n\n".join(parts), flags=re.MULTILINE)
        found += body.replace(" …", " ").split()
    return found


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(NAMES),
    st.dictionaries(
        st.sampled_from(
            ["question", "id", "of", "entity", "from", "to", "k", "route", "cursor", "sources", "x"]
        ),
        st.one_of(
            st.none(), st.text(max_size=8), st.integers(-2, 4), st.lists(st.text(max_size=3), max_size=2)
        ),
        max_size=4,
    ),
)
def test_whatever_a_model_sends_the_tool_answers_or_says_what_to_try(
    station: Index, name: str, arguments: dict[str, Any]
) -> None:
    output = call_tool(tools(station, labels=[], budget=500)[name], arguments)
    assert output.content.strip()
    output.content.encode("utf-8")
    assert not [word for word in CANARIES if word in output.content]
    if output.is_error:
        assert "Try " in output.content or "It takes" in output.content
        assert "Error" not in output.content


def test_nothing_comes_out_of_what_the_reader_may_not_see(station: Index) -> None:
    question = "PUMP-12 QX-99 CANARYCODE Canary handbook service"
    calls: list[tuple[str, dict[str, Any]]] = [
        *(
            ("search", {"question": question, "route": route, "k": 50})
            for route in ("hybrid", "tree", "graph")
        ),
        ("documents", {}),
        ("documents", {"sources": ["*closed*"]}),
        ("outline", {"depth": 9, "detail": "text"}),
        ("neighbours", {"entity": "PUMP-12"}),
        ("neighbours", {"entity": "GATE-3"}),
        ("path", {"from": "PUMP-12", "to": "GATE-3"}),
    ]
    owner, public = tools(station, budget=50_000), tools(station, budget=50_000, labels=[])
    for name, arguments in calls:
        text = public[name].call(**arguments).content
        assert not [word for word in CANARIES if word in text], (name, text)
    assert "QX-99" in owner["neighbours"].call(entity="PUMP-12").content
    closed = station.read("station/closed.md")
    for name in (closed.id, closed.below[0]):
        assert "QX-99" in owner["read"].call(id=name).content
        unknown = refused(public["read"], id="xyzzy").replace("xyzzy", name)
        assert refused(public["read"], id=name) == unknown
    for tool, argument in (("read", "id"), ("neighbours", "entity"), ("outline", "of")):
        said = refused(public[tool], **{argument: "QX-98"})
        assert "QX-99" not in said


def test_labels_cannot_be_named_by_a_call(station: Index) -> None:
    said = refused(tools(station, labels=[])["search"], question="x", labels=["staff"])
    assert "labels: Extra inputs are not permitted" in said


def test_search_takes_what_narrows_it(station: Index) -> None:
    search = tools(station, k=3, route="graph")["search"]
    three = search.call(question="PUMP-12").content
    assert three.startswith("3 hits by graph")
    assert three.endswith("Cite source and page. An id can be given to `read`.")
    only = search.call(question="PUMP-12", sources=["*.pdf"], route="hybrid", k=2).content
    assert only.startswith("2 hits by hybrid")
    assert "station/water.md" not in only
    beside = search.call(question="zebra crossings in Lisbon", route="hybrid").content
    assert "None of these is likely to answer it." in beside
    none = search.call(question="PUMP-12", as_of="1999-01-01", filters=["edition=9"]).content
    assert "Try other words" in none
    assert "no day" in refused(search, question="PUMP-12", as_of="1999-13-41")
    assert "Try sources and filters as the tool `documents`" in refused(search, question="x", filters=["x"])


def test_read_shows_what_is_around_and_entities_too(station: Index) -> None:
    read = tools(station)["read"]
    assert "\n\nstation/pump.pdf p. 2\n## Membrane" in read.call(id="station/pump.pdf@2").content
    for name in ("station/pump.pdf@1-2", "station/pump.pdf"):
        two = read.call(id=name).content
        assert two.index("\n\nstation/pump.pdf p. 1\n## Pressure") < two.index(
            "\n\nstation/pump.pdf p. 2\n## M"
        )
    chunks = station.read("station/pump.pdf").below
    three = read.call(id=chunks[2], neighbours=1).content
    assert [chunk in three for chunk in chunks[:5]] == [True, True, True, True, True]
    assert three.count("(chunk ") == 3
    assert f"before it: {chunks[0]}; after it: {chunks[4]}" in three
    assert "PUMP-12 sets GATE-3" in read.call(id=station.entity("PUMP-12").entity.id).content
    node = station.tree("station/pump.pdf", depth=0).id
    assert node
    assert "3 sections" in read.call(id=node).content or "below:" in read.call(id=node).content


def test_a_cursor_is_good_for_its_own_result(station: Index) -> None:
    held = tools(station, budget=500)
    more = _MORE.search(held["read"].call(id="station/pump.pdf").content)
    assert more
    assert "no cursor of this result" in refused(held["documents"], cursor="1.99.0")
    assert "no cursor of this result" in refused(held["documents"], cursor="begin")
    far = f"{more[1].rpartition('.')[0]}.99999"
    assert "no cursor of this result" in refused(held["read"], id="station/pump.pdf", cursor=far)
    stale = re.sub(r"^\d+", "77", more[1])
    assert "Try again without a cursor" in refused(held["read"], id="station/pump.pdf", cursor=stale)


def test_an_index_without_tree_and_graph_says_what_else_to_try(tmp_path: Path) -> None:
    source = manual(tmp_path / "m", pump="# Pump\n\nThe valve opens at 8 bar.\n")
    build(tmp_path / "index", source, without=("tree", "graph"))
    with open_small(tmp_path / "index") as index:
        held = tools(index)
        assert "Try route 'hybrid'" in refused(held["search"], question="valve", route="graph")
        assert "Try `documents`, then `search`" in refused(held["outline"])
        assert "Try `search`" in refused(held["neighbours"], entity="valve")
        assert "8 bar" in held["search"].call(question="When does the valve open?").content
        assert "8 bar" in held["read"].call(id="m/pump.md").content
        with pytest.raises(RouteUnavailable):
            held["path"].call(**{"from": "a", "to": "b"})


def test_tools_are_safe_from_several_threads_and_tasks(station: Index) -> None:
    held = tools(station, labels=[])
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search", {"question": "What does PUMP-12 set?", "route": "graph"}),
        ("search", {"question": "pressure of the PDF", "route": "tree"}),
        ("read", {"id": "station/pump.pdf"}),
        ("neighbours", {"entity": "GATE-3"}),
    ] * 6
    alone = [held[name].call(**arguments).content for name, arguments in calls]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda call: held[call[0]].call(**call[1]).content, calls))

    async def tasks() -> list[str]:
        outputs = await asyncio.gather(*(held[name].acall(**arguments) for name, arguments in calls))
        return [output.content for output in outputs]

    assert together == alone
    assert asyncio.run(tasks()) == alone


def test_a_failing_store_is_named_without_a_word_of_the_machine(
    station: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any, **options: Any) -> None:
        raise StoreError("/srv/secret/vectors cannot be read")

    monkeypatch.setattr(station, "search", fail)
    said = refused(tools(station)["search"], question="x")
    assert said == "The index cannot answer now (store error). Try once more; then say that it failed."


@pytest.mark.parametrize("options", [{"budget": 10}, {"route": "up"}, {"k": 0}, {"labels": "staff"}])
def test_a_wrong_option_is_refused_when_the_tools_are_made(station: Index, options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        station.as_tools(**options)
