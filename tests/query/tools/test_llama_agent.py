"""The tools inside a real agent of LlamaIndex, whose model follows a script."""

from __future__ import annotations

import asyncio
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


def identifier(text: str, kind: str = "chunk") -> str:
    found = re.search(rf"{kind} ([0-9a-f-]{{36}})", text)
    assert found, text
    return found[1]


def test_results_reach_the_model_and_citations_come_through(station: Index) -> None:
    def answer(results: Results) -> str:
        place = re.search(r"station/pump\.pdf p\. (\d+), Membrane", results[-1])
        assert place, results[-1]
        return f"By 21 degrees (station/pump.pdf, page {place[1]})."

    llm, seen = scripted_agent_llm(
        lambda results: ("search", {"question": "By how much is the membrane turned in step 3?", "k": 2}),
        lambda results: ("read", {"id": identifier(results[-1]), "neighbours": 1}),
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
        near = re.search(r"there is ([\w-]+)", results[-1])
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
    assert "It takes entity (needed)" in seen[1][0]
    assert "Try `search` with that name" in seen[2][1]
    assert "PUMP-12 sets GATE-3" in said
    assert "Condition: unless FLOOD = 1" in said


def test_an_agent_goes_from_the_outline_to_the_pages(station: Index) -> None:
    def below(results: Results) -> tuple[str, dict[str, Any]]:
        line = next(line for line in results[-1].splitlines() if "Impeller" in line)
        return "outline", {"of": line.split()[-1], "detail": "summaries", "depth": 0}

    llm, seen = scripted_agent_llm(
        lambda results: ("documents", {"sources": ["*.pdf"]}),
        lambda results: ("outline", {"of": "station/pump.pdf"}),
        below,
        lambda results: ("read", {"id": "station/pump.pdf@3"}),
        lambda results: ("path", {"from": "Cobalt Relay Yoke", "to": "GATE-3"}),
        lambda results: "done",
    )
    run(station.as_tools(labels=[]), llm, "Look around.")
    documents, titles, summary, page, path = seen[-1]
    assert "station/pump.pdf: pages 3" in documents
    assert "Impeller (p. 3, 5 passages)" in titles
    assert "The impeller of the PDF is inspected" in summary
    assert "by 35 degrees" in page
    assert "before it: station/pump.pdf@2" in page
    assert path.index("KIV-40 -[uses]-> PUMP-12") < path.index("PUMP-12 -[sets]-> GATE-3")
    assert not [word for result in seen[-1] for word in CANARIES if word in result]


def test_ask_is_there_with_a_model_and_says_what_it_rests_on(station: Index) -> None:
    assert "ask" not in {tool.metadata.name for tool in station.as_tools()}
    answering = ScriptedLLM(reply="It opens at 8 bar.")
    llm, seen = scripted_agent_llm(
        lambda results: ("ask", {"question": "At what pressure does the gate open?"}),
        lambda results: "done",
    )
    run(station.as_tools(answering, labels=[]), llm, "At what pressure does the gate open?")
    assert seen[-1][0].startswith("It opens at 8 bar.")
    assert "station/water.md, Water supply > Gate" in seen[-1][0]
    assert "The gate opens at 8 bar." in answering.prompts[-1]
    assert not [word for prompt in answering.prompts for word in CANARIES if word in prompt]
