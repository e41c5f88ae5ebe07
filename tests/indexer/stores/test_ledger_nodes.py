"""What the ledger knows of nodes, generation by generation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from treegraph.indexer.errors import IndexIncompatible, StoreError
from treegraph.indexer.stores.ledger import Ledger
from treegraph.indexer.stores.ledger_nodes import NodeLedger, NodeRow, skeleton_of
from treegraph.indexer.stores.ledger_readings import ReadingLedger
from treegraph.indexer.stores.ledger_rows import ChunkRow
from treegraph.indexer.tree.skeleton import Branch, Skeleton
from treegraph.indexer.types import NodeShape

SECTION = Branch("s", ("c1", "c2"), 1, "Ü > 2", "d1", ("A", "Ü > 2"), drift=3)
ROOT = Branch("r", ("s", "c3"), 2)


def node(key: str, branch: Branch = SECTION, made: str = "m") -> NodeRow:
    return NodeRow(
        key, branch, 17, "by hand", ("d1",), made, f"said-{key}", f"digest-{key}", f"embedded-{key}"
    )


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = Ledger(tmp_path, create=True)
    yield opened
    opened.close()


@pytest.fixture
def nodes(ledger: Ledger) -> NodeLedger:
    return NodeLedger(ledger)


def keys(nodes: NodeLedger, generation: int) -> set[str]:
    return {row.key for row in nodes.nodes(generation)}


def test_what_is_written_is_there_for_the_next_process(tmp_path: Path) -> None:
    first = Ledger(tmp_path, create=True)
    NodeLedger(first).add([node("k2", ROOT), node("k1")], 1)
    first.close()
    second = Ledger(tmp_path)
    assert NodeLedger(second).nodes(1) == [node("k1"), node("k2", ROOT)], "children come before parents"
    assert second.count("nodes", 1) == 2
    second.close()


def test_a_shape_says_where_a_node_stands() -> None:
    assert node("k").shape == NodeShape("s", 1, ("c1", "c2"), 17, "Ü > 2", ("d1",))


def test_the_tree_is_found_again_in_its_nodes() -> None:
    skeleton = skeleton_of([node("k1"), node("k2", ROOT)])
    assert skeleton == Skeleton({"s": SECTION, "r": ROOT}, "r")
    assert skeleton_of([]) == Skeleton()


def test_a_new_row_leaves_the_old_generation_as_it_was(nodes: NodeLedger) -> None:
    nodes.add([node("old"), node("root", ROOT)], 1)
    nodes.end(["old"], 2)
    nodes.add([node("new", made="other")], 2)
    assert keys(nodes, 1) == {"old", "root"}
    assert keys(nodes, 2) == {"new", "root"}
    assert [row.key for row in nodes.ended(2)] == ["old"]


def test_a_row_of_the_running_build_is_forgotten_and_not_ended(nodes: NodeLedger) -> None:
    nodes.add([node("a")], 2)
    nodes.end(["a"], 2)
    assert (nodes.nodes(2), nodes.ended(2)) == ([], [])


def test_a_row_that_was_ended_too_early_lives_on(nodes: NodeLedger) -> None:
    nodes.add([node("a")], 1)
    nodes.end(["a"], 2)
    nodes.revive(["a"])
    assert (keys(nodes, 2), nodes.ended(2)) == ({"a"}, [])


def test_what_the_store_lost_of_the_running_build_is_forgotten(nodes: NodeLedger) -> None:
    nodes.add([node("kept")], 1)
    nodes.add([node("lost", ROOT)], 2)
    nodes.forget(["kept", "lost"], 2)
    assert keys(nodes, 2) == {"kept"}


def test_all_that_a_build_did_is_undone_together(nodes: NodeLedger) -> None:
    nodes.add([node("a"), node("b", ROOT)], 1)
    nodes.end(["a"], 2)
    nodes.end(["b"], 3)
    nodes.add([node("c", replace(ROOT, id="c"))], 3)
    nodes.restore(3)
    assert keys(nodes, 3) == {"b"}
    assert [row.key for row in nodes.ended(2)] == ["a"]


def test_nodes_are_erased_and_forgotten_with_their_generations(ledger: Ledger, nodes: NodeLedger) -> None:
    nodes.add([node("a"), node("b", ROOT)], 1)
    nodes.end(["a"], 2)
    nodes.add([node("c", replace(ROOT, id="c"))], 2)
    ledger.erase_after(1)
    assert keys(nodes, 9) == {"a", "b"}
    nodes.end(["a"], 3)
    assert ledger.forget_ended(3) == 1
    assert keys(nodes, 1) == {"b"}


def test_the_rows_of_a_generation_are_those_of_chunks_and_nodes(ledger: Ledger, nodes: NodeLedger) -> None:
    ledger.add_chunks([ChunkRow("k1", "c1", "d1", "x", "x"), ChunkRow("k2", "c2", "d1", "x", "x")], 1)
    nodes.add([node("n")], 1)
    ledger.end_chunks(["k1"], 2)
    assert ledger.live_keys(1) == {"k1", "k2", "n"}
    assert (ledger.live_keys(2, "chunks"), ledger.live_keys(2, "nodes")) == ({"k2"}, {"n"})


def test_chunks_are_given_in_reading_order_once_their_places_are_known(ledger: Ledger) -> None:
    rows = [ChunkRow(key, f"c-{key}", document, "x", "x") for document in ("d1", "d2") for key in
            (f"{document}a", f"{document}b")]  # fmt: skip
    ledger.add_chunks(rows, 1)
    ledger.place_chunks({"d1a": 1, "d1b": 0, "d2a": 0, "d2b": 1})
    assert [name for name, _ in ledger.reading_order(1)] == ["c-d1b", "c-d1a", "c-d2a", "c-d2b"]


OLDER = """
CREATE TABLE plain AS SELECT key, id, document, digest, embedded, since, until FROM chunks;
DROP TABLE chunks; DROP TABLE nodes;
CREATE TABLE chunks (key TEXT PRIMARY KEY, id TEXT NOT NULL, document TEXT NOT NULL, digest TEXT NOT NULL,
  embedded TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX chunks_document ON chunks (document, until);
CREATE INDEX chunks_embedded ON chunks (embedded);
INSERT INTO chunks SELECT * FROM plain; DROP TABLE plain;
DROP TABLE readings;
CREATE TABLE readings (key TEXT PRIMARY KEY, source TEXT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO readings VALUES ('picture', 'm/scan.pdf', 'what it shows');
"""


def test_an_older_ledger_is_completed_and_loses_nothing(tmp_path: Path) -> None:
    row = ChunkRow("k1", "c1", "d1", "digest", "embedded", 7)
    older = Ledger(tmp_path, create=True)
    older.add_chunks([row, ChunkRow("k2", "c2", "d1", "x", "y", 8)], 1)
    older.end_chunks(["k2"], 2)
    older.script(OLDER)
    older.close()
    opened = Ledger(tmp_path)
    opened.complete()
    assert opened.chunks("d1", 2) == [replace(row, ordinal=0)]
    assert opened.live_keys(1) == {"k1", "k2"}
    assert opened.embedded_rows(["embedded"]) == {"embedded": "k1"}
    NodeLedger(opened).add([node("n")], 2)
    opened.complete()
    assert opened.count("nodes", 2) == 1
    indexes = {found["name"] for found in opened.rows("SELECT name FROM sqlite_master WHERE type = 'index'")}
    assert {"chunks_document", "chunks_embedded"} <= indexes
    readings = ReadingLedger(opened)
    assert readings.get("picture") == "what it shows"
    readings.put("picture", "m/scan.pdf", "ocr-1", "what it shows now")
    assert readings.get("picture") == "what it shows now"
    assert opened.forget_ended(1) == 0
    opened.close()


def test_a_ledger_that_no_step_leads_on_from_names_the_way_to_the_cost(ledger: Ledger) -> None:
    ledger.script("DROP TABLE roots; CREATE TABLE roots (name TEXT PRIMARY KEY, spec TEXT NOT NULL);")
    with pytest.raises(IndexIncompatible, match=r"roots: no path.* treegraph plan"):
        ledger.complete()


def test_of_several_statements_all_are_done_or_none(ledger: Ledger) -> None:
    with pytest.raises(StoreError, match="nowhere"):
        ledger.script("CREATE TABLE other (key TEXT); INSERT INTO nowhere VALUES (1);")
    assert ledger.rows("SELECT name FROM sqlite_master WHERE name = 'other'") == []
    ledger.set_note("a", "b")
    assert ledger.note("a") == "b"
