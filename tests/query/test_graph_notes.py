"""Notes on a processor, through a real build and the real encoder: what two hops find and similarity alone
does not, and that a relation is read in its direction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import treegraph
from treegraph.query.index import Index

NOTES = Path(__file__).parent / "manuals" / "processor-notes.md"


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    path = tmp_path_factory.mktemp("notes") / "index"
    report = treegraph.build_index([NOTES], path, without=("tree",))
    assert report.entities > 0
    assert report.relations > 0
    with treegraph.open_index(path) as index:
        yield index


def _sections(found: Any, k: int) -> list[str]:
    return [hit.citations[0].section[-1] for hit in found.hits[:k]]


def _relations(path: tuple[Mapping[str, Any], ...] | None) -> list[tuple[str, str, str]]:
    return [(s["source"], s["type"], s["target"]) for s in path or () if s["kind"] == "relation"]


def test_the_bit_that_an_instruction_needs_is_two_hops_away(notes: Index) -> None:
    found = notes.search(
        "which control register bit must the operating system set before ADDPS can run", k=5, route="graph"
    )
    assert {"ADDPS", "SSE"} <= set(_sections(found, 3))
    assert "CR0" not in _sections(found, 3)
    walked = [relation for hit in found.hits for relation in _relations(hit.path)]
    assert ("ADDPS", "requires", "SSE") in walked
    assert ("SSE", "requires", "CR4.OSFXSR") in walked
    assert not any("CR0.EM" in relation for relation in walked)


def test_the_condition_of_a_relation_comes_out_with_it(notes: Index) -> None:
    entity = notes.entity("CR4.OSFXSR")
    enables = [relation for relation in entity.relations if relation.type == "enables"]
    assert [relation.evidence[0].condition for relation in enables] == ["only if FXSAVE is supported"]


def test_what_requires_a_thing_is_not_what_the_thing_requires(notes: Index) -> None:
    above = notes.search("what requires SSE?", k=1, route="graph").hits[0]
    below = notes.search("what does SSE require?", k=1, route="graph").hits[0]
    assert above.citations[0].section[-1] == "ADDPS"
    assert below.citations[0].section[-1] == "SSE"
