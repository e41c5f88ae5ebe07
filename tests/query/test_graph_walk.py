"""The walk over arrays: its weights, its bounds, and hops that are known."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_graph import Said, build
from treegraph.indexer.stores.graph_ports import Subgraph
from treegraph.query.access import Access
from treegraph.query.graph_arrays import WalkGraph

MENTIONS = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 9)), min_size=1, max_size=60, unique=True)
RELATIONS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=20)


def graph(mentions: Sequence[tuple[int, int]], relations: Sequence[tuple[int, int]] = ()) -> Subgraph:
    """Ten entities and fifteen chunks."""
    chunk, entity = (np.array([pair[at] for pair in mentions], dtype=np.int32) for at in (0, 1))
    source, target = (np.array([pair[at] for pair in relations], dtype=np.int32) for at in (0, 1))
    return Subgraph(
        entities=tuple(f"e{n}" for n in range(10)),
        chunks=tuple(f"c{n}" for n in range(15)),
        mention_chunk=chunk,
        mention_entity=entity,
        mention_count=np.ones(len(mentions), dtype=np.int32),
        mention_subject=np.zeros(len(mentions), dtype=np.bool_),
        relation_source=source,
        relation_target=target,
        relation_weight=np.ones(len(relations)),
        chunk_count=np.bincount(entity, minlength=10).astype(np.int32),
        total=15,
        whole=True,
    )


@settings(max_examples=60, deadline=None)
@given(MENTIONS, RELATIONS, st.integers(0, 24))
def test_a_walk_settles_where_the_equation_says(
    mentions: list[tuple[int, int]], relations: list[tuple[int, int]], start: int
) -> None:
    walk = WalkGraph(graph(mentions, relations), common=1.0)
    seeds = np.zeros(walk.size)
    seeds[start] = 1.0
    now = walk.walk(seeds, restart=0.5, steps=60)
    assert now.min() >= 0
    assert now.sum() <= 1 + 1e-9
    for place in range(walk.size):
        _, passed = walk.came_from(place, now)
        assert now[place] == pytest.approx(0.5 * seeds[place] + 0.5 * passed.sum(), abs=1e-3)


@settings(max_examples=40, deadline=None)
@given(MENTIONS, st.randoms())
def test_the_order_of_mentions_changes_nothing(
    mentions: list[tuple[int, int]], shuffler: random.Random
) -> None:
    shuffled = list(mentions)
    shuffler.shuffle(shuffled)
    seeds = np.full(25, 1 / 25)
    one, other = (WalkGraph(graph(pairs), 1.0).walk(seeds, 0.5, 25) for pairs in (mentions, shuffled))
    assert np.allclose(one, other, atol=1e-9)


def test_what_most_chunks_name_passes_nothing_on() -> None:
    pairs = [(chunk, 0) for chunk in range(15)] + [(0, 1), (1, 1)]
    walk = WalkGraph(graph(pairs), common=0.2)
    seeds = np.zeros(walk.size)
    seeds[walk.place["c0"]] = 1.0
    now = walk.walk(seeds, 0.5, 25)
    assert now[walk.place["e0"]] == 0
    assert now[walk.place["c1"]] > 0
    assert now[walk.place["c2"]] == 0


def test_two_hops_are_found_among_decoys(tmp_path: Path) -> None:
    """Gadgets that need parts that makers make: what is asked names the gadget and wants the maker."""
    chance = random.Random(7)
    names = [f"{a}{b}{n}" for n, (a, b) in enumerate((a, b) for a in "KLMNPRSTVZ" for b in "aeiou")]
    chance.shuffle(names)
    gadgets, parts, makers = names[:15], names[15:30], names[30:45]
    said: list[Said] = []
    for gadget, part, maker in zip(gadgets, parts, makers, strict=True):
        condition = "if the lid is shut"
        said += [
            Said(f"{gadget} needs {part} {condition}.", gadget, states=[(gadget, "needs", part, condition)]),
            Said(f"{part} comes from the works of {maker}.", part, states=[(part, "comes from", maker, "")]),
            Said(f"{maker} has works near the coast.", maker),
            Said(f"Parts that come from works near {gadget} are often lost.", f"Note on {gadget}"),
        ]
    chance.shuffle(said)
    built = build(tmp_path, said)
    hits = 0
    for gadget, part in zip(gadgets, parts, strict=True):
        asked = f"from whose works comes the part that {gadget} needs"
        found = [one.payload["text"] for one in built.ask(asked, Access(), 5).candidates]
        wanted = (f"{gadget} needs {part} if", f"{part} comes from")
        hits += all(any(text.startswith(start) for text in found) for start in wanted)
    built.close()
    assert hits >= 14
