"""The tools while the index moves on, and from many threads."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import treegraph
from folder_copies import copy_folder
from hash_embedder import FakeHashEmbedder
from small_plant import PLANT
from small_shelf import CALLS, LEAST, box
from treegraph.query.index import Index


@pytest.fixture
def own(folder: Path, tmp_path: Path) -> Iterator[Index]:
    """A copy of the index, to write into."""
    path = copy_folder(folder / "index", tmp_path / "index")
    with treegraph.open_index(path, config=PLANT, embedder=FakeHashEmbedder(), follow=True) as opened:
        yield opened


def note(text: str) -> treegraph.Document:
    content = treegraph.Content(text=text, media_type="text/plain")
    return treegraph.Document(id="note", source="note", title="A note", content=content)


def test_a_cursor_says_so_when_the_index_moved_on(own: Index) -> None:
    tools = box(own, tokens=LEAST)
    before = tools.call("outline", {"depth": 6}).document
    own.upsert([note("The red key opens the cabinet.")])
    reply = tools.call("outline", {"depth": 6, "cursor": before["more"]})
    assert reply.failed
    assert "from generation 1 to 2" in reply.document["error"]
    assert "without the cursor" in reply.document["try"]
    assert tools.call("outline", {"depth": 6}).document["generation"] == 2


def test_calls_side_by_side_answer_while_a_writer_publishes(own: Index) -> None:
    tools = box(own)
    with ThreadPoolExecutor(6) as pool:
        work = []
        for edition in (1, 2):
            work += [pool.submit(tools.call, *CALLS[at % len(CALLS)]) for at in range(30)]
            own.upsert([note(f"The red key is of edition {edition}.")])
        replies = [each.result() for each in work]
    assert [reply.text for reply in replies if reply.failed and "changing" not in reply.text] == []
    assert {reply.document["generation"] for reply in replies} <= {1, 2, 3}
    after = tools.call("search", {"question": "Which edition is the red key of?", "k": 1}).document
    assert (after["generation"], after["hits"][0]["text"]) == (3, "The red key is of edition 2.")


def test_an_emptied_index_says_that_nothing_is_there(own: Index, tmp_path: Path) -> None:
    treegraph.remove(tmp_path / "index", ["shelf"], yes=True)
    tools = box(own)
    assert tools.call("documents", {}).document["total"] == 0
    reply = tools.call("search", {"question": "red key"})
    assert (reply.failed, reply.document["hits"]) == (False, [])
    assert "documents" in reply.document["hint"]
