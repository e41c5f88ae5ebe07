"""Query engines over the index: the index's own answers, and LlamaIndex's engines over its retriever."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from treegraph.indexer.errors import ConfigurationError, StoreError
from treegraph.indexer.types import Citation
from treegraph.query.index import Index
from treegraph.query.result import SearchResult, citation_to_json

pytest.importorskip("llama_index.core")

from llama_index.core.base.response.schema import AsyncStreamingResponse, StreamingResponse
from llama_index.core.callbacks import CallbackManager, LlamaDebugHandler
from llama_index.core.callbacks.schema import CBEventType
from llama_index.core.chat_engine import CondenseQuestionChatEngine
from llama_index.core.query_engine import CitationQueryEngine, RetrieverQueryEngine
from llama_index.core.tools import QueryEngineTool
from scripted_llm import ScriptedLLM
from treegraph.query.tools.llama_engine import AskQueryEngine

QUESTION = "At what pressure does the gate open?"


@dataclass(frozen=True)
class Answered:
    """An answer as :meth:`Index.ask` gives it, as far as the engine looks at it."""

    text: str
    citations: Sequence[Citation]
    result: SearchResult
    more: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> Mapping[str, Any]:
        return {
            **self.result.to_json(),
            "answer": self.text,
            "citations": [citation_to_json(citation) for citation in self.citations],
            "grounded": True,
            "found": bool(self.citations),
            **self.more,
        }


class Asking:
    """Answers from the hits of a search: cites the hits at ``cited``, and then the chunks ``others``."""

    def __init__(self, index: Index, cited: Sequence[int] = (), others: Sequence[str] = ()) -> None:
        self.index = index
        self.cited = cited
        self.others = others
        self.asked: list[tuple[str, Any, dict[str, Any]]] = []

    def __call__(self, question: str, llm: Any = None, **options: Any) -> Answered:
        self.asked.append((question, llm, options))
        if "on_text" in options:
            options["on_text"]("It opens ")
            options["on_text"]("at 8 bar [1].")
        result = self.index.search(question, k=options.get("k", 4), labels=options.get("labels"))
        citations = [result[place].citations[0] for place in self.cited]
        citations += [self.index.read(name).citations[0] for name in self.others]
        return Answered("It opens at 8 bar [1].", citations, result)


def test_an_answer_comes_with_what_it_cites_in_the_order_of_its_marks(station: Index) -> None:
    asking = Asking(station, cited=(2, 0))
    response = AskQueryEngine(asking, station.read, k=4).query(QUESTION)
    hits = station.search(QUESTION, k=4)
    assert str(response) == "It opens at 8 bar [1]."
    assert [item.node.node_id for item in response.source_nodes] == [hits[place].id for place in (2, 0, 1, 3)]
    assert [item.node.metadata["cited"] for item in response.source_nodes] == [True, True, False, False]
    assert response.metadata
    assert (response.metadata["grounded"], response.metadata["found"]) == (True, True)
    assert response.metadata["route"] == hits.route.to_json()
    assert "hits" not in response.metadata


def test_the_index_s_own_engine_answers_by_ask(station: Index) -> None:
    engine = station.as_query_engine(ScriptedLLM(reply="It opens at 8 bar [1]."), k=4, labels=[])
    response = engine.query(QUESTION)
    assert str(response) == "It opens at 8 bar. [1]"
    cited = [item.node for item in response.source_nodes if item.node.metadata["cited"]]
    assert [node.metadata["source"] for node in cited] == ["station/water.md"]
    assert "The gate opens at 8 bar." in cited[0].get_content()
    assert response.metadata
    assert (response.metadata["grounded"], response.metadata["model"]) == (True, "custom_llm:scripted")
    streamed = station.as_query_engine(None, streaming=True, labels=[]).query(QUESTION)
    assert isinstance(streamed, StreamingResponse)
    assert "The gate opens at 8 bar." in "".join(streamed.response_gen)


def test_a_cited_passage_that_is_no_hit_is_read(station: Index) -> None:
    hit = station.search(QUESTION, k=1)[0]
    other = next(name for name in station.read("station/pump.pdf").below if name != hit.id)
    gone = replace(hit.citations[0], chunk="00000000-0000-4000-8000-000000000000")
    asking = Asking(station, others=[other])
    response = AskQueryEngine(asking, station.read, k=1).query(QUESTION)
    assert response.source_nodes[0].node.get_content() == station.read(other).text
    assert response.source_nodes[0].node.metadata["page_label"] == "1"

    def forgetful(question: str, llm: Any = None, **options: Any) -> Answered:
        return Answered("[1]", [gone], station.search(question, k=1))

    lost = AskQueryEngine(forgetful, station.read).query(QUESTION).source_nodes[0].node
    assert (lost.node_id, lost.get_content()) == (gone.chunk, "")
    assert lost.metadata["source"] == gone.source


def test_options_and_model_are_settled_and_go_through(station: Index) -> None:
    held = ["staff"]
    asking, model = Asking(station), ScriptedLLM()
    engine = AskQueryEngine(asking, station.read, model, k=2, labels=held, language="de", agentic=True)
    held.clear()
    asyncio.run(engine.aquery(QUESTION))
    question, llm, options = asking.asked[0]
    assert (question, llm) == (QUESTION, model)
    assert options == {"k": 2, "labels": ("staff",), "language": "de", "agentic": True}
    with pytest.raises(ConfigurationError):
        AskQueryEngine(asking, station.read, route="sideways")


def test_a_streamed_answer_comes_in_pieces_and_then_has_its_sources(station: Index) -> None:
    whole = AskQueryEngine(Asking(station, cited=(1,)), station.read).query(QUESTION)
    engine = AskQueryEngine(Asking(station, cited=(1,)), station.read, streaming=True)
    response = engine.query(QUESTION)
    assert isinstance(response, StreamingResponse)
    assert list(response.response_gen) == ["It opens ", "at 8 bar [1]."]
    assert response.source_nodes == whole.source_nodes
    assert response.metadata
    assert response.metadata["answer"] == str(whole)

    async def later() -> tuple[list[str], int]:
        response = await engine.aquery(QUESTION)
        assert isinstance(response, AsyncStreamingResponse)
        return [piece async for piece in response.async_response_gen()], len(response.source_nodes)

    assert asyncio.run(later()) == (["It opens ", "at 8 bar [1]."], len(whole.source_nodes))

    def failing(question: str, llm: Any, on_text: Any, **options: Any) -> Any:
        on_text("It ")
        raise StoreError("gone")

    pieces = AskQueryEngine(failing, station.read, streaming=True).query(QUESTION).response_gen
    assert next(pieces) == "It "
    with pytest.raises(StoreError):
        next(pieces)


def test_the_engine_is_a_tool_and_an_event_of_llama_index(station: Index) -> None:
    debug = LlamaDebugHandler(print_trace_on_end=False)
    engine = AskQueryEngine(Asking(station), station.read, callback_manager=CallbackManager([debug]))
    tool = QueryEngineTool.from_defaults(engine, name="station", description="the station")
    assert tool.call(QUESTION).content == "It opens at 8 bar [1]."
    assert len(debug.get_event_pairs(CBEventType.QUERY)) == 1


def test_a_retriever_query_engine_shows_its_model_the_place_and_the_text(station: Index) -> None:
    model = ScriptedLLM(reply="At 8 bar.")
    engine = RetrieverQueryEngine.from_args(station.as_retriever(k=2), llm=model)
    response = engine.query(QUESTION)
    assert str(response) == "At 8 bar."
    assert "The gate opens at 8 bar." in model.prompts[0]
    assert "source: station/water.md" in model.prompts[0]
    for item in response.source_nodes:
        assert item.node.node_id not in model.prompts[0]


def test_a_citation_query_engine_numbers_the_sources(station: Index) -> None:
    model = ScriptedLLM(reply="At 8 bar [1].")
    engine = CitationQueryEngine(station.as_retriever(k=3), llm=model)
    response = asyncio.run(engine.aquery(QUESTION))
    first = station.search(QUESTION, k=3)[0]
    assert f"Source 1:\n{first.text.strip()}" in model.prompts[0]
    assert "Source 3:" in model.prompts[0]
    cited = response.source_nodes[0].node
    assert cited.metadata["source"] == first.citations[0].source
    assert cited.metadata["citations"][0]["chunk"] == first.id
    assert first.id not in model.prompts[0]


def test_a_conversation_goes_on_over_the_engine(station: Index) -> None:
    asking = Asking(station)
    chat = CondenseQuestionChatEngine.from_defaults(
        AskQueryEngine(asking, station.read), llm=ScriptedLLM(reply="At what pressure does GATE-3 open?")
    )
    chat.chat(QUESTION)
    assert chat.chat("And the other one?").response == "It opens at 8 bar [1]."
    assert asking.asked[-1][0] == "At what pressure does GATE-3 open?"
