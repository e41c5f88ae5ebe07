"""A tree whose summaries a model writes: what it fails at is counted, and the build goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import treegraph
from command_line import Here
from fake_openai import Answer, FakeOpenAIServer
from grown_tree import GrownTree, everything_kept, whole_tree
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from small_guide import GUIDE, INDEX_ID, write_guide
from small_index import build, manual
from treegraph.indexer.context import ContextSettings
from treegraph.indexer.models import load_llm
from treegraph.indexer.models.ports import LanguageModel
from treegraph.indexer.models.settings import LLMSettings
from treegraph.indexer.tree.settings import TreeSettings

GOOD = "The parts are inspected in steps, each turned by degrees."


def said(text: str) -> str:
    return json.dumps({"summary": text})


def by_model(server: FakeOpenAIServer, timeout: float = 30.0) -> treegraph.Config:
    llm = LLMSettings(base_url=server.base_url, model="m", price_in=1.0, price_out=2.0, timeout=timeout)
    return replace(GUIDE, tree=TreeSettings(summary="model"), llm=llm)


def writers(tree: GrownTree) -> dict[str, set[str]]:
    """The texts of nodes, by whom they are from."""
    found: dict[str, set[str]] = {}
    for row in tree.rows.values():
        found.setdefault(row.payload["by"].partition("(")[0].partition("-")[0], set()).add(
            row.payload["text"]
        )
    return found


def test_a_model_s_summaries_are_told_from_others_and_counted(tmp_path: Path) -> None:
    index, guide = tmp_path / "index", write_guide(tmp_path / "guide", "pump", "valve")
    with FakeOpenAIServer(lambda prompt, number: Answer(said(GOOD))) as server:
        report = build(index, guide, config=by_model(server))
        assert len(server.prompts) == report.nodes
    assert writers(whole_tree(index)) == {"model": {GOOD}}
    assert report.degraded == {}
    counted = report.tokens["tree"]
    assert (counted["calls"], counted["cached"]) == (report.nodes, 0)
    assert report.cost["tree"] == pytest.approx((counted["in"] + 2 * counted["out"]) / 1e6)
    spent = treegraph.status(index)["spend"]["tree"]
    assert (spent["calls"], spent["tokens_in"]) == (report.nodes, counted["in"])
    assert spent["cost"] == pytest.approx(report.cost["tree"])


def test_half_a_character_in_a_summary_stops_no_build(tmp_path: Path) -> None:
    index, guide = tmp_path / "index", write_guide(tmp_path / "guide", "pump", "valve")
    with FakeOpenAIServer(lambda prompt, number: Answer(said(f"{GOOD} \ud83d"))) as server:
        report = build(index, guide, config=by_model(server))
    assert report.degraded == {}
    assert len(whole_tree(index).rows) == report.nodes


def test_a_summary_that_came_out_the_same_is_not_made_again_at_every_build(tmp_path: Path) -> None:
    index, guide = tmp_path / "index", write_guide(tmp_path / "guide", "pump", "valve")
    with FakeOpenAIServer(lambda prompt, number: Answer(said(GOOD))) as server:
        config = by_model(server)
        build(index, guide, config=config)
        with (guide / "pump.md").open("a", encoding="utf-8") as file:
            file.write("\n" + "The parts are inspected in steps, each turned by degrees. " * 8)
        build(index, guide, config=config)
        (guide / "valve.md").rename(guide / "zvalve.md")
        report = build(index, guide, config=config)
    assert report.renamed == ["guide/zvalve.md"]
    assert "tree" not in report.tokens, "no summary was asked for"
    whole_tree(index)


def test_a_window_too_small_for_two_summaries_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    guide = write_guide(tmp_path / "guide", "pump")
    with FakeOpenAIServer(lambda prompt, number: Answer(said(GOOD))) as server:
        config = by_model(server)
        small = replace(config, llm=replace(config.llm, window=1200))
        embedder = FakeHashEmbedder()
        with pytest.raises(treegraph.ConfigurationError, match="no room for two summaries"):
            build(tmp_path / "index", guide, config=small, embedder=embedder)
    assert embedder.embedded == []
    with pytest.raises(treegraph.ConfigurationError, match=r"tree\.tokens must be between 20 and 1750"):
        TreeSettings(tokens=2000)


ANSWERS: dict[str, tuple[Callable[[str, int], Answer], str]] = {
    "nothing": (lambda prompt, number: Answer(""), "empty"),
    "the prompt": (lambda prompt, number: Answer(said(prompt[:300])), "the prompt itself"),
    "50,000 tokens": (lambda prompt, number: Answer(said("The pump is inspected. " * 12_500)), "too long"),
    "a wrong number": (
        lambda prompt, number: Answer(said(GOOD + " It takes 987654 bar.")),
        "number that no passage contains",
    ),
    "an error": (lambda prompt, number: Answer("no such model", status=404), "call failed"),
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_what_a_model_gets_wrong_is_counted_and_the_node_is_honest(tmp_path: Path, kind: str) -> None:
    script, reason = ANSWERS[kind]
    index, guide = tmp_path / "index", write_guide(tmp_path / "guide", "pump")
    with FakeOpenAIServer(script) as server:
        report = build(index, guide, config=by_model(server))
    assert (report.generation, report.failed, report.behind) == (1, [], {})
    assert report.degraded.get(reason, 0) >= report.nodes
    (texts,) = writers(whole_tree(index)).values()
    extracted = tmp_path / "extracted"
    build(extracted, guide, config=GUIDE)
    assert texts == {row.payload["text"] for row in whole_tree(extracted).rows.values()}
    assert "987654" not in everything_kept(index, 1)


def test_a_model_that_does_not_answer_in_time_is_done_without(tmp_path: Path) -> None:
    index = tmp_path / "index"
    notes = manual(tmp_path / "notes", a="# Pump\n\nIt turns.\n", b="# Valve\n\nIt shuts.\n")
    with FakeOpenAIServer(lambda prompt, number: Answer(said(GOOD), delay=0.4)) as server:
        report = build(index, notes, config=by_model(server, timeout=0.1))
    assert report.generation == 1
    assert report.degraded["call failed"] == report.nodes == 1
    assert set(writers(whole_tree(index))) == {"extractive"}


def test_an_edit_asks_only_for_the_summaries_above_it(tmp_path: Path) -> None:
    index, guide = tmp_path / "index", write_guide(tmp_path / "guide", "pump", "valve")
    with FakeOpenAIServer(lambda prompt, number: Answer(said(GOOD))) as server:
        config = by_model(server)
        before = build(index, guide, config=config)
        paid = len(server.prompts)
        write_guide(guide, "pump", edited="membrane")
        report = build(index, guide, config=config)
        asked = len(server.prompts) - paid
        assert 1 <= asked <= 2 < before.nodes, "summaries that say what they said change nothing above"
        assert report.tokens["tree"]["calls"] == asked
        assert build(index, guide, config=config).generation is None
        assert len(server.prompts) == paid + asked
        whole_tree(index)


def test_a_tree_made_anew_is_not_paid_for_again(tmp_path: Path) -> None:
    index, guide = tmp_path / "index", write_guide(tmp_path / "guide", "pump")
    with FakeOpenAIServer(lambda prompt, number: Answer(said(GOOD))) as server:
        config = by_model(server)
        build(index, guide, config=config, index_id=INDEX_ID)
        first, paid = published_content(index), len(server.prompts)
        build(index, guide, config=GUIDE, yes=True)
        assert set(writers(whole_tree(index))) == {"extractive"}
        build(index, write_guide(guide, "pump", edited="impeller"), config=GUIDE)
        report = build(index, write_guide(guide, "pump"), config=config)
        assert (len(server.prompts), report.tokens["tree"]["calls"]) == (paid, 0)
        assert report.cost["tree"] == 0
        assert published_content(index)["nodes"] == first["nodes"]


def test_the_command_line_says_what_the_tree_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = Here.entered(tmp_path, monkeypatch, capsys)
    write_guide(tmp_path / "guide", "pump")
    with FakeOpenAIServer(lambda prompt, number: Answer("")) as server:
        (tmp_path / "treegraph.toml").write_text(
            f'version = 1\n[chunk]\ntokenizer = "words"\nsize = 48\n[tree]\nsummary = "model"\n'
            f'[llm]\nmodel = "m"\nbase_url = "{server.base_url}"\n'
        )
        done = here("build", "guide", "--json")
    report = done.json("build")
    assert (done.code, report["generation"], report["behind"]) == (0, 1, {})
    assert report["degraded"]["empty"] >= report["nodes"] > 0
    assert report["tokens"]["tree"]["calls"] == 2 * report["nodes"]
    status = here("status", "--json").json("status")
    assert (status["nodes"], status["structures"]["tree"]["behind"]) == (report["nodes"], False)
    assert status["spend"]["tree"]["calls"] == 2 * report["nodes"]
    assert here("build", "guide", "--json").json("build")["generation"] is None
    found = here("search", "the membrane of the pump", "--route", "tree", "--json").json("search")
    assert {hit["kind"] for hit in found["hits"]} == {"node", "chunk"}
    (tmp_path / "guide" / "pump.md").unlink()
    write_guide(tmp_path / "guide", "valve")
    removed = here("remove", "guide/pump.md", "--json").json("build")
    assert removed["nodes"] == 0


def handed_in(server: FakeOpenAIServer, name: str) -> LanguageModel:
    llm = load_llm(LLMSettings(base_url=server.base_url, model=name))
    assert llm is not None
    return llm


def test_a_model_that_is_handed_in_is_what_the_tree_was_made_by(tmp_path: Path) -> None:
    index, guide = tmp_path / "index", write_guide(tmp_path / "guide", "pump")
    config = replace(GUIDE, tree=TreeSettings(summary="model"))

    with FakeOpenAIServer(lambda prompt, number: Answer(said(GOOD))) as server:
        build(index, guide, config=config, llm=handed_in(server, "one"))
        paid = len(server.prompts)
        assert build(index, guide, config=config, llm=handed_in(server, "one")).generation is None
        report = build(index, guide, config=config, llm=handed_in(server, "another"))
        assert (report.generation, len(server.prompts) - paid) == (2, report.nodes)
        assert all("another" in row.payload["by"] for row in whole_tree(index).rows.values())


def test_another_model_that_is_handed_in_situates_the_chunks_anew(tmp_path: Path) -> None:
    index, guide = tmp_path / "index", write_guide(tmp_path / "guide", "pump")
    config = replace(GUIDE, context=ContextSettings(by="model"))
    without = ("tree", "graph")
    with FakeOpenAIServer() as server:
        build(index, guide, config=config, llm=handed_in(server, "one"), without=without)
        first = len(server.prompts)
        assert first > 0
        again = build(index, guide, config=config, llm=handed_in(server, "one"), without=without)
        assert (again.generation, len(server.prompts)) == (None, first)
        build(index, guide, config=config, llm=handed_in(server, "another"), without=without)
        assert len(server.prompts) == 2 * first
