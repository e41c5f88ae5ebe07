"""From what was seen to a route: what speaks for each, and when two are asked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.errors import ConfigurationError
from treegraph.query.router.decision import Evidence, choose
from treegraph.query.router.features import features_of
from treegraph.query.router.probes import Linked, Probes
from treegraph.query.router.settings import RouterSettings

BOTH = ("tree", "graph")
FOUND = Probes(
    relevance=0.9, cosine=0.6, said=0.9, together=0.9, steep=0.4, gathered=0.7, sections=3, documents=1
)
SCATTERED = replace(FOUND, said=0.4, gathered=0.0, documents=10, steep=0.6)


def decide(question: str, probes: Probes = FOUND, names: int = 0, margin: float = 0.3) -> tuple[str, ...]:
    seen = Evidence(features_of(question, ("en",)), probes, Linked(names))
    return choose(seen, BOTH, RouterSettings(margin=margin)).used


def test_a_fact_is_hybrids() -> None:
    assert decide("When does the relief valve open?", names=1) == ("hybrid",)
    assert decide("What does E-113 mean?", names=1) == ("hybrid",)
    assert decide("E-113") == ("hybrid",)
    assert decide("linestyle") == ("hybrid",)


def test_a_whole_and_a_subject_are_the_trees() -> None:
    assert decide("an overview of the relief valves") == ("tree",)
    assert decide("Two-dimensional plots") == ("tree",)


def test_a_chain_of_names_over_scattered_passages_is_the_graphs() -> None:
    question = "Who is the mayor of the birthplace of the author of Dunmore Mill?"
    assert decide(question, SCATTERED, names=2) == ("graph",)
    assert decide(question, SCATTERED, names=0) == ("hybrid",), "the graph knows none of the names"


def test_a_route_that_is_hardly_ahead_is_joined_with_hybrid() -> None:
    question, between = "Who keeps the mill of Dunmore?", replace(SCATTERED, gathered=0.6)
    assert decide(question, between, names=1) == ("graph", "hybrid")
    assert decide(question, between, names=1, margin=0.0) == ("graph",)


def test_a_route_that_is_not_there_is_not_chosen() -> None:
    seen = Evidence(features_of("overview of valves", ("en",)), FOUND, Linked())
    found = choose(seen, ("graph",), RouterSettings())
    assert found.used == ("hybrid",)
    assert "tree" not in found.scores


def test_the_reasons_are_those_that_count() -> None:
    seen = Evidence(features_of("an overview of the relief valves", ("en",)), FOUND, Linked())
    assert "it asks for a whole" in choose(seen, BOTH, RouterSettings()).why


SHARE = st.floats(0, 1)


@given(
    st.text(max_size=60),
    st.builds(
        Probes, SHARE, SHARE, SHARE, SHARE, SHARE, SHARE, SHARE, st.integers(0, 10), st.integers(0, 10), SHARE
    ),
    st.builds(Linked, st.integers(0, 9), st.integers(0, 9), st.booleans()),
    st.booleans(),
    st.sets(st.sampled_from(BOTH)),
)
def test_scores_are_shares_and_the_first_route_has_the_highest(
    text: str, probes: Probes, linked: Linked, titled: bool, available: set[str]
) -> None:
    found = choose(Evidence(features_of(text, ("en",)), probes, linked, titled), available, RouterSettings())
    assert found.scores.keys() == {"hybrid", *available}
    assert all(0 <= score <= 1 for score in found.scores.values())
    assert found.scores[found.used[0]] == max(found.scores.values())
    assert set(found.used) <= {"hybrid", *available}
    assert found.why


@pytest.mark.parametrize("setting", [{"margin": -0.1}, {"margin": 1.1}, {"parts": 0}, {"retry": -1.0}])
def test_settings_out_of_their_range_are_refused(setting: dict[str, float]) -> None:
    with pytest.raises(ConfigurationError, match=f"router.{next(iter(setting))}"):
        RouterSettings(**setting)  # type: ignore[arg-type]
