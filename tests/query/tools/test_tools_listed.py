"""How many, and all of a kind, in the tools for agents: counts, completeness, and the first of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import treegraph
from hash_embedder import FakeHashEmbedder
from jsonschema import validate
from small_index import build, open_small
from small_plant import PLANT
from small_shelf import COUNT, LEAST, PLENTY, box
from treegraph.indexer.errors import ConfigurationError
from treegraph.query.index import Index
from treegraph.query.tools.settings import ServeSettings
from treegraph.query.tools.shapes import Answer, Search, output_schema
from treegraph.query.tools.tool import Desk
from treegraph.query.tools.toolbox import Toolbox, tools_of

QUESTION = "How many relays are there?"
SECRET = ("Quince", "annex", "QNC")


@pytest.fixture(scope="module")
def relays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("relays")
    folder = home / "plant"
    folder.mkdir()
    for number in range(30):
        name = f"Amber{chr(65 + number % 26)}{number} Relay"
        (folder / f"north-{number:02}.md").write_text(
            f"# North {number}\n\n## Relays of the north {number}\n\nThe {name} requires PUMP-{number}. "
            f"PUMP-{number} sets GATE-3 if the {name} is on.\n" * 2,
            "utf-8",
        )
    (folder / "annex.md").write_text(
        "# Annex\n\n## Quince relays of the annex\n\nThe Quince Relay requires QNC-1. QNC-1 sets GATE-3.\n"
        * 2,
        "utf-8",
    )
    (folder / "annex.md.meta.toml").write_text('labels = ["staff"]\n', "utf-8")
    build(home / "index", folder, config=PLANT)
    return home / "index"


@pytest.fixture(scope="module")
def index(relays: Path) -> Iterator[Index]:
    with open_small(relays) as opened:
        yield opened


def groups(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {group["kind"]: group for group in document["enumeration"]["groups"]}


def test_a_search_tells_how_many_and_the_first_of_them(index: Index) -> None:
    reply = box(index, None, PLENTY).call("search", {"question": QUESTION})
    found = groups(reply.document)
    true = index.search(QUESTION).enumeration
    assert true is not None
    assert {kind: group["count"] for kind, group in found.items()} == {
        group.kind: group.count for group in true.groups
    }
    entity = found["entity"]
    assert entity["complete"] is True
    assert "were looked at" in entity["note"]
    assert len(entity["items"]) == 20 < entity["count"]
    item = entity["items"][0]
    assert box(index, None).call("read", {"id": item["id"]}).document["kind"] == "entity"
    assert item["source"].endswith(".md")
    validate(reply.document, output_schema(Search))


def test_the_first_page_keeps_its_budget_and_the_counts(index: Index) -> None:
    whole = groups(box(index, None, PLENTY).call("search", {"question": QUESTION}).document)
    tools = box(index, None, LEAST)
    reply = tools.call("search", {"question": QUESTION})
    assert COUNT(reply.text) <= LEAST
    short = groups(reply.document)
    assert reply.document["hits"], "half of the room is for the hits"
    for kind, group in whole.items():
        assert (short[kind]["count"], short[kind]["complete"]) == (group["count"], group["complete"])
        assert short[kind]["items"] == group["items"][: len(short[kind]["items"])]
    more = tools.call("search", {"question": QUESTION, "cursor": reply.document["more"]}).document
    assert "enumeration" not in more, "it stands on the first page"


def test_other_questions_and_routes_have_none(index: Index) -> None:
    tools = box(index, None)
    assert "enumeration" not in tools.call("search", {"question": "What does PUMP-3 set?"}).document
    assert "enumeration" not in tools.call("search", {"question": QUESTION, "route": "hybrid"}).document


@pytest.mark.parametrize("tool", ["search", "ask"])
def test_nothing_of_a_closed_document_is_listed(index: Index, tool: str) -> None:
    def call(labels: tuple[str, ...] | None) -> Any:
        tools = Toolbox(Desk(index, labels), PLENTY, tools_of(ask=index.ask))
        return tools.call(tool, {"question": QUESTION})

    public, owner = call(()), call(None)
    assert not public.failed
    assert [word for word in SECRET if word in public.text] == []
    assert "Quince" in json.dumps(owner.document["enumeration"])
    assert groups(public.document)["entity"]["count"] < groups(owner.document)["entity"]["count"]
    assert groups(public.document)["section"]["count"] == 30
    if tool == "ask":
        validate(owner.document, output_schema(Answer))


def test_a_search_of_the_tools_has_its_deadline(index: Index) -> None:
    late = Toolbox(Desk(index, None, 0.0), LEAST).call("search", {"question": QUESTION})
    assert (late.failed, late.document["hits"], late.document["degraded"][0]) == (False, [], "hybrid")
    assert "time was up" in late.document["hint"]
    with pytest.raises(ConfigurationError, match=r"serve\.deadline must be 0 or more"):
        ServeSettings(deadline=-1)


def test_a_retriever_and_the_tools_of_llamaindex_take_a_deadline(relays: Path) -> None:
    pytest.importorskip("llama_index.core")
    with treegraph.open_index(relays, config=PLANT, embedder=FakeHashEmbedder()) as index:
        assert index.as_retriever(deadline=0.0).retrieve("What does PUMP-3 set?") == []
        assert index.as_retriever(deadline=60).retrieve("What does PUMP-3 set?")
        search = next(tool for tool in index.as_tools(deadline=0.0) if tool.metadata.name == "search")
        assert search.call(question=QUESTION).raw_output["degraded"][0] == "hybrid"
        with pytest.raises(ConfigurationError, match="deadline"):
            index.as_retriever(deadline=-1)
        with pytest.raises(ConfigurationError, match="deadline"):
            index.as_tools(deadline=-1)
