"""What is chosen does not depend on the order in which a set happens to have its terms."""

from __future__ import annotations

from treegraph.indexer.tree.coverage import Covered, Option, choose


def test_options_that_are_worth_the_same_are_taken_by_their_place() -> None:
    weights = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.1, "e": 0.2, "f": 0.3}
    falling, rising = dict.fromkeys("cba").keys(), dict.fromkeys("def").keys()
    assert sum(weights[term] for term in falling) != sum(weights[term] for term in rising)
    for terms in ((falling, rising), (rising, falling)):
        options = [Option(each, 5) for each in terms]
        assert choose(options, weights, Covered(), 5, 0.0) == [0]
