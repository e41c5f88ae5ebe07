"""The snippets of the guide for LlamaIndex, run as they stand."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import treegraph
from hash_embedder import FakeHashEmbedder
from small_index import CONFIG
from small_station import build_station

pytest.importorskip("llama_index.llms.openai_like")

GUIDE = (Path(__file__).parents[1] / "docs" / "agents.md").read_text("utf-8")
SECTION = re.split(r"^## ", GUIDE.partition("## A LlamaIndex agent\n")[2], flags=re.MULTILINE)[0]
SNIPPETS = re.findall(r"^```python\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)


class _Opened:
    """Stands for the model that a snippet names: it hands out ``llm``."""

    def __init__(self, llm: Any) -> None:
        self.llm = llm
        self.options: dict[str, Any] = {}

    def __call__(self, **options: Any) -> Any:
        self.options = options
        return self.llm


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with ``manuals.index``, opened with the encoder that it was built with."""
    build_station(tmp_path).rename(tmp_path / "manuals.index")
    monkeypatch.chdir(tmp_path)
    opening = treegraph.open_index
    monkeypatch.setattr(
        treegraph, "open_index", lambda path: opening(path, config=CONFIG, embedder=FakeHashEmbedder())
    )
    return tmp_path


def test_the_snippets_run(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from scripted_llm import ScriptedLLM, scripted_agent_llm

    agent, retriever, reranker = SNIPPETS
    model, seen = scripted_agent_llm(
        lambda results: ("search", {"question": "At what pressure does GATE-3 open?"}),
        lambda results: ("neighbours", {"entity": "GATE-3"}),
        answer,
    )
    opened = _Opened(model)
    monkeypatch.setattr("llama_index.llms.openai_like.OpenAILike", opened)
    exec(compile(agent, "agents.md", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out == "At 8 bar; PUMP-12 sets it (station/water.md, Gate).\n"
    assert len(seen) == 3
    assert opened.options["is_function_calling_model"]

    monkeypatch.setattr("llama_index.llms.openai_like.OpenAILike", _Opened(ScriptedLLM(reply="PUMP-12 [1].")))
    exec(compile(retriever, "agents.md", "exec"), {"__name__": "__main__"})
    shown, cited, own = capsys.readouterr().out.partition("PUMP-12 [1].\n")
    assert "station/water.md" in shown
    assert cited
    assert own.strip()
    compile(reranker, "agents.md", "exec")


def answer(results: Sequence[str]) -> str:
    assert "The gate opens at 8 bar." in results[0]
    (stated,) = [one for one in json.loads(results[1])["neighbours"] if one["entity"]["name"] == "PUMP-12"]
    place = stated["evidence"][0]
    return f"At 8 bar; PUMP-12 {stated['type']} it ({place['source']}, {place['section'].split(' > ')[-1]})."
