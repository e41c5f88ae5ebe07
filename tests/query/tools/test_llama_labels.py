"""What rests on a document that the reader may not see comes out of nothing that LlamaIndex is given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations
from typing import Any

import pytest
from small_index import CONFIG, build, open_small
from treegraph.indexer.metadata import MetadataRule
from treegraph.query.index import Index

pytest.importorskip("llama_index.core")

LABELS = {"ann": (), "ben": ("sea",), "cyd": ("sky",), "dot": ("sea", "sky")}
"""Documents by name, each with who may read it; a document's name stands in all that is its own,
and in no id, which has hexadecimal digits alone."""
READERS = [list(some) for some in chain.from_iterable(combinations(("sea", "sky"), n) for n in range(3))]
QUESTION = "What does PUMP-12 require, and what is said of ANNWORD, BENWORD, CYDWORD and DOTWORD?"


def text(name: str) -> str:
    own = name.upper()
    return (
        f"# {name.capitalize()}title of all pumps\n\n## {name.capitalize()}section\n\n"
        f"PUMP-12 requires {own}-7 only if {own}_MODE = 1. {own}-7 enables GATE-3. The {own}WORD is due.\n\n"
        f"## {name.capitalize()}care\n\nGATE-3 uses {own}-8. Clean {own}-8 every month.\n"
    )


@pytest.fixture(scope="module")
def pumps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    home = tmp_path_factory.mktemp("labels")
    rules = []
    (home / "m").mkdir()
    for name, labels in LABELS.items():
        (home / "m" / f"{name}.md").write_text(text(name), "utf-8")
        rules.append(MetadataRule(f"**/{name}.md", {"labels": list(labels), "edition": f"{name}edition"}))
    build(home / "index", home / "m", config=replace(CONFIG, documents=tuple(rules)))
    with open_small(home / "index") as index:
        yield index


def hidden(reader: list[str]) -> set[str]:
    return {name for name, labels in LABELS.items() if labels and not set(labels) & set(reader)}


def told(found: str, reader: list[str]) -> list[str]:
    lowered = found.replace(QUESTION, "").lower()
    return [name for name in hidden(reader) if name in lowered]


@pytest.mark.parametrize("reader", READERS, ids=str)
@pytest.mark.parametrize("route", ["hybrid", "tree", "graph"])
def test_nodes(pumps: Index, reader: list[str], route: str) -> None:
    found = pumps.as_retriever(labels=reader, route=route, k=40, neighbours=1).retrieve(QUESTION)
    everything = "\n".join(item.model_dump_json() for item in found)
    assert told(everything, reader) == []
    seen = {item.node.metadata["source"] for item in found}
    assert {f"m/{name}.md" for name in LABELS if name not in hidden(reader)} <= seen


@pytest.mark.parametrize("reader", READERS, ids=str)
def test_tools(pumps: Index, reader: list[str]) -> None:
    tools = {tool.metadata.get_name(): tool for tool in pumps.as_tools(labels=reader, budget=50_000)}
    calls: list[tuple[str, dict[str, Any]]] = [
        *(
            ("search", {"question": QUESTION, "route": route, "k": 40})
            for route in ("hybrid", "tree", "graph")
        ),
        ("documents", {}),
        ("outline", {"depth": 9, "detail": "text"}),
        ("neighbours", {"entity": "PUMP-12"}),
        ("neighbours", {"entity": "GATE-3"}),
        ("path", {"from": "PUMP-12", "to": "GATE-3"}),
    ]
    for name, arguments in calls:
        assert told(tools[name].call(**arguments).content, reader) == []
    relations = len(LABELS) - len(hidden(reader))
    stated = tools["neighbours"].call(entity="PUMP-12").raw_output["neighbours"]
    assert [one["type"] for one in stated].count("requires") == relations
    for name in hidden(reader):
        whole = pumps.read(f"m/{name}.md")
        for thing in (whole.id, whole.below[0], pumps.entity(f"{name}-7").entity.id):
            refused = tools["read"].call(id=thing)
            assert refused.is_error
            assert told(refused.content, reader) == []
