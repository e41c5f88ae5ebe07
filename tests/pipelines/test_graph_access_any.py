"""Whatever labels a reader holds, no way of reading shows what rests on a document that they may not read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import treegraph
from command_line import Here
from grown_graph import whole_graph
from hash_embedder import FakeHashEmbedder
from hypothesis import given, settings
from hypothesis import strategies as st
from index_content import published_content
from small_index import CONFIG, build, manual, open_small
from treegraph.query.graph_settings import GraphReadSettings

LABELS = {
    "Array": (),
    "Boiler": ("a",),
    "Column": ("b",),
    "Duct": ("a", "b"),
    "Engine": ("c",),
    "Filter": ("b", "c"),
}
"""What each document is about, and whom it is for: readers who hold any of these."""
READERS = [list(held) for size in range(4) for held in combinations("abc", size)]
SHARED = ("PUMP-12", "GATE-3", "FAN-3", "Cobalt Neutral Relay Yoke")
INDEX_ID = "9f4e2a6c-64a5-4b1c-9dfd-2f7c8f9e1f5b"


def canary(about: str) -> str:
    return f"QZK{about[0]}"


def text(about: str) -> str:
    """A document whose title, section, names, conditions and words hold its canary."""
    own = canary(about)
    return (
        f"# {own.title()} Handbook\n\n## {own.title()} Section\n\n"
        f"The Quick Zonal Kettle {about} ({own}) requires PUMP-12 only if {own}_COND = 1. "
        f"PUMP-12 uses GATE-3 while {own}-7 holds. GATE-3 sets FAN-3 unless {own}_LOCK is set.\n\n"
        f"The Cobalt Neutral Relay Yoke ({own}-YOKE) requires FAN-3. FAN-3 enables {own}-9.\n\n"
        f"## Care of the {own}\n\nFAN-3 requires {own}-9. {own}-9 uses PUMP-12. See Table {own}-2.\n"
    )


def written(folder: Path, labels: Mapping[str, tuple[str, ...]]) -> Path:
    folder.parent.mkdir()
    manual(folder, **{canary(about).lower(): text(about) for about in labels})
    for about, held in labels.items():
        own = canary(about)
        meta = f'labels = {json.dumps(held)}\nedition = "{own} edition"\nsite = "{own}-SITE"\n'
        (folder / f"{own.lower()}.md.meta.toml").write_text(meta)
    return folder


def readable(reader: list[str] | None) -> list[str]:
    return [about for about, held in LABELS.items() if reader is None or not held or {*held} & {*reader}]


def leaks(shown: object, reader: list[str] | None, asked: str = "") -> list[str]:
    """The canaries of what the reader may not read, but for what the reader wrote."""
    said = str(shown).lower().replace(asked.lower(), "") if asked else str(shown).lower()
    closed = [canary(about) for about in LABELS if about not in readable(reader)]
    closed += [f"kettle {about}" for about in LABELS if about not in readable(reader)]
    return [word for word in closed if word.lower() in said]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``index`` has every document; ``alone-ab`` those that a reader with a and b may read, and so on."""
    folder = tmp_path_factory.mktemp("labelled")
    build(folder / "index", written(folder / "all" / "manuals", LABELS), index_id=INDEX_ID)
    for reader in ([], ["b"]):
        kept = {about: LABELS[about] for about in readable(reader)}
        name = f"alone-{''.join(reader)}"
        manuals = written(folder / name / "manuals", kept)
        build(folder / name / "index", manuals, index_id=INDEX_ID, without=("tree",))
    return folder


@pytest.fixture(scope="module")
def opened(home: Path) -> Iterator[treegraph.Index]:
    with open_small(home / "index") as index:
        yield index


@pytest.fixture(scope="module")
def in_parts(home: Path) -> Iterator[treegraph.Index]:
    """The same index, of whose graph nothing is held whole."""
    config = replace(CONFIG, graph_read=GraphReadSettings(whole=0))
    with treegraph.open_index(home / "index", config=config, embedder=FakeHashEmbedder()) as index:
        yield index


@pytest.fixture(scope="module")
def things(home: Path) -> list[str]:
    """Every id and name that the owner can come by."""
    graph, content = whole_graph(home / "index"), published_content(home / "index", vectors=False)
    sources = [document.source for document in content["documents"].values()]
    ids = [*graph.entities, *graph.communities, *content["rows"], *content["nodes"], *content["documents"]]
    return sorted({*ids, *sources, *graph.names(), *SHARED})


def shown(index: treegraph.Index, way: str, thing: str, other: str, reader: list[str] | None) -> object:
    """What one way of reading gives, or the error's text."""
    question = f"What does {thing} require of {other}, in general?"
    ways = {
        "entity": lambda: index.entity(thing, reader).to_json(),
        "path": lambda: index.entity_path(thing, other, reader).to_json(),
        "read": lambda: index.read(thing, reader).to_json(),
        "tree": lambda: index.tree(thing, depth=9, labels=reader).to_json(),
        "pages": lambda: index.page_texts(thing, reader),
        "hybrid": lambda: found(index, question, "hybrid", reader),
        "graph": lambda: found(index, question, "graph", reader),
        "tree route": lambda: found(index, question, "tree", reader),
    }
    try:
        return ways[way]()
    except treegraph.TreegraphError as error:
        return str(error)


WAYS = ("entity", "path", "read", "tree", "pages", "hybrid", "graph", "tree route")


def found(index: treegraph.Index, question: str, route: str, reader: list[str] | None) -> dict[str, Any]:
    result = index.search(question, k=40, route=route, labels=reader, explain=True, neighbours=2).to_json()
    result["explanation"].pop("terms")  # the reader's own words
    return {name: result[name] for name in ("hits", "explanation", "degraded", "route")}


@settings(max_examples=250, deadline=None, derandomize=True)
@given(st.data())
def test_no_way_of_reading_shows_a_canary(
    opened: treegraph.Index, in_parts: treegraph.Index, things: list[str], data: st.DataObject
) -> None:
    index = data.draw(st.sampled_from([opened, in_parts]))
    way = data.draw(st.sampled_from(WAYS))
    thing, other = data.draw(st.sampled_from(things)), data.draw(st.sampled_from(SHARED))
    reader = data.draw(st.sampled_from([*READERS, ["unheard-of"], ["\0hidden"]]))
    given_back = shown(index, way, thing, other, reader)
    assert leaks(given_back, reader, asked=thing) == []


def test_whoever_may_read_it_comes_by_every_canary(opened: treegraph.Index, things: list[str]) -> None:
    for about in LABELS:
        for reader in READERS:
            if about in readable(reader):
                name = f"Quick Zonal Kettle {about}"
                for way in ("entity", "path", "hybrid", "graph"):
                    assert canary(about) in str(shown(opened, way, name, "FAN-3", reader))


@pytest.mark.parametrize("reader", [[], ["b"]])
def test_the_rest_is_as_if_the_unreadable_documents_were_not_there(
    opened: treegraph.Index, home: Path, reader: list[str]
) -> None:
    index = home / f"alone-{''.join(reader)}" / "index"
    names = sorted(whole_graph(index).names())
    with open_small(index) as alone:
        for name in names:
            ours, theirs = opened.entity(name, reader).to_json(), alone.entity(name).to_json()
            assert without_communities(ours) == without_communities(theirs)
            question = f"What does {name} require?"
            hits = found(opened, question, "hybrid", reader)
            assert rounded(hits) == rounded(found(alone, question, "hybrid", None))


def rounded(value: Any) -> Any:
    """Without the last digits, which depend on how many rows a store multiplies at once."""
    if isinstance(value, dict):
        return {name: rounded(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    return round(value, 4) if isinstance(value, float) else value


def without_communities(view: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in view.items() if name != "communities"}


def test_neither_do_the_commands(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], things: list[str]
) -> None:
    here = Here.entered(home, monkeypatch, capsys)
    graph = whole_graph(home / "index")
    shared = graph.entity("PUMP-12").id
    closed = next(one.id for one in graph.communities.values() if len(one.documents) > 1)
    for reader in ([], ["b"]):
        for command in (
            ("graph", "Cobalt Neutral Relay Yoke"),
            ("graph", "FAN-3", "--to", "PUMP-12"),
            ("graph", "QZ-77"),
            ("read", shared),
            ("read", closed),
            ("tree", "--ids"),
        ):
            done = here(*command, "-i", "index", "--labels", ",".join(reader))
            assert leaks([done.out, done.err], reader) == []
            assert done.code == (2 if command[1] in ("QZ-77", closed) else 0), command
