"""A handbook with a chapter on SIMD extensions, through a real build and the real encoder: the chapter as
a whole answers for itself, and a single fact is answered by the passage that holds it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import treegraph
from treegraph.query.index import Index

HANDBOOK = Path(__file__).parent / "manuals" / "core-handbook.md"


@pytest.fixture(scope="module")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    path = tmp_path_factory.mktemp("handbook") / "index"
    report = treegraph.build_index([HANDBOOK], path)
    assert report.nodes > 0
    with treegraph.open_index(path) as index:
        yield index


def test_the_overview_of_a_chapter_is_a_node_over_its_sections(handbook: Index) -> None:
    first = handbook.search("overview of the SIMD extensions", k=5, route="tree").hits[0]

    assert first.kind == "node"
    sections = {citation.section[-1] for citation in first.citations}
    assert {"MMX", "SSE", "AVX"} <= sections
    assert all(citation.chunk for citation in first.citations)
    assert first.path is not None
    assert first.path[-1]["id"] == first.id


def test_a_single_fact_is_the_leaf_that_holds_it(handbook: Index) -> None:
    first = handbook.search("how wide are XMM registers", k=5, route="tree").hits[0]

    assert first.kind == "chunk"
    assert "128 bits" in first.text
    assert first.path is not None
    assert [step["kind"] for step in first.path][-1] == "chunk"
    assert len(first.path) > 1
