"""What a model is handed: in which order, once, within the budget, and whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import treegraph
from fake_openai import Answer, FakeOpenAIServer
from hash_embedder import FakeHashEmbedder
from small_mill import mill_config
from treegraph.indexer.models.usage import estimate_tokens

MANUALS = Path(__file__).parent.parent / "manuals"
ROUTES = ("hybrid", "tree", "graph")
QUESTION = "which control register bit must be set before ADDPS can run"
_PASSAGE = re.compile(r'<passage id="(\d+)" source="([^"]*)">\n(.*?)\n</passage>', re.DOTALL)


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("notes") / "index"
    sources = [MANUALS / "processor-notes.md", MANUALS / "core-handbook.md"]
    treegraph.build_index(sources, path, embedder=FakeHashEmbedder(), config=mill_config())
    return path


@pytest.fixture(scope="module")
def server() -> Iterator[FakeOpenAIServer]:
    with FakeOpenAIServer(lambda prompt, number: Answer("NOT-IN-PASSAGES")) as running:
        yield running


def handed(
    notes: Path, server: FakeOpenAIServer, question: str, route: str, budget: int
) -> list[tuple[str, str, str]]:
    """The passages of the prompt for a question: number, place, text."""
    config = mill_config(server.base_url, floor=0.0)
    with treegraph.open_index(notes, config=config, embedder=FakeHashEmbedder()) as index:
        index.ask(question, route=route, budget=budget)
    return _PASSAGE.findall(server.prompts[-1].partition("Answer the question")[0])


@pytest.mark.parametrize("route", ROUTES)
def test_the_evidence_is_within_its_budget_and_numbered_in_order(
    notes: Path, server: FakeOpenAIServer, route: str
) -> None:
    sizes = []
    for budget in (50, 200, 800):
        passages = handed(notes, server, QUESTION, route, budget)
        assert [number for number, _, _ in passages] == [str(n) for n in range(1, len(passages) + 1)]
        spent = sum(estimate_tokens(text) for _, _, text in passages)
        assert spent <= budget or len(passages) == 1
        sizes.append(spent)
    assert sizes[0] < sizes[1] < sizes[2]


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("question", [QUESTION, "Overview of the registers of the processor"])
def test_nothing_is_handed_over_twice(
    notes: Path, server: FakeOpenAIServer, route: str, question: str
) -> None:
    texts = [" ".join(text.split()) for _, _, text in handed(notes, server, question, route, 1500)]
    assert len(texts) > 3
    for text in texts:
        assert sum(text in other for other in texts) == 1


def test_passages_that_adjoin_are_in_the_document_s_order(notes: Path, server: FakeOpenAIServer) -> None:
    document = (MANUALS / "processor-notes.md").read_text("utf-8")
    passages = handed(notes, server, QUESTION, "hybrid", 1500)
    sources = [place.partition(",")[0] for _, place, _ in passages]
    assert len([name for name, before in zip(sources[1:], sources, strict=False) if name != before]) == 1
    places = [document.find(text[-40:]) for _, place, text in passages if "processor-notes" in place]
    adds = next(at for at, (_, _, text) in enumerate(passages) if "ADDPS requires SSE" in text)
    assert "Its operands lie in XMM" in passages[adds + 1][2]
    assert all(place >= 0 for place in places)


def test_what_the_graph_walked_over_comes_with_its_condition(notes: Path, server: FakeOpenAIServer) -> None:
    texts = [text for _, _, text in handed(notes, server, "what enables SSE?", "graph", 300)]
    assert any("CR4.OSFXSR enables SSE only if FXSAVE is supported." in text for text in texts)


def test_a_summary_is_handed_over_with_passages_that_it_rests_on(
    notes: Path, server: FakeOpenAIServer
) -> None:
    passages = handed(notes, server, "Overview of the registers of the processor", "tree", 1500)
    summaries = [place for _, place, _ in passages if "a summary of several passages" in place]
    assert len(summaries) < len(passages)


def test_an_agentic_answer_joins_what_each_route_finds(notes: Path) -> None:
    searches = [{"question": QUESTION, "route": route} for route in ("tree", "graph")]
    further = Answer(json.dumps({"enough": False, "missing": "", "searches": searches}))
    judging = "Judge whether these passages"
    prompts: list[str] = []

    def script(prompt: str, number: int) -> Answer:
        prompts.append(prompt)
        return further if judging in prompt else Answer("NOT-IN-PASSAGES")

    with FakeOpenAIServer(script) as running:
        config = mill_config(running.base_url, floor=0.0, steps=2)
        with treegraph.open_index(notes, config=config, embedder=FakeHashEmbedder()) as index:
            answer = index.ask(QUESTION, agentic=True, budget=1500)
            alone = index.ask(QUESTION, agentic=True, route="hybrid")
    for route in ROUTES:
        assert f"  - {route}: " in prompts[0]
    first = answer.steps[0].route.split("+")
    assert [step.route for step in answer.steps[1:]] == [
        route for route in ("tree", "graph") if route not in first
    ]
    assert set(answer.result.route.used) == {*first, "tree", "graph"}
    texts = [" ".join(text.split()) for _, _, text in _PASSAGE.findall(prompts[1])]
    assert sum(map(estimate_tokens, texts)) <= 1500
    assert all(sum(text in other for other in texts) == 1 for text in texts)
    assert alone.faults == {"a verdict out of form": 2}
    assert alone.result.route.used == ("hybrid",)
