"""What nodes are called that have no title of their own."""

from __future__ import annotations

from treegraph.indexer.types import NodeShape
from treegraph.query.tree_map import TreeMap


def node(name: str, level: int, *children: str, title: str = "", documents: str = "a") -> NodeShape:
    return NodeShape(name, level, children, 10, title, tuple(documents.split()))


def book() -> TreeMap:
    """A document of front matter and three chapters, the last of which is but a chunk."""
    shapes = [
        node("front", 1, "0", "1"),
        node("intro", 1, "2", "3", title="1 Introduction"),
        node("part", 1, "4", "5"),
        node("inner", 1, "6", "7", title="2.1 Details"),
        node("use", 2, "part", "inner", title="2 Use"),
        node("both", 3, "intro", "use"),
        node("rest", 3, "front", "use", "8"),
        node("whole", 4, "front", "both", "8"),
        node("all", 5, "whole", "9", documents="a b"),
    ]
    order = [(str(at), "a") for at in range(9)] + [("9", "b")]
    return TreeMap(shapes, order=order, titles={"a": "The book", "b": "A note"})


def test_a_cluster_holds_from_its_first_title_to_its_last() -> None:
    titles = book().titles
    assert titles.holds("both") == "1 Introduction … 2 Use"
    assert titles.holds("rest") == "2 Use"
    assert titles.holds("front") == titles.holds("part") == ""
    assert titles.title("both") == titles.title("front") == ""


def test_what_has_a_title_needs_none_beneath() -> None:
    titles = book().titles
    assert (titles.title("use"), titles.holds("use")) == ("2 Use", "")
    assert (titles.title("whole"), titles.holds("whole")) == ("The book", "")


def test_a_cluster_over_documents_holds_their_titles() -> None:
    assert (book().titles.title("all"), book().titles.holds("all")) == ("", "A note, The book")
    names = " ".join(f"d{at}" for at in range(9))
    tree = TreeMap(
        [node("all", 1, "0", "1", documents=names)], titles={f"d{at}": f"D{at}" for at in range(8)}
    )
    assert tree.titles.holds("all") == "D0, D1, D2 and 5 more"
    assert TreeMap([node("all", 1, "0", "1", documents="x y")]).titles.holds("all") == ""


def test_a_document_of_one_chunk_is_known_by_that_chunk() -> None:
    assert book().singles == {"9": "b"}
    step = book().step("both")
    assert step == {
        "kind": "node",
        "id": "both",
        "title": "",
        "holds": "1 Introduction … 2 Use",
        "level": 3,
    }
