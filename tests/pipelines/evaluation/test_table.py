"""The tables for the terminal: every figure where there is room, the telling ones where there is little."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from page_report import FIRST, SECOND, outcome, report, row, standing, two_configurations
from rich.console import Console, RenderableType
from treegraph.pipelines.evaluation.outcomes import EvaluationReport, Measured
from treegraph.pipelines.evaluation.shown import change, clean, figure, interval, one_line, seconds, share
from treegraph.pipelines.evaluation.table import differences_table, rows_table, slices_table


def lines(renderable: RenderableType, width: int = 300) -> list[str]:
    written = StringIO()
    Console(file=written, width=width, highlight=False, markup=False, emoji=False).print(renderable)
    return [line.rstrip() for line in written.getvalue().splitlines()]


def words(line: str) -> list[str]:
    return [word.strip() for word in line.split("  ") if word.strip()]


def test_rows_name_what_varies_and_hold_means_with_intervals() -> None:
    title, header, first, second, shared = lines(rows_table(two_configurations()))
    assert title.strip() == "manuals"
    assert words(header) == ["set", "context", "questions", "hit@1", "recall@5", "mrr", "p50", "tokens@10"]
    assert words(first)[:5] == ["manuals", "structure", "4", ".250 [.00 .75]", ".250 [.00 .75]"]
    assert words(second)[:3] == ["none", "4", ".500 [.00 1.00]"]
    assert words(first)[-2:] == ["18 ms", "1,234"]
    assert shared == "all with route=hybrid"


def test_differences_mark_what_is_more_than_noise_and_count_what_chance_would_mark() -> None:
    better = [outcome(f"q{n}", {"a": standing(1)}) for n in range(9)]
    worse = [outcome(f"q{n}", {"a": standing(8)}) for n in range(9)]
    shown = lines(differences_table(report(row(FIRST, better), row(SECOND, worse))))
    assert words(shown[2])[:3] == ["manuals", "context=none", "-1.0 [-1.0 -1.0] *"]
    caption = " ".join(shown[3:])
    assert "3 of 3 comparisons are marked; chance alone would mark about 0.2" in caption
    (noise,) = [line for line in lines(differences_table(two_configurations())) if "context=none" in line]
    assert "*" not in noise


def test_slices_have_the_headline_of_every_configuration() -> None:
    _, header, fact, table = lines(slices_table(two_configurations()))
    assert words(header)[:5] == ["set", "field", "value", "metric", "questions"]
    assert words(header)[5:] == ["context=structure", "context=none"]
    assert words(fact)[:5] == ["manuals", "type", "fact", "recall@5", "2"]
    assert words(table)[-2:] == [".000 [.00 .00]", "—"]


def wide_report() -> EvaluationReport:
    made = two_configurations()
    names = ("recall@10", "all-gold@5", "ndcg@10", "page_recall", "page_f1", "terms")
    more = {name: Measured(0.5, 0.4, 0.6) for name in names}
    return replace(made, rows=tuple(replace(each, metrics={**each.metrics, **more}) for each in made.rows))


def test_a_narrow_terminal_keeps_the_headline_whole_and_says_what_it_left_out() -> None:
    for width in (80, 100, 120, 160):
        shown = lines(rows_table(wide_report()), width)
        assert all(len(line) <= width for line in shown)
        assert "recall@5" in shown[1]
        assert any("[.00 .75]" in line for line in shown)
        assert "…" not in "".join(shown)
    narrow = " ".join(lines(rows_table(wide_report()), 80))
    assert "no room for recall@10, ndcg@10, all-gold@5" in narrow
    assert "no room" not in " ".join(lines(rows_table(wide_report())))


def test_text_of_documents_cannot_drive_the_terminal() -> None:
    bad = "a\x1b[31m\u202eb\n[red]c[/red]\ud800"
    made = report(
        row({bad: "x"}, [outcome("q1", {"a": standing(1)})], bad),
        row({bad: bad}, [outcome("q1", {"a": standing(1)})], bad),
    )
    for table in (rows_table, differences_table, slices_table):
        text = "\n".join(lines(table(replace(made, name=bad))))
        assert not set(text) & {"\x1b", "\u202e", "\ud800"}
    assert "a[31mb [red]c[/red]\\ud800" in " ".join(lines(rows_table(made)))


def test_sets_stand_together_whatever_the_order_of_the_rows() -> None:
    one = [outcome("q1", {"a": standing(1)})]
    made = report(row(FIRST, one, "a"), row(FIRST, one, "b"), row(SECOND, one, "a"), row(SECOND, one, "b"))
    shown = [words(line)[:2] for line in lines(rows_table(made))[2:6]]
    assert shown == [["a", "structure"], ["none", "1"], ["b", "structure"], ["none", "1"]]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (share(0.8799), ".880"),
        (share(1.0), "1.000"),
        (share(-0.0001), ".000"),
        (change(0.0124), "+.012"),
        (change(-0.0002), "-.0002"),
        (change(-0.00001), ".000"),
        (change(0.0), ".000"),
        (change(1234.56), "+1,234.6"),
        (figure("recall@5", 0.5), ".500"),
        (figure("tokens@10", 1660.4), "1,660"),
        (figure("pages", 6.25), "6.2"),
        (interval("mrr", Measured(0.5, 0.444, 1.0)), "[.44 1.00]"),
        (seconds(0.0042), "4.2 ms"),
        (seconds(0.25), "250 ms"),
        (seconds(75), "75.0 s"),
        (seconds(600), "10.0 min"),
        (seconds(None), ""),
        (one_line("a\n b\tc", 4), "a b…"),
        (clean("a\u200fb\U000e0041c\ufeff"), "abc"),
    ],
)
def test_figures_are_written_short(written: str, expected: str) -> None:
    assert written == expected
