"""An index whose folder another index took over: of the same number, under an open one and its tools."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from folder_copies import copy_folder
from hanging import Hanging
from page_pictures import text_pdf
from small_index import build, manual, open_small
from small_plant import PLANT
from small_shelf import LEAST, box
from treegraph.query.hybrid import HybridRetriever
from treegraph.query.index import Index

QUESTION = "Which key opens the cabinet?"


def _text(key: str) -> str:
    return f"# Cabinet\n\n## Keys\n\nThe {key} KEY-7 opens the cabinet. KEY-7 requires LOCK-3.\n" * 6


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two indexes of one generation each."""
    home = tmp_path_factory.mktemp("replaced")
    for key in ("red", "blue"):
        build(home / key, manual(home / f"{key}-docs", cabinet=_text(key)), config=PLANT)
    return home / "red", home / "blue"


@pytest.fixture
def place(built: tuple[Path, Path], tmp_path: Path) -> Path:
    return copy_folder(built[0], tmp_path / "index")


@pytest.fixture
def hanging() -> Iterator[Hanging]:
    held = Hanging()
    yield held
    held.go.set()


def replace(place: Path, other: Path) -> None:
    """Put the content of another index in its place."""
    copy_folder(other, place.with_name("new"))
    place.rename(place.with_name("old"))
    place.with_name("new").rename(place)
    shutil.rmtree(place.with_name("old"))


def said(index: Index) -> str:
    first = index.search(QUESTION, k=1)[0]
    assert index.read(first.id).text
    assert index.page_texts(first.citations[0].source) == {}
    return first.text


def test_pages_are_drawn_from_the_files_of_the_index_in_its_place(tmp_path: Path) -> None:
    for name, sheet in (("one", ("The red key.",)), ("other", ("The blue key.", "It opens the cabinet."))):
        (tmp_path / name / "m").mkdir(parents=True)
        text_pdf(tmp_path / name / "m" / "keys.pdf", [sheet] * len(sheet))
        build(tmp_path / f"{name}.index", tmp_path / name / "m", without=["tree", "graph"])
    with open_small(tmp_path / "one.index", follow=True) as index:
        assert len(index.show("m/keys.pdf@1", dpi=36)) == 1
        replace(tmp_path / "one.index", tmp_path / "other.index")
        shutil.rmtree(tmp_path / "one")
        assert [page.number for page in index.show("m/keys.pdf@1-2", dpi=36)] == [1, 2]


def test_an_index_of_the_same_number_in_its_place_is_noticed(built: tuple[Path, Path], place: Path) -> None:
    with open_small(place) as still, open_small(place, follow=True) as moving:
        assert "red" in said(still)
        assert still.search("overview of the cabinet", route="tree")
        assert moving.entity("KEY-7")
        replace(place, built[1])
        assert still.generation == moving.generation == 1
        assert "blue" in said(moving)
        assert moving.entity("KEY-7").entity.name == "KEY-7"
        assert still.refresh()
        assert not still.refresh()
        assert "blue" in said(still)
        assert "red" not in "".join(hit.text for hit in still.search("overview of the cabinet", route="tree"))


def test_a_search_under_way_ends_with_what_it_began(
    built: tuple[Path, Path], place: Path, hanging: Hanging, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HybridRetriever, "__call__", hanging.around(HybridRetriever.__call__))
    with open_small(place, follow=True) as index, ThreadPoolExecutor(1) as pool:
        under_way = pool.submit(index.search, QUESTION)
        while not hanging.entered:
            pass
        replace(place, built[1])
        assert index.refresh()
        hanging.go.set()
        assert "red" in under_way.result(30)[0].text
        assert "blue" in said(index)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="open files are counted under /proc")
def test_nothing_of_the_former_stays_open(built: tuple[Path, Path], place: Path) -> None:
    with open_small(place, follow=True) as index:
        said(index)
        for other in (built[1], built[0], built[1]):
            replace(place, other)
            said(index)
        open_files = [file.readlink() for file in Path("/proc/self/fd").iterdir() if file.is_symlink()]
    ledgers = [file for file in open_files if str(place.parent) in str(file) and "ledger" in file.name]
    assert not [file for file in ledgers if "(deleted)" in str(file)]


def test_the_tools_answer_from_the_new_index_and_refuse_the_olds_cursor(
    built: tuple[Path, Path], place: Path
) -> None:
    with open_small(place, follow=True) as index:
        tools = box(index, tokens=LEAST)
        before = tools.call("search", {"question": QUESTION}).document
        assert "red" in before["hits"][0]["text"]
        replace(place, built[1])
        reply = tools.call("search", {"question": QUESTION, "cursor": before["more"]})
        assert reply.failed
        assert "replaced by another" in reply.document["error"]
        assert "without the cursor" in reply.document["try"]
        after = tools.call("search", {"question": QUESTION}).document
        assert (after["generation"], before["generation"]) == (1, 1)
        assert "blue" in after["hits"][0]["text"]
