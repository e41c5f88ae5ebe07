"""Generations: what readers see while builds, rollbacks and garbage collection go on."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import treegraph
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from small_index import CONFIG, open_small
from treegraph.indexer.stores.locks import writer_lock
from treegraph.query.index import Index


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "m"
    folder.mkdir()
    return folder


def publish(source: Path, index: Path, text: str) -> treegraph.BuildReport:
    (source / "a.md").write_text(f"# A\n\n{text}\n")
    return treegraph.build_index([source], index, config=CONFIG, embedder=FakeHashEmbedder())


def texts(index: Index) -> list[str]:
    return [hit.text for hit in index.search("speed", k=5).hits]


def test_an_open_index_keeps_its_generation_until_refreshed(source: Path, index: Path) -> None:
    publish(source, index, "speed one")
    with open_small(index) as reader, open_small(index, follow=True) as follower:
        for word in ("two", "three", "four"):
            publish(source, index, f"speed {word}")
        assert ["one" in text for text in texts(reader)] == [True]
        assert ["four" in text for text in texts(follower)] == [True]
        assert reader.refresh()
        assert ["four" in text for text in texts(reader)] == [True]


def test_two_generations_are_kept_and_leased_ones_besides(source: Path, index: Path) -> None:
    publish(source, index, "speed one")
    with open_small(index):
        for word in ("two", "three", "four"):
            publish(source, index, f"speed {word}")
        assert set(treegraph.status(index)["generations"]) == {"1", "3", "4"}
    treegraph.gc(index)
    assert set(treegraph.status(index)["generations"]) == {"3", "4"}
    assert sorted(path.name for path in (index / "vectors").iterdir()) == ["g3", "g4"]


def test_rollback_publishes_the_one_before_and_the_next_build_goes_on_from_there(
    source: Path, index: Path
) -> None:
    publish(source, index, "speed one")
    before = published_content(index)
    publish(source, index, "speed two")
    assert treegraph.rollback(index)["published"] == 1
    assert published_content(index) == before
    report = publish(source, index, "speed three")
    assert report.generation == 3
    with open_small(index) as reader:
        assert ["three" in text for text in texts(reader)] == [True]
    assert set(treegraph.status(index)["generations"]) == {"1", "3"}


def test_there_is_nothing_before_the_first_generation(source: Path, index: Path) -> None:
    publish(source, index, "speed one")
    with pytest.raises(treegraph.GenerationGone, match="no generation before"):
        treegraph.rollback(index)


def test_a_reader_of_a_rolled_back_generation_is_named(source: Path, index: Path) -> None:
    publish(source, index, "speed one")
    publish(source, index, "speed two")
    with open_small(index) as reader:
        treegraph.rollback(index)
        with pytest.raises(treegraph.WorkError, match="rolled back, but process"):
            publish(source, index, "speed three")
        reader.refresh()
        assert publish(source, index, "speed three").generation == 3


def test_a_state_that_comes_back_is_published_again(source: Path, index: Path) -> None:
    publish(source, index, "speed one")
    first = published_content(index)
    publish(source, index, "speed two")
    publish(source, index, "speed one")
    again = published_content(index)
    assert again["rows"] == first["rows"]


def test_a_second_writer_is_told_who_holds_the_lock(source: Path, index: Path) -> None:
    import os

    publish(source, index, "speed one")
    with writer_lock(index), pytest.raises(treegraph.IndexLocked, match=f"process {os.getpid()}"):
        publish(source, index, "speed two")


def test_cancelling_keeps_what_is_done_and_the_same_call_goes_on(source: Path, index: Path) -> None:
    for n in range(6):
        (source / f"p{n}.md").write_text(f"# P{n}\n\nspeed {n}\n")
    cancel = threading.Event()

    def stop_soon(event: treegraph.Event) -> None:
        if event.stage == "index":
            cancel.set()

    with pytest.raises(treegraph.Cancelled):
        treegraph.build_index(
            [source],
            index,
            config=CONFIG,
            embedder=FakeHashEmbedder(delay=0.02),
            on_event=stop_soon,
            cancel=cancel,
        )
    assert treegraph.status(index)["generation"] is None
    report = treegraph.build_index([source], index, config=CONFIG, embedder=FakeHashEmbedder())
    assert report.generation == 1
    assert len(published_content(index)["documents"]) == 6


def test_documents_handed_over_are_added_replaced_and_deleted_by_their_ids(source: Path, index: Path) -> None:
    publish(source, index, "speed one")
    with open_small(index) as reader:
        content = treegraph.Content("The fan runs at 40 percent speed.", "text/plain")
        document = treegraph.Document(id="note-7", source="note-7", title="Fan", content=content)
        assert reader.upsert([document]).added == ["note-7"]
        assert any("fan runs" in text for text in texts(reader))
        publish(source, index, "speed two")
        reader.refresh()
        assert any("fan runs" in text for text in texts(reader)), "a mirror took what it does not own"
        louder = treegraph.Content("The fan runs at full speed.", "text/plain")
        changed = treegraph.Document(id="note-7", source="note-7", title="Fan", content=louder)
        assert reader.upsert([changed]).changed == ["note-7"]
        assert not any("40 percent" in text for text in texts(reader))
        assert reader.delete(["note-7", "never-there"]).removed == ["note-7"]
        assert not any("fan" in text for text in texts(reader))
