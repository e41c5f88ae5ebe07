"""Lists of candidates joined: nothing twice, nothing lost, the best first."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.query.question import Candidate
from treegraph.query.router.joining import by_rank, in_turn

LISTS = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8), min_size=1, max_size=4)


def candidates(keys: Sequence[str], name: str = "fused") -> list[Candidate]:
    return [
        Candidate(key, {"id": key, "kind": "chunk"}, 1 / rank, 0.5, 1.0, ranks={"dense": None, name: rank})
        for rank, key in enumerate(keys, start=1)
    ]


def keys(found: Sequence[Candidate]) -> list[str]:
    return [one.key for one in found]


def test_what_both_routes_find_comes_first() -> None:
    found = by_rank([candidates("abc"), candidates("bdc", "graph")])
    assert keys(found)[0] == "b"
    assert found[0].ranks == {"dense": None, "fused": 2, "graph": 1}
    assert found[0].score == pytest.approx((61 / 62 + 1) / 2)
    assert keys(found) == ["b", "c", "a", "d"] or keys(found) == ["b", "a", "c", "d"]


def test_a_node_keeps_its_leaves_and_path() -> None:
    node = Candidate(
        "n", {"id": "n", "kind": "node"}, 1.0, 0.5, 0.0, leaves=("a", "b"), path=({"kind": "node"},)
    )
    found = by_rank([[node], candidates("ab")])
    assert next(one for one in found if one.key == "n").leaves == ("a", "b")


def test_lists_take_turns() -> None:
    assert keys(in_turn([candidates("abc"), candidates("bd"), candidates("e")])) == ["a", "b", "e", "d", "c"]


@given(LISTS)
def test_nothing_comes_twice_and_nothing_is_lost(lists: list[list[str]]) -> None:
    for joined in (by_rank, in_turn):
        found = joined([candidates(each) for each in lists])
        assert sorted(keys(found)) == sorted({key for each in lists for key in each})
        scores = [one.score for one in found]
        assert scores == sorted(scores, reverse=True)
        assert all(0 < score <= 1 for score in scores)
        assert keys(joined([candidates(each) for each in lists])) == keys(found)
