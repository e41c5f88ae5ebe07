"""The tools as LlamaIndex has them: the toolbox's own, with its schemas, results and refusals."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_shelf import COUNT, box, joined
from small_station import CANARIES
from treegraph.indexer.errors import ConfigurationError
from treegraph.query.index import Index
from treegraph.query.tools.arguments import input_schema
from treegraph.query.tools.toolbox import TOOLS

pytest.importorskip("llama_index.core")

from llama_index.core.tools.calling import call_tool
from treegraph.query.tools.llama_tools import IndexTool

NAMES = [tool.name for tool in TOOLS]
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"question": "What does PUMP-12 set?", "route": "graph"}),
    ("search", {"question": "pressure of the PDF", "route": "tree"}),
    ("read", {"id": "station/pump.pdf"}),
    ("neighbours", {"entity": "GATE-3"}),
]


def tools(index: Index, **options: Any) -> dict[str, IndexTool]:
    return {tool.metadata.get_name(): tool for tool in index.as_tools(**options)}


def untraced(text: str) -> dict[str, Any]:
    return {**json.loads(text), "trace": ""}


def test_names_descriptions_and_schemas_are_those_of_the_toolbox(station: Index) -> None:
    held = tools(station)
    assert list(held) == NAMES
    for tool in TOOLS:
        function = held[tool.name].metadata.to_openai_tool()["function"]  # refuses what is too long
        schema = input_schema(tool.arguments)
        assert (function["name"], function["description"]) == (tool.name, tool.description)
        for key in ("properties", "required"):
            assert function["parameters"].get(key) == schema.get(key)
        assert list(schema["properties"])[-1] == "cursor"
        assert not {"title", "labels"} & set(schema["properties"])
        assert all(field.get("description") for field in schema["properties"].values())
        assert '"title"' not in json.dumps(schema)
    shown = tools(station, route="tree", k=3)["search"].metadata.get_parameters_dict()["properties"]
    assert next(iter(shown)) == "question"
    assert (shown["route"]["default"], shown["k"]["default"], shown["k"]["maximum"]) == ("tree", 3, 100)


def test_results_are_those_of_the_toolbox_as_text_and_as_values(station: Index) -> None:
    held, own = tools(station, labels=[], budget=900), box(station, (), 900)
    for name, arguments in CALLS:
        output, reply = held[name].call(**arguments), own.call(name, arguments)
        assert json.loads(output.content) == output.raw_output
        assert untraced(output.content) == untraced(reply.text) | (
            {"more": output.raw_output["more"]} if "more" in output.raw_output else {}
        )
        assert not output.is_error
        assert COUNT(output.content) <= 900
    by_place = held["read"].call("station/pump.pdf@2").raw_output
    assert by_place == held["read"].call(id="station/pump.pdf@2").raw_output | {"trace": by_place["trace"]}


def test_a_long_result_goes_on_by_its_cursor(station: Index) -> None:
    read = tools(station, budget=800)["read"]
    pages = [read.call(id="station/pump.pdf").raw_output]
    while "more" in pages[-1]:
        pages.append(read.call(id="station/pump.pdf", cursor=pages[-1]["more"]).raw_output)
    assert len(pages) > 1
    texts = station.page_texts("station/pump.pdf")
    assert {part["page"]: part["text"] for part in joined(pages, "parts")} == texts
    assert read.call(id="station/water.md", cursor=pages[0]["more"]).is_error


def test_the_agent_s_choice_comes_before_the_settled_route_and_k(station: Index) -> None:
    search = tools(station, k=3, route="graph")["search"]
    three = search.call(question="PUMP-12").raw_output
    assert (len(three["hits"]), three["route"]["used"]) == (3, ["graph"])
    only = search.call(question="PUMP-12", sources=["*.pdf"], route="hybrid", k=2).raw_output
    assert [hit["source"] for hit in only["hits"]] == ["station/pump.pdf"] * 2


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(NAMES),
    st.dictionaries(
        st.sampled_from(
            ["question", "id", "of", "entity", "from", "to", "k", "route", "cursor", "sources", "labels"]
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
    output = call_tool(tools(station, labels=[])[name], arguments)
    output.content.encode("utf-8")
    said = json.loads(output.content)
    assert not [word for word in CANARIES if word in output.content]
    assert output.is_error == bool(said.get("try"))
    assert arguments.get("labels") is None or "labels" in said["error"] or output.is_error


def test_a_null_stands_for_what_is_left_out(station: Index) -> None:
    found = tools(station)["search"].call(question="PUMP-12", k=1, route=None, sources=None, cursor=None)
    assert len(found.raw_output["hits"]) == 1


def test_tools_are_safe_from_several_threads_and_tasks(station: Index) -> None:
    held = tools(station, labels=[], budget=50_000)
    calls = CALLS * 4
    alone = [untraced(held[name].call(**arguments).content) for name, arguments in calls]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda call: untraced(held[call[0]].call(**call[1]).content), calls))

    async def tasks() -> list[dict[str, Any]]:
        outputs = await asyncio.gather(*(held[name].acall(**arguments) for name, arguments in calls))
        return [untraced(output.content) for output in outputs]

    assert together == alone
    assert asyncio.run(tasks()) == alone


@pytest.mark.parametrize("options", [{"budget": 10}, {"route": "up"}, {"k": 0}, {"labels": "staff"}])
def test_a_wrong_option_is_refused_when_the_tools_are_made(station: Index, options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        station.as_tools(**options)
