"""Reading nodes of the tree, and looking at it: what is above, below and beside, and who sees it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import small_index
import treegraph
from treegraph.indexer.errors import ConfigurationError, RouteUnavailable
from treegraph.query.index import Index
from treegraph.query.tree_settings import TreeReadSettings
from treegraph.query.tree_view import TreeView

CHAPTERS: Mapping[str, Sequence[str]] = {
    "Pumps": ("Starting", "Stopping", "Seals"),
    "Valves": ("Relief", "Drain"),
}


def handbook(name: str) -> str:
    lines = [f"# {name}"]
    for chapter, sections in CHAPTERS.items():
        lines.append(f"## {chapter}")
        for section in sections:
            lines.append(f"### {section}")
            lines += [
                f"{section} number {number} of the {chapter.lower()} of {name} takes {number + 3} minutes, "
                f"and the {name} log keeps what was done and who did it, with the date and the hour.\n"
                for number in range(24)
            ]
    return "\n\n".join(lines)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two open handbooks, and one for the staff alone."""
    home = tmp_path_factory.mktemp("shelf")
    texts = {name: handbook(name) for name in ("alpha", "beta", "gamma")}
    manuals = small_index.manual(home / "manuals", **texts)
    (manuals / "gamma.md.meta.toml").write_text('labels = ["staff"]\n')
    assert not small_index.build(home / "index", manuals).failed
    return home / "index"


@pytest.fixture
def shelf(path: Path) -> Iterator[Index]:
    with small_index.open_small(path) as index:
        yield index


def walk(view: TreeView) -> Iterator[TreeView]:
    yield view
    for child in view.children:
        yield from walk(child)


def titled(view: TreeView, title: str) -> TreeView:
    return next(node for node in walk(view) if node.title == title)


def test_the_tree_is_whole_and_its_sizes_add_up(shelf: Index) -> None:
    root = shelf.tree(depth=50)
    chunks = shelf.status()["chunks"]
    assert root.id
    assert (root.passages, len(root.documents)) == (chunks, 3)
    assert root.pages is None
    nodes = list(walk(root))
    assert len({node.id for node in nodes}) == len(nodes) == shelf.status()["nodes"]
    for node in nodes:
        assert node.summary
        assert node.folded == 0
        assert all(child.level < node.level for child in node.children)
        assert all(set(child.documents) <= set(node.documents) for child in node.children)
        assert sum(child.passages for child in node.children) <= node.passages
    assert {"alpha", "beta", "gamma", "Pumps", "Valves", "Seals"} <= {node.title for node in nodes}
    nested = json.loads(json.dumps(root.to_json()))
    assert (nested["schema"], nested["id"], len(nested["children"])) == (1, root.id, len(root.children))


def test_depth_folds_what_is_below(shelf: Index) -> None:
    whole = shelf.tree(depth=50)
    for depth in range(4):
        view = shelf.tree(depth=depth)
        for node, full in zip(walk(view), walk_to(whole, depth), strict=True):
            assert (node.id, node.summary, node.passages) == (full.id, full.summary, full.passages)
            assert node.folded in (0, len(full.children))
            assert len(node.children) + node.folded == len(full.children)
    with pytest.raises(ConfigurationError, match="depth"):
        shelf.tree(depth=-1)


def walk_to(view: TreeView, depth: int) -> Iterator[TreeView]:
    yield view
    for child in view.children if depth else ():
        yield from walk_to(child, depth - 1)


def test_a_branch_is_shown_by_the_id_of_a_node_or_the_source_of_a_document(shelf: Index) -> None:
    whole = shelf.tree(depth=50)
    beta = shelf.tree("manuals/beta.md", depth=50)
    assert (beta.title, beta.documents) == ("beta", ("manuals/beta.md",))
    assert beta == titled(whole, "beta") == shelf.tree(beta.id, depth=50)
    for name in ("nobody", "manuals/nobody.md"):
        with pytest.raises(ConfigurationError, match="no node to show"):
            shelf.tree(name)


def test_a_node_is_read_with_what_is_around_it(shelf: Index) -> None:
    shown = titled(shelf.tree("manuals/alpha.md", depth=50), "Pumps")
    assert shown.id
    reading = shelf.read(shown.id)
    assert (reading.kind, reading.text) == ("node", shown.summary)
    assert reading.node
    facts = reading.node
    assert (facts.title, facts.level, facts.passages) == ("Pumps", shown.level, shown.passages)
    assert facts.section == ("alpha", "Pumps")
    assert facts.documents == ("manuals/alpha.md",)
    assert facts.parents == (reading.above[-1]["id"],)
    assert [step["level"] for step in reading.above] == sorted(
        (step["level"] for step in reading.above), reverse=True
    )
    assert reading.above[0]["id"] == shelf.tree(depth=0).id
    for above, below in pairwise([*(str(step["id"]) for step in reading.above), reading.id]):
        assert below in shelf.read(above).below
    assert len(reading.citations) == facts.passages
    assert {citation.section[:2] for citation in reading.citations} == {("alpha", "Pumps")}
    assert set(reading.below) >= {child.id for child in shown.children}
    data = json.loads(json.dumps(reading.to_json()))
    assert (data["kind"], data["level"], data["pages"]) == ("node", facts.level, None)


def test_what_stands_beside_a_node_leads_to_it_and_back(shelf: Index) -> None:
    parent = shelf.read(str(shelf.tree("manuals/alpha.md", depth=0).id))
    line = [shelf.read(child) for child in parent.below]
    nodes = [reading for reading in line if reading.kind == "node"]
    assert len(nodes) > 1
    for before, after in pairwise(line):
        if before.kind == "node":
            assert before.beside
            assert before.beside["next"] == after.id
        if after.kind == "node":
            assert after.beside
            assert after.beside["previous"] == before.id
    assert line[-1].beside
    root = shelf.read(str(shelf.tree(depth=0).id))
    assert root.beside == {"previous": None, "next": None}
    assert root.above == ()


def test_a_chunk_leads_up_through_its_nodes(shelf: Index) -> None:
    seals = titled(shelf.tree("manuals/alpha.md", depth=50), "Seals")
    chunk = shelf.read(shelf.read(str(seals.id)).citations[0].chunk)
    kinds = [step["kind"] for step in chunk.above]
    assert kinds == ["document", *["section"] * 3, *["node"] * (len(kinds) - 4)]
    nodes = [step["id"] for step in chunk.above if step["kind"] == "node"]
    assert nodes[0] == shelf.tree(depth=0).id
    assert seals.id in nodes
    assert chunk.id in shelf.read(str(nodes[-1])).below


def test_a_reader_sees_nodes_only_where_all_beneath_is_open(shelf: Index) -> None:
    whole = {node.id: node for node in walk(shelf.tree(depth=50))}
    public = shelf.tree(depth=50, labels=[])
    assert public.id is None
    assert public.documents == ("manuals/alpha.md", "manuals/beta.md")
    seen = {node.id for node in walk(public)} - {None}
    closed = {name for name, node in whole.items() if "manuals/gamma.md" in node.documents}
    assert closed
    assert seen == set(whole) - closed
    assert public.passages == sum(whole[child.id].passages for child in public.children)
    assert "gamma" not in json.dumps(public.to_json())
    for name in closed:
        with pytest.raises(ConfigurationError, match="nothing to read"):
            shelf.read(str(name), labels=[])
        with pytest.raises(ConfigurationError, match="no node to show"):
            shelf.tree(name, labels=["dealer"])
        assert shelf.read(str(name), labels=["staff"]).text == whole[name].summary
    assert shelf.tree(depth=50, labels=["staff"]) == shelf.tree(depth=50)
    with pytest.raises(ConfigurationError, match="no node to show"):
        shelf.tree("manuals/gamma.md", labels=[])


def test_what_a_reader_may_not_see_is_left_out_around_a_node(shelf: Index) -> None:
    public = shelf.tree(depth=50, labels=[])
    seen = {node.id for node in walk(public)} - {None}
    for name in seen:
        reading = shelf.read(str(name), labels=[])
        assert {step["id"] for step in reading.above} <= seen
        assert reading.node
        assert set(reading.node.parents) <= seen
        for other in (reading.beside or {}).values():
            assert other is None or shelf.read(other, labels=[]).citations
        chunk = shelf.read(reading.citations[0].chunk, labels=[])
        assert {step["id"] for step in chunk.above if step["kind"] == "node"} <= seen
    tops = [child.id for child in public.children]
    assert all(shelf.read(str(top), labels=[]).above == () for top in tops)
    linked = {(shelf.read(str(top), labels=[]).beside or {})["next"] for top in tops} - {None}
    assert linked <= set(tops)


def test_a_long_reading_cites_the_first_of_its_passages(path: Path) -> None:
    config = replace(small_index.CONFIG, tree_read=TreeReadSettings(citations=3))
    with treegraph.open_index(path, config=config) as index:
        root = index.read(str(index.tree(depth=0).id))
    assert root.node
    assert (len(root.citations), root.node.passages > 3) == (3, True)


def test_an_index_without_a_tree_says_how_to_make_one(path: Path, tmp_path: Path) -> None:
    manuals = small_index.manual(tmp_path / "manuals", alpha=handbook("alpha"))
    index = tmp_path / "index"
    small_index.build(index, manuals, without=("tree",))
    with small_index.open_small(index) as bare:
        with pytest.raises(RouteUnavailable, match=r"treegraph build SOURCE"):
            bare.tree()
        chunk = bare.read(bare.read("manuals/alpha.md").below[0])
        assert all(step["kind"] != "node" for step in chunk.above)


def test_one_passage_needs_no_summary(tmp_path: Path) -> None:
    manuals = small_index.manual(tmp_path / "manuals", note="One line.")
    small_index.build(tmp_path / "index", manuals)
    with small_index.open_small(tmp_path / "index") as index:
        view = index.tree()
        assert index.read(str(view.id)).text.strip() == "One line."
        assert index.tree("manuals/note.md") == index.tree(view.id) == view
    assert (view.level, view.title, view.summary, view.children) == (0, "note.md", "", ())
    assert (view.passages, view.documents) == (1, ("manuals/note.md",))


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A handbook beside documents of one chunk, one of which is for the staff alone."""
    home = tmp_path_factory.mktemp("notes")
    texts = {name: f"# {name}\n\nA word on pumps: {name}." for name in ("hello", "secret", "bye")}
    manuals = small_index.manual(home / "manuals", alpha=handbook("alpha"), **texts)
    (manuals / "secret.md.meta.toml").write_text('labels = ["staff"]\n')
    assert not small_index.build(home / "index", manuals).failed
    return home / "index"


def test_documents_of_one_chunk_stand_in_the_tree(notes: Path) -> None:
    with small_index.open_small(notes) as index:
        root = index.tree(depth=50)
        status = index.status()
        below = index.read(str(root.id)).below
    views = list(walk(root))
    singles = {view.title: view for view in views if not view.level}
    assert set(singles) == {"hello", "secret", "bye"}
    assert {view.id for view in singles.values()} <= set(below)
    assert [view.passages for view in singles.values()] == [1, 1, 1]
    assert len(views) - len(singles) == status["nodes"]
    assert root.passages == status["chunks"] == sum(child.passages for child in root.children)
    assert root.holds == "alpha, bye, hello and 1 more"
    assert all(view.title for view in root.children)


def test_documents_of_one_chunk_count_only_for_who_may_read_them(notes: Path) -> None:
    with small_index.open_small(notes) as index:
        whole, public = index.tree(depth=50), index.tree(depth=50, labels=[])
        folded = index.tree(depth=0, labels=[])
        secret = titled(whole, "secret")
        assert index.tree("manuals/secret.md", labels=["staff"]) == secret
        for name in (str(secret.id), "manuals/secret.md"):
            with pytest.raises(ConfigurationError, match="no node to show"):
                index.tree(name, labels=[])
    assert (public.id, public.level) == (None, whole.level)
    assert sorted(child.title for child in public.children) == ["alpha", "bye", "hello"]
    assert public.passages == whole.passages - 1 == sum(child.passages for child in public.children)
    assert public.documents == ("manuals/alpha.md", "manuals/bye.md", "manuals/hello.md")
    assert (folded.passages, folded.folded, folded.children) == (public.passages, 3, ())


def test_a_cluster_is_called_by_the_titles_that_it_holds(shelf: Index) -> None:
    root = shelf.tree(depth=50)
    assert (root.title, root.holds) == ("", "alpha, beta, gamma")
    for view in walk(root):
        assert not (view.title and view.holds)
        reading = shelf.read(str(view.id))
        assert reading.node
        assert (reading.node.title, reading.node.holds) == (view.title, view.holds)
    found = shelf.search("starting the pumps of beta takes minutes", route="tree", k=20)
    steps = [step for hit in found for step in hit.path or () if step["kind"] == "node"]
    called = {step["id"]: (step["title"], step["holds"]) for step in steps}
    assert called
    assert called == {
        name: (view.title, view.holds) for name in called for view in walk(root) if view.id == name
    }
    assert "beta" in {title for title, _ in called.values()}


def test_a_tree_that_is_behind_shows_what_is_left_of_it(tmp_path: Path) -> None:
    manuals = small_index.manual(tmp_path / "manuals", **{name: handbook(name) for name in ("alpha", "beta")})
    index = tmp_path / "index"
    small_index.build(index, manuals)
    (manuals / "beta.md").unlink()
    report = small_index.build(index, manuals, without=("tree",), yes=True)
    assert report.behind == {"tree": 1}
    with small_index.open_small(index) as left:
        view = left.tree(depth=50)
        assert view.documents == ("manuals/alpha.md",)
        assert "beta" not in json.dumps(view.to_json())
        assert titled(view, "Seals").passages > 0
