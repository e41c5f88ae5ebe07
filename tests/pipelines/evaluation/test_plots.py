"""Plots: the right values at the right coordinates, described in words, and inert whatever the labels say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from page_report import found, outcome, standing
from treegraph.pipelines.evaluation.outcomes import Measured
from treegraph.pipelines.evaluation.page.interval_plot import interval_plot
from treegraph.pipelines.evaluation.page.plots import SERIES, Curve, Panel, line_plot
from treegraph.pipelines.evaluation.page.rank_plot import rank_panel, recall_curve
from treegraph.pipelines.evaluation.page.scales import scale, written

SIZES = (1_000.0, 10_000.0, 100_000.0)
LOG = Panel(
    "Cost of stages",
    "chunks",
    "seconds",
    (Curve("embed", SIZES, (10.0, 100.0, 1000.0), "n^1.00"), Curve("store", SIZES, (10.0, 10.0, 10.0))),
    log=True,
)


def parse(svg: str) -> etree._Element:
    """Strictly, as XML: what is not well-formed raises."""
    return etree.fromstring(svg)


def texts(svg: etree._Element) -> list[str]:
    return ["".join(text.itertext()) for text in svg.iter("text")]


def points(svg: etree._Element) -> list[list[tuple[float, float]]]:
    return [
        [(float(x), float(y)) for x, y in (pair.split(",") for pair in line.get("points", "").split())]
        for line in svg.iter("polyline")
    ]


def test_equal_factors_are_equal_steps_on_logarithmic_axes() -> None:
    embed, store = points(parse(line_plot(LOG)))
    across = [x for x, _ in embed]
    assert across[1] - across[0] == pytest.approx(across[2] - across[1], abs=0.15)
    up = [y for _, y in embed]
    assert up[0] - up[1] == pytest.approx(up[1] - up[2], abs=0.15)
    assert up[0] > up[2]  # down the page is less
    assert {y for _, y in store} == {up[0]}


def test_points_stand_where_the_ticks_say() -> None:
    svg = parse(line_plot(Panel("t", "x", "y", (Curve("c", (0.0, 10.0), (0.0, 0.5)),), y_range=(0.0, 1.0))))
    ticks = {
        "".join(t.itertext()): (float(t.get("x", "")), float(t.get("y", "")))
        for t in svg.iter("text")
        if t.get("x")
    }
    ((low, high),) = points(svg)
    assert low[0] == pytest.approx(ticks["2"][0] - (ticks["4"][0] - ticks["2"][0]), abs=0.2)
    assert high[0] == ticks["10"][0]
    halfway = (ticks[".4"][1] + ticks[".6"][1]) / 2 - 4
    assert high[1] == pytest.approx(halfway, abs=0.2)


def test_curves_differ_without_colour_and_say_their_notes() -> None:
    svg = parse(line_plot(LOG))
    dashes = [line.get("stroke-dasharray") for line in svg.iter("polyline")]
    assert len(set(dashes)) == 2
    assert {"embed (n^1.00)", "store", "chunks", "seconds", "Cost of stages"} <= set(texts(svg))
    assert svg.findtext("title") == svg.get("aria-label") == "Cost of stages"
    assert svg.get("role") == "img"
    assert "embed: 10 at 1,000 to 1000 at 100,000 (n^1.00)" in (svg.findtext("desc") or "")
    tips = [mark.findtext("title") for mark in svg.iter("circle")]
    assert "embed: 10,000, 100" in tips


def test_what_an_axis_cannot_show_is_left_out() -> None:
    curve = Curve("c", (1.0, 10.0, 100.0, 1000.0), (1.0, 0.0, float("nan"), 8.0))
    ((first, second),) = points(parse(line_plot(Panel("t", "x", "y", (curve,), log=True))))
    assert first[0] < second[0]
    assert "nothing to plot" in line_plot(Panel("t", "x", "y", (Curve("c", (1.0,), (0.0,)),), log=True))
    assert "nothing to plot" in line_plot(Panel("t", "x", "y", ()))


def test_no_more_curves_than_can_be_told_apart() -> None:
    panel = Panel("t", "x", "y", tuple(Curve(f"c{n}", (1.0, 2.0), (1.0, n)) for n in range(SERIES + 4)))
    svg = parse(line_plot(panel))
    assert len(points(svg)) == SERIES
    assert "4 more, not drawn" in texts(svg)


def test_labels_are_text_whatever_they_hold() -> None:
    bad = "</text><script>x</script>\"'&\u202e\x00"
    panel = Panel(bad, bad, bad, (Curve(bad, (1.0, 2.0), (1.0, 2.0), bad),))
    intervals = interval_plot(bad, [(bad, Measured(0.5, 0.4, 0.6))])
    for svg in (line_plot(panel), intervals):
        assert {element.tag for element in parse(svg).iter()} <= {
            "svg",
            "title",
            "desc",
            "text",
            "line",
            "circle",
            "polyline",
        }


def test_intervals_lie_around_their_means_on_one_scale() -> None:
    svg = parse(interval_plot("recall@5", [("a", Measured(0.8, 0.7, 0.9)), ("b", Measured(0.6, 0.5, 0.7))]))
    bars = [
        (float(w.get("x1", "")), float(w.get("x2", "")))
        for w in svg.iter("line")
        if "w" in w.get("class", "").split()
    ]
    dot = next(float(c.get("cx", "")) for c in svg.iter("circle"))
    (reference,) = [float(line.get("x1", "")) for line in svg.iter("line") if line.get("class") == "r"]
    assert bars[0][0] == pytest.approx(bars[1][1], abs=0.15)  # both are 0.7
    assert dot == pytest.approx(sum(bars[0]) / 2, abs=0.15)
    assert reference == dot
    assert {".800 [.70 .90]", ".600 [.50 .70]", "a", "b"} <= set(texts(svg))


def test_recall_by_rank_counts_every_gold_place_of_every_question() -> None:
    outcomes = [
        outcome("q1", {"a": standing(1), "b": standing(3)}, [found(1, "x")]),
        outcome("q2", {"a": standing(None)}),
        outcome("q3", {}, error="gone"),
        outcome("q4", {"a": standing(101), "b": standing(100)}),
    ]
    curve = recall_curve(outcomes)
    assert curve[:4] == pytest.approx((1 / 8, 1 / 8, 2 / 8, 2 / 8))
    assert curve[98:] == pytest.approx((2 / 8, 3 / 8))
    panel = rank_panel([(str(n), outcomes) for n in range(SERIES + 1)])
    assert len(panel.curves) == SERIES
    assert panel.curves[0].x[0] == 1


@given(st.lists(st.floats(-1e9, 1e9).filter(lambda v: v == 0 or abs(v) > 1e-6), min_size=1, max_size=20))
def test_a_linear_scale_shows_every_value_between_a_few_round_ticks(values: list[float]) -> None:
    made = scale(values, (0.0, 100.0))
    assert all(-1e-6 <= made(value) <= 100 + 1e-6 for value in values)
    assert 2 <= len(made.ticks) <= 9
    places = [made(value) for value, _ in made.ticks]
    assert places == sorted(places)
    assert all(-1e-6 <= place <= 100 + 1e-6 for place in places)


@given(st.lists(st.floats(1e-6, 1e9), min_size=1, max_size=20))
def test_a_logarithmic_scale_shows_every_value(values: list[float]) -> None:
    made = scale(values, (0.0, 100.0), log=True)
    assert all(-1e-6 <= made(value) <= 100 + 1e-6 for value in values)
    assert made.ticks


def test_ticks_are_written_short() -> None:
    assert [written(value) for value in (0.5, -0.25, 1.0, 20, 1500, 2e6, 0.1 + 0.2, 0)] == [
        ".5",
        "-.25",
        "1",
        "20",
        "1.5k",
        "2M",
        ".3",
        "0",
    ]
