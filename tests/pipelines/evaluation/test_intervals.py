"""Bootstrap intervals: as wide as they should be, the same every time, paired where values are."""

import numpy as np
import pytest
from treegraph.pipelines.evaluation.intervals import means, paired


def _values(numbers: np.ndarray) -> list[dict[str, float]]:
    return [{"metric": float(number)} for number in numbers]


def test_an_interval_is_that_of_the_normal_approximation() -> None:
    hits = (np.arange(400) % 4 == 0).astype(float)

    found = means(_values(hits))["metric"]

    spread = 1.96 * (0.25 * 0.75 / 400) ** 0.5
    assert found.mean == 0.25
    assert found.low == pytest.approx(0.25 - spread, abs=0.008)
    assert found.high == pytest.approx(0.25 + spread, abs=0.008)


def test_it_is_the_same_every_time_and_does_not_hang_on_other_metrics() -> None:
    values = np.random.default_rng(1).random(50)
    alone = means(_values(values))["metric"]
    beside = means([{"metric": float(v), "other": 1.0} for v in values])["metric"]

    assert means(_values(values))["metric"] == alone
    assert (beside.low, beside.high) == (pytest.approx(alone.low), pytest.approx(alone.high))


def test_a_question_without_a_metric_does_not_count_in_its_mean() -> None:
    found = means([{"a": 1.0, "terms": 0.5}, {"a": 0.0}, {"a": 1.0, "terms": 0.7}])

    assert found["a"].mean == pytest.approx(2 / 3)
    assert found["terms"].mean == pytest.approx(0.6)
    assert found["terms"].low >= 0.5
    assert found["terms"].high <= 0.7


def test_a_small_gain_everywhere_is_more_than_noise_only_when_paired() -> None:
    before = np.random.default_rng(2).random(200)
    after = before + 0.02

    gain = paired(_values(before), _values(after))["metric"]

    assert gain.mean == pytest.approx(0.02)
    assert gain.low > 0
    apart = means(_values(before))["metric"]
    assert apart.low < apart.mean + 0.02 < apart.high


def test_one_question_has_an_interval_of_no_width() -> None:
    found = means([{"a": 0.5}])["a"]

    assert (found.low, found.mean, found.high) == (0.5, 0.5, 0.5)
