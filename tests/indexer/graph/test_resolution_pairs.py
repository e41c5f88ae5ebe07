"""Which names are one thing: labelled pairs of mentions in small documents, read as a build reads them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from treegraph.indexer.graph.assembly import Assembled, ExtractedChunk, assemble
from treegraph.indexer.graph.edits import Edits
from treegraph.indexer.graph.extraction import Named, Passage
from treegraph.indexer.graph.patterns import PatternExtractor
from treegraph.indexer.models import load_embedder
from treegraph.indexer.models.settings import EmbedSettings
from treegraph.indexer.names import form
from treegraph.indexer.stores.graph_rows import ChunkPlace

INDEX_ID = "0b5cf0ff-6a50-4a36-9d5c-6d1f6f6e4b1a"
_LINES = [json.loads(line) for line in (Path(__file__).parent / "mention_pairs.jsonl").open(encoding="utf-8")]
CHUNKS = [line for line in _LINES if "chunk" in line]
PAIRS = [line for line in _LINES if "kind" in line]


@pytest.fixture(scope="module")
def chunks() -> list[ExtractedChunk]:
    embedder, extractor = load_embedder(EmbedSettings()), PatternExtractor()
    vectors = embedder.embed([line["text"] for line in CHUNKS])
    return [_read(line, extractor, vector) for line, vector in zip(CHUNKS, vectors, strict=True)]


@pytest.fixture(scope="module")
def assembled(chunks: list[ExtractedChunk]) -> Assembled:
    return assemble(chunks, INDEX_ID)


def _read(line: Mapping[str, Any], extractor: PatternExtractor, vector: Any) -> ExtractedChunk:
    """A chunk as it is read, with the labelled mentions that patterns do not see: what counts is which of
    them are brought together."""
    passage = Passage(line["chunk"], line["document"], line["text"], language=line["language"])
    extraction = extractor.extract(passage)
    found = {form(name) for each in extraction.names for name in (each.name, *each.aliases)}
    given = sorted(
        {
            name
            for pair in PAIRS
            for chunk, name in (pair["a"], pair["b"])
            if chunk == line["chunk"] and form(name) not in found
        }
    )
    extraction = replace(extraction, names=(*extraction.names, *map(Named, given)))
    ordinal = int(line["chunk"].rsplit(".", 1)[1])
    place = ChunkPlace(line["chunk"], line["document"], line["document"], "", ordinal, None, "public")
    return ExtractedChunk(place, extraction, line["language"], np.asarray(vector))


def _named(assembled: Assembled) -> dict[tuple[str, str], str]:
    return {(row.chunk, name): row.entity for row in assembled.mentions for name in row.forms}


def _figures(assembled: Assembled, pairs: Iterable[Mapping[str, Any]]) -> tuple[float, float]:
    """Precision and recall of "the same thing" over pairs of mentions."""
    named = _named(assembled)
    right = wrong = same = 0
    for pair in pairs:
        ends = [named.get((chunk, form(name))) for chunk, name in (pair["a"], pair["b"])]
        joined = ends[0] is not None and ends[0] == ends[1]
        same += pair["same"]
        right += joined and pair["same"]
        wrong += joined and not pair["same"]
    return right / (right + wrong), right / same


def test_there_are_pairs_of_every_kind() -> None:
    assert len(PAIRS) >= 300
    kinds = {pair["kind"] for pair in PAIRS}
    assert {"acronym", "homonym", "inflection", "version"} <= kinds


def test_pairs_are_told_apart_and_brought_together(assembled: Assembled) -> None:
    precision, recall = _figures(assembled, PAIRS)
    assert precision >= 0.98
    assert recall >= 0.85


def test_so_are_pairs_that_nothing_was_chosen_by(assembled: Assembled) -> None:
    precision, recall = _figures(assembled, [pair for pair in PAIRS if pair["half"] == "held"])
    assert precision >= 0.97
    assert recall >= 0.85


def test_the_order_of_the_chunks_does_not_matter(chunks: list[ExtractedChunk], assembled: Assembled) -> None:
    again = assemble([*reversed(chunks)], INDEX_ID)
    assert (again.entities, again.mentions, again.relations) == (
        assembled.entities,
        assembled.mentions,
        assembled.relations,
    )


def test_edits_by_hand_hold_and_can_be_taken_back(chunks: list[ExtractedChunk], assembled: Assembled) -> None:
    before = _named(assembled)
    one, other = ("cpu-guide.1", form("CR0")), ("cpu-guide.1", form("CR4"))
    assert before[one] != before[other]
    edits = Edits().merge("CR0", "CR4")
    merged = _named(assemble(chunks, INDEX_ID, edits))
    assert merged[one] == merged[other]
    (edit,) = edits.merges
    assert _named(assemble(chunks, INDEX_ID, edits.without(edit))) == before
    assert Edits.from_json(edits.to_json()) == edits


def test_every_end_of_a_relation_is_an_entity_with_a_mention(assembled: Assembled) -> None:
    entities = {row.id for row in assembled.entities}
    assert {row.entity for row in assembled.mentions} == entities
    assert {end for row in assembled.relations for end in (row.source, row.target)} <= entities
    assert all(row.source != row.target and row.evidence for row in assembled.relations)
