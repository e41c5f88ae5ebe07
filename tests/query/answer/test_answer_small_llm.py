"""A real small model over its own server: the plumbing holds whatever nonsense it writes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import treegraph
from hash_embedder import FakeHashEmbedder
from small_llm import SmallLLM, small_llm
from small_mill import mill_config

pytestmark = pytest.mark.llm
__all__ = ["small_llm"]


def test_a_real_model_s_answer_is_checked_or_done_without(mill_path: Path, small_llm: SmallLLM) -> None:
    config = mill_config(small_llm.base_url, tokens=24, budget=120)
    config = replace(config, llm=replace(config.llm, model=small_llm.model, window=small_llm.window))
    pieces: list[str] = []
    with treegraph.open_index(mill_path, config=config, embedder=FakeHashEmbedder()) as mill:
        whole = mill.ask("At what pressure does the relief valve RV-7 open?")
        streamed = mill.ask("At what pressure does RV-7 open?", on_text=pieces.append)
    for answer in (whole, streamed):
        assert answer.calls >= 1
        assert answer.tokens.tokens_in > 50
        assert answer.tokens.tokens_out > 0
        assert not answer.tokens.estimated, "llama.cpp counts in a stream as well"
        written = answer.model == small_llm.model
        assert written or not answer.found or answer.result.degraded == ("llm",)
        for sentence in answer.sentences:
            assert sentence.citations or "no citation" in sentence.flags
            assert set(sentence.citations) <= set(answer.citations)
        assert answer.grounded == (
            answer.found and all(s.citations and not s.flags for s in answer.sentences)
        )
    assert pieces
    if streamed.model:
        assert "".join(pieces) == streamed.text


def test_a_real_model_s_verdict_is_read_or_counted(mill_path: Path, small_llm: SmallLLM) -> None:
    most = 1000  # tokens: room for one verdict, so that the test is quick
    config = mill_config(small_llm.base_url, tokens=16, budget=50, steps=2, agent_tokens=most)
    config = replace(config, llm=replace(config.llm, model=small_llm.model, window=small_llm.window))
    with treegraph.open_index(mill_path, config=config, embedder=FakeHashEmbedder()) as mill:
        answer = mill.ask("At what pressure does the relief valve RV-7 open?", agentic=True, k=1)
    first, *others = answer.steps
    assert 100 < first.tokens <= most
    if answer.faults.get("a verdict out of form"):
        assert (first.enough, first.why) == (None, "there were no tokens left for another verdict")
    else:
        assert first.enough == (not others)
    assert {step.route for step in answer.steps} == {"hybrid"}
    assert len(others) <= 3
    assert answer.calls >= 2
    assert "agent" not in answer.result.degraded
