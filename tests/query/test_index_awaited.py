"""The open index under asyncio, and from many threads while a writer publishes."""

from __future__ import annotations

import asyncio
import inspect
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import treegraph
from hash_embedder import FakeHashEmbedder
from small_index import build
from small_plant import PLANT, write_plant
from treegraph.indexer.errors import ConfigurationError
from treegraph.query.index import Index

AWAITED = ("search", "search_many", "ask", "read", "tree", "entity", "entity_path")
QUESTION = "What does the Ring Pressure Monitor require?"


@pytest.fixture(scope="module")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plant")
    build(folder / "index", write_plant(folder / "manuals"), config=PLANT)
    return folder / "index"


def opened(path: Path, **options: Any) -> Index:
    return treegraph.open_index(path, config=PLANT, embedder=FakeHashEmbedder(), **options)


def timeless(result: treegraph.SearchResult) -> dict[str, Any]:
    return {**result.to_json(), "seconds": {}}


def test_what_is_awaited_is_the_same_as_what_is_called(plant: Path) -> None:
    async def ask(index: Index) -> None:
        assert timeless(await index.asearch(QUESTION, k=3, route="graph")) == timeless(
            index.search(QUESTION, k=3, route="graph")
        )
        (many,) = await index.asearch_many([QUESTION], k=2)
        assert timeless(many) == timeless(index.search(QUESTION, k=2))
        assert await index.aread("manuals/unit1.md") == index.read("manuals/unit1.md")
        assert await index.atree(depth=2, labels=[]) == index.tree(depth=2, labels=[])
        assert await index.aentity("RPM") == index.entity("RPM")
        assert await index.aentity_path("RPM", "SOG") == index.entity_path("RPM", "SOG")
        with pytest.raises(ConfigurationError, match="nothing to read"):
            await index.aread("nothing")

    with opened(plant) as index:
        asyncio.run(ask(index))


@pytest.mark.parametrize("name", AWAITED)
def test_an_awaited_method_has_the_signature_of_its_own(name: str) -> None:
    method, awaited = getattr(Index, name), getattr(Index, f"a{name}")
    assert inspect.signature(awaited) == inspect.signature(method)
    assert inspect.iscoroutinefunction(awaited)
    assert (awaited.__name__, awaited.__qualname__) == (f"a{name}", f"Index.a{name}")
    assert awaited.__doc__ == method.__doc__


def test_many_at_once_answer_and_a_cancelled_one_leaves_the_index_usable(plant: Path) -> None:
    async def ask(index: Index) -> None:
        whole = timeless(await index.asearch(QUESTION, k=5))
        tasks = [asyncio.create_task(index.asearch(QUESTION, k=5)) for _ in range(40)]
        await asyncio.sleep(0)
        for task in tasks[::2]:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(result, asyncio.CancelledError) for result in results[::2])
        for result in results[1::2]:
            assert isinstance(result, treegraph.SearchResult)
            assert timeless(result) == whole
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(index.asearch_many([QUESTION] * 200), 0.001)
        assert timeless(await index.asearch(QUESTION, k=5)) == whole

    with opened(plant) as index:
        asyncio.run(ask(index))
    with pytest.raises(ConfigurationError, match="closed"):
        index.search(QUESTION)


def test_threads_read_while_one_writes_and_another_refreshes(tmp_path: Path) -> None:
    build(tmp_path / "index", write_plant(tmp_path / "manuals", 1, 2), config=PLANT)

    def note(edition: int) -> treegraph.Document:
        content = treegraph.Content(text=f"The PFC was painted in {edition}.", media_type="text/plain")
        return treegraph.Document(id="note", source="note", title="Note", content=content)

    def look(index: Index) -> int:
        """Go through every way of reading."""
        result = index.search("When was the PFC painted?", k=1)
        assert "Unit U1" in index.read("manuals/unit1.md").text
        assert index.tree(depth=3).passages
        assert index.entity("PFC").entity.mentions
        index.refresh()
        return result.generation

    with opened(tmp_path / "index") as pinned, opened(tmp_path / "index", follow=True) as index:
        stays = timeless(pinned.search(QUESTION))
        with ThreadPoolExecutor(6) as pool:
            work = []
            for edition in (2001, 2002):
                work += [pool.submit(look, index) for _ in range(20)]
                index.upsert([note(edition)])
            seen = [each.result() for each in work]
        assert set(seen) <= {1, 2, 3}
        assert index.search("When was the PFC painted?", k=1)[0].text == "The PFC was painted in 2002."
        assert timeless(pinned.search(QUESTION)) == stays
