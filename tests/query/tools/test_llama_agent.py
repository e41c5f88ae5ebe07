"""The tools inside a real agent of LlamaIndex, whose model follows a script."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest
from small_station import CANARIES
from treegraph.query.index import Index

pytest.importorskip("llama_index.core")

from llama_index.core.agent.workflow import FunctionAgent, ToolCallResult
from scripted_llm import ScriptedLLM, scripted_agent_llm

Results = list[str]


def run(tools: Any, llm: Any, question: str) -> tuple[str, list[ToolCallResult]]:
    """The agent's answer, and the results of its calls as they went over the stream."""

    async def work() -> tuple[str, list[ToolCallResult]]:
        agent = FunctionAgent(tools=tools, llm=llm, system_prompt="Cite source and page.", timeout=60)
        handler = agent.run(question)
        calls = [event async for event in handler.stream_events() if isinstance(event, ToolCallResult)]
        return str(await handler), calls

    return asyncio.run(work())


def test_results_reach_the_model_and_citations_come_through(station: Index) -> None:
    def around(results: Results) -> tuple[str, dict[str, Any]]:
        return "read", {"id": json.loads(results[-1])["hits"][0]["id"], "neighbours": 1}

    def answer(results: Results) -> str:
        read = json.loads(results[-1])
        place = next(part for part in read["parts"] if part["offset"] == 0)
        assert place["section"].endswith("Membrane")
        return f"By 21 degrees ({read['source']}, page {place['pages']})."

    llm, seen = scripted_agent_llm(
        lambda results: ("search", {"question": "By how much is the membrane turned in step 3?", "k": 2}),
        around,
        answer,
    )
    said, calls = run(station.as_tools(), llm, "By how much is the membrane turned in step 3?")
    assert said == "By 21 degrees (station/pump.pdf, page 2)."
    assert [len(results) for results in seen] == [0, 1, 2]
    assert "by 21 degrees" in seen[1][0]
    assert "by 28 degrees" in seen[2][1]
    assert [call.tool_output.is_error for call in calls] == [False, False]


def test_an_agent_recovers_from_a_refusal_by_what_it_says(station: Index) -> None:
    def named(results: Results) -> tuple[str, dict[str, Any]]:
        near = re.search(r"there is ([\w-]+)", json.loads(results[-1])["error"])
        assert near, results[-1]
        return "neighbours", {"entity": near[1]}

    llm, seen = scripted_agent_llm(
        lambda results: ("neighbours", {"name": "PUMP12"}),
        lambda results: ("neighbours", {"entity": "PUMP122"}),
        named,
        lambda results: results[-1],
    )
    said, calls = run(station.as_tools(labels=[]), llm, "What does the pump set?")
    assert [call.tool_output.is_error for call in calls] == [True, True, False]
    assert "takes entity (needed), cursor" in json.loads(seen[1][0])["try"]
    assert "as the documents write it" in json.loads(seen[2][1])["try"]
    found = json.loads(said)
    (gate,) = [one for one in found["neighbours"] if one["entity"]["name"] == "GATE-3"]
    assert (found["name"], gate["type"], gate["direction"]) == ("PUMP-12", "sets", "out")
    assert gate["evidence"][0]["condition"] == "unless FLOOD = 1"


def test_an_agent_goes_from_the_outline_to_the_pages(station: Index) -> None:
    def below(results: Results) -> tuple[str, dict[str, Any]]:
        nodes = json.loads(results[-1])["nodes"]
        impeller = next(node for node in nodes if "Impeller" in node["title"])
        return "outline", {"of": impeller["id"], "detail": "summaries", "depth": 0}

    llm, seen = scripted_agent_llm(
        lambda results: ("documents", {"sources": ["*.pdf"]}),
        lambda results: ("outline", {"of": "station/pump.pdf"}),
        below,
        lambda results: ("read", {"id": "station/pump.pdf@3"}),
        lambda results: ("path", {"from": "Cobalt Relay Yoke", "to": "GATE-3"}),
        lambda results: "done",
    )
    run(station.as_tools(labels=[]), llm, "Look around.")
    documents, titles, summary, page, path = map(json.loads, seen[-1])
    assert [(one["source"], one["pages"]) for one in documents["documents"]] == [("station/pump.pdf", 3)]
    (impeller,) = [node for node in titles["nodes"] if node["title"] == "Impeller"]
    assert (impeller["pages"], impeller["passages"]) == ("3", 5)
    assert "The impeller of the PDF is inspected" in summary["nodes"][0]["summary"]
    assert "by 35 degrees" in page["parts"][0]["text"]
    assert page["previous"] == "station/pump.pdf@2"
    steps = [(one["type"], one["direction"], one["entity"]["name"]) for one in path["steps"]]
    assert steps[-2:] == [("uses", "out", "PUMP-12"), ("sets", "out", "GATE-3")]
    assert not [word for result in seen[-1] for word in CANARIES if word in result]


def test_ask_is_there_with_a_model_and_says_what_it_rests_on(station: Index) -> None:
    assert "ask" not in {tool.metadata.name for tool in station.as_tools()}
    answering = ScriptedLLM(reply="It opens at 8 bar [1].")
    llm, seen = scripted_agent_llm(
        lambda results: ("ask", {"question": "At what pressure does the gate open?"}),
        lambda results: "done",
    )
    run(station.as_tools(answering, labels=[]), llm, "At what pressure does the gate open?")
    said = json.loads(seen[-1][0])
    answer, place, *_ = said["parts"]
    assert (said["found"], answer["text"]) == (True, "It opens at 8 bar. [1]")
    assert (place["mark"], place["source"], place["section"]) == (
        1,
        "station/water.md",
        "Water supply > Gate",
    )
    assert "The gate opens at 8 bar." in answering.prompts[-1]
    assert not [word for prompt in answering.prompts for word in CANARIES if word in prompt]
