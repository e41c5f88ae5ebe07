"""No way of reading the tree shows a node that rests on what the reader may not see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import treegraph
from grown_tree import GrownTree, grown_tree, whole_tree
from hash_embedder import FakeHashEmbedder
from small_guide import GUIDE, TOPICS, write_guide
from small_index import build
from treegraph.query.tree_settings import TreeReadSettings

READINGS = ("evidence", "collapsed", "traversal")
DESCRIBED = {
    "boiler": 'labels = ["staff"]\nsite = "north"\n',
    "filter": 'labels = ["board"]\nsite = "north"\n',
    "pump": 'site = "south"\nvalid_until = 2024-06-30\n',
    "valve": 'site = "south"\n',
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("access")
    guide = write_guide(folder / "guide")
    for topic, text in DESCRIBED.items():
        (guide / f"{topic}.md.meta.toml").write_text(text)
    build(folder / "index", guide, config=GUIDE)
    return folder / "index"


@pytest.fixture(scope="module")
def tree(index: Path) -> GrownTree:
    return whole_tree(index)


@pytest.fixture(scope="module", params=READINGS)
def opened(request: pytest.FixtureRequest, index: Path) -> Iterator[treegraph.Index]:
    config = replace(GUIDE, tree_read=TreeReadSettings(read=request.param, beam=50))
    with treegraph.open_index(index, config=config, embedder=FakeHashEmbedder()) as found:
        yield found


def topics(tree: GrownTree, *names: str) -> set[str]:
    """The documents on these topics."""
    sources = {f"guide/{name}.md" for name in names}
    return {document.id for document in tree.documents.values() if document.source in sources}


def every_hit(opened: treegraph.Index, **options: Any) -> list[treegraph.Hit]:
    """All that a reader gets to see over many questions."""
    parts = [part for of_one in TOPICS.values() for part in of_one]
    questions = [*(f"How is the {part} inspected?" for part in parts), "step gauge degrees bar", "The"]
    options.setdefault("as_of", date(2024, 1, 1))
    return [
        hit for found in opened.search_many(questions, k=200, route="tree", **options) for hit in found.hits
    ]


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"labels": None}, ("boiler", "filter", "pump", "valve")),
        ({"labels": []}, ("pump", "valve")),
        ({"labels": ["unheard-of"]}, ("pump", "valve")),
        ({"labels": ["staff"]}, ("boiler", "pump", "valve")),
        ({"labels": ["staff"], "filters": ["site=north"]}, ("boiler",)),
        ({"labels": None, "filters": ["site=north"]}, ("boiler", "filter")),
        ({"labels": [], "sources": ["guide/valve.md"]}, ("valve",)),
        ({"labels": [], "as_of": date(2024, 12, 1)}, ("valve",)),
    ],
)
def test_hits_rest_on_what_the_reader_sees_and_on_all_levels_of_it(
    opened: treegraph.Index, tree: GrownTree, options: dict[str, Any], shown: tuple[str, ...]
) -> None:
    seen = topics(tree, *shown)
    hits = every_hit(opened, **options)
    for hit in hits:
        assert {citation.document for citation in hit.citations} <= seen
        for name in (hit.id, *(step["id"] for step in hit.path or ())):
            assert name in tree.chunks or set(tree.nodes[str(name)].documents) <= seen
    found = {hit.id for hit in hits if hit.kind == "node"}
    readable = {name for name, node in tree.nodes.items() if set(node.documents) <= seen}
    assert found <= readable
    assert len(found) >= len(shown), "nodes over what may be seen are found"
    hidden = [word for topic in TOPICS if topic not in shown for word in (topic, *TOPICS[topic])]
    for word in hidden:
        assert not any(word in f"{hit.text} {hit.context}".lower() for hit in hits)


def test_a_node_is_read_by_who_may_read_all_beneath_it(opened: treegraph.Index, tree: GrownTree) -> None:
    for labels, shown in (([], ("pump", "valve")), (["staff"], ("pump", "valve", "boiler"))):
        seen = topics(tree, *shown)
        for name, node in tree.nodes.items():
            if set(node.documents) <= seen:
                assert opened.read(name, labels=labels).text == tree.rows[name].payload["text"]
            else:
                with pytest.raises(treegraph.ConfigurationError, match="nothing to read"):
                    opened.read(name, labels=labels)


def test_who_sees_nothing_gets_nothing(opened: treegraph.Index) -> None:
    assert every_hit(opened, filters=["site=west"]) == []


def test_labels_taken_away_close_the_nodes_at_once(guide_copy: Path) -> None:
    index, guide = guide_copy / "index", guide_copy / "guide"
    with treegraph.open_index(index, config=GUIDE, embedder=FakeHashEmbedder(), follow=True) as opened:
        assert any("membrane" in hit.text for hit in every_hit(opened, labels=[]))
        (guide / "pump.md.meta.toml").write_text('labels = ["staff"]\n')
        build(index, guide, config=GUIDE)
        hits = every_hit(opened, labels=[])
        assert hits
        assert not any("membrane" in hit.text for hit in hits)
        assert any("membrane" in hit.text for hit in every_hit(opened, labels=["staff"]))
    assert grown_tree(index).generation == 2
