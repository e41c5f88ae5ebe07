"""``treegraph tree``, and what the other commands show of the tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from command_line import Here, treegraph

CHAPTERS = ("Pressure", "Cleaning", "Transport", "Storage")
TEXT = (
    "Step {number} of {subject} takes {number} minutes and is written into the log of the device. "
    "Whoever does it checks valve V{number} first. "
)


@pytest.fixture(scope="session")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a PDF of four chapters and a note that is not for everybody, and an index of both."""
    folder = tmp_path_factory.mktemp("planted")
    manuals = folder / "manuals"
    manuals.mkdir()
    book = pymupdf.open()
    for chapter in CHAPTERS:
        for part in range(2):
            steps = (TEXT.format(number=part * 8 + number, subject=chapter.lower()) for number in range(1, 9))
            book.new_page().insert_textbox((50, 50, 500, 780), f"{chapter}\n\n" + "".join(steps), fontsize=11)
    book.set_toc([[1, chapter, 2 * number + 1] for number, chapter in enumerate(CHAPTERS)])
    book.save(manuals / "pump.pdf")
    (manuals / "pump.pdf.meta.toml").write_text('title = "Heat\\u001b[31m pump"\n', "utf-8")
    (manuals / "notes.txt").write_text("The warranty ends after two years.\n", "utf-8")
    (manuals / "notes.txt.meta.toml").write_text('labels = ["dealer"]\n', "utf-8")
    built = treegraph(folder, "build", "manuals")
    assert built.code == 0, built.err
    (folder / "built.txt").write_text(built.out, "utf-8")
    return folder


@pytest.fixture
def there(planted: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    return Here.entered(planted, monkeypatch, capsys)


def walk(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node["children"]:
        yield from walk(child)


def test_the_tree_is_printed_as_folders_are(there: Here) -> None:
    done = there("tree", "--depth", "5")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert re.search(r"\((\d+) passages, 2 documents, \d+ tokens\)$", lines[0])
    pressure = next(line for line in lines if "Pressure" in line)
    assert re.search(r"[├└]── Pressure  \(\d+ passages, p\. 1-2, \d+ tokens", pressure)
    assert any("manuals/pump.pdf, p. 1-8" in line for line in lines)
    assert lines[0].startswith("Heat[31m pump, notes.txt  (")
    assert any(re.search(r"[├└]── notes\.txt  \(1 passage, manuals/notes\.txt\)$", line) for line in lines)
    assert re.fullmatch(r"\d+ nodes, \d+ passages", lines[-1])
    assert "\x1b" not in done.out


def test_the_same_tree_is_one_json_document(there: Here) -> None:
    root = there("tree", "--depth", "9", "--json").json("tree")
    nodes = list(walk(root))
    assert {"Pressure", "Cleaning", "Transport", "Storage"} <= {node["title"] for node in nodes}
    assert root["documents"] == ["manuals/notes.txt", "manuals/pump.pdf"]
    pressure = next(node for node in nodes if node["title"] == "Pressure")
    assert pressure["pages"] == [1, 2]
    shallow = there("tree", "--depth", "1", "--json").json("tree")
    assert all(not child["children"] for child in shallow["children"])
    assert sum(child["folded"] for child in shallow["children"]) > 0
    shown = there("tree", "--depth", "9", "--ids").out
    assert shown == there("tree", "--depth", "9", "-v").out
    assert all(node["id"] in shown for node in nodes)
    assert not any(node["id"] in there("tree", "--depth", "9").out for node in nodes)


def test_a_branch_of_it_is_shown_by_name(there: Here) -> None:
    book = there("tree", "manuals/pump.pdf", "--json").json("tree")
    assert book["documents"] == ["manuals/pump.pdf"]
    again = there("tree", book["id"], "--json").json("tree")
    assert again == book
    assert there("tree", book["id"]).out.splitlines()[0].startswith("Heat[31m pump")


def test_readers_see_what_is_open_to_them(there: Here) -> None:
    whole = there("tree", "--depth", "0", "--json").json("tree")
    public = there("tree", "--labels", "", "--json").json("tree")
    assert public["documents"] == ["manuals/pump.pdf"]
    assert whole["id"] not in {node["id"] for node in walk(public)}
    assert there("tree", "--labels", "dealer", "--depth", "0", "--json").json("tree") == whole
    refused = there("tree", whole["id"], "--labels", "")
    assert (refused.code, "no node to show" in refused.err) == (2, True)
    unread = there("read", whole["id"], "--labels", "", "--json")
    assert (unread.code, "nothing to read" in unread.err) == (2, True)


def test_a_node_is_read_whole(there: Here) -> None:
    book = there("tree", "manuals/pump.pdf", "--json").json("tree")
    reading = there("read", book["id"], "--json").json("read")
    assert (reading["kind"], reading["text"]) == ("node", book["summary"])
    assert reading["pages"] == list(range(1, 9))
    assert {citation["source"] for citation in reading["citations"]} == {"manuals/pump.pdf"}
    shown = there("read", book["id"])
    assert shown.code == 0
    for part in (f"summary of {book['passages']} passages, p. 1-8", "below: ", "Pressure", "above: "):
        assert part in shown.out
    over = there("read", reading["above"][0]["id"]).out.splitlines()
    assert over[2] == "2 documents: Heat[31m pump; notes.txt"
    assert f"above: {reading['above'][0]['id']} Heat[31m pump, notes.txt" in shown.out
    chunk = there("read", reading["citations"][0]["chunk"], "--json").json("read")
    kinds = [step["kind"] for step in chunk["above"]]
    assert kinds[:2] == ["document", "section"]
    assert book["id"] in [step.get("id") for step in chunk["above"]]
    assert book["id"] in there("read", chunk["id"]).out


def test_a_search_of_the_tree_says_what_a_summary_stands_for(there: Here) -> None:
    arguments = ("search", "steps of cleaning and their minutes", "--route", "tree", "-k", "20")
    found = there(*arguments, "--json").json("search")
    assert found["route"]["used"] == ["tree"]
    assert [hit["ranks"]["tree"] for hit in found["hits"]] == list(range(1, len(found["hits"]) + 1))
    assert all(hit["path"][-1]["id"] == hit["id"] for hit in found["hits"])
    node = next(hit for hit in found["hits"] if hit["kind"] == "node")
    assert len(node["citations"]) == node["passages"] > 1
    shown = there(*arguments, "--explain").out
    assert f"summary of {node['passages']} passages, p. " in shown
    titles = [step["title"] for step in node["path"] if step["title"]]
    assert re.search(r"path +.*" + re.escape(titles[-1]), shown)


def test_nodes_are_counted(there: Here, planted: Path) -> None:
    status = there("status", "--json").json("status")
    shown = list(walk(there("tree", "--depth", "99", "--json").json("tree")))
    assert status["nodes"] == sum(view["level"] > 0 for view in shown)
    assert status["structures"]["tree"] == {"generation": 1, "behind": False}
    shown = there("status").out
    assert f"{status['nodes']} nodes" in shown
    assert re.search(r"^tree +.*shape outline", shown, re.M)
    assert f"{status['nodes']} nodes" in (planted / "built.txt").read_text("utf-8")


def test_an_index_without_a_tree_names_the_command_that_builds_it(there: Here, tmp_path: Path) -> None:
    index = str(tmp_path / "bare.index")
    built = there("build", "manuals", "--without", "tree", "-i", index, "--json", "-q").json("build")
    assert (built["nodes"], built["behind"]) == (0, {})
    refused = there("tree", "-i", index, "--json")
    assert (refused.code, "treegraph build SOURCE" in refused.err) == (2, True)
    assert refused.json("error")["error"]["exit_code"] == 2
    assert there("search", "valve", "--route", "tree", "-i", index).code == 2
    assert there("status", "-i", index, "--json").json("status")["nodes"] == 0
    completed = there("build", "manuals", "-i", index, "--json", "-q").json("build")
    assert (completed["generation"], completed["nodes"] > 0) == (2, True)
    (there.path / "manuals" / "late.md").write_text("# Late\n\nA late word.\n", "utf-8")
    try:
        behind = there("build", "manuals", "--without", "tree", "-i", index, "-q")
    finally:
        (there.path / "manuals" / "late.md").unlink()
    assert "behind     tree, last whole in generation 2" in behind.out
    assert there("status", "-i", index, "--json").json("status")["structures"]["tree"]["behind"] is True
    shown = there("tree", "-i", index)
    assert (shown.code, "last whole in generation 2 of 3" in shown.err) == (0, True)
    assert there("tree", "-i", index, "-q").err == ""
