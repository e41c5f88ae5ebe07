"""An evaluation against an earlier one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_report import full_report, report, row
from treegraph import ConfigurationError
from treegraph.pipelines.evaluation.against import against
from treegraph.pipelines.evaluation.outcomes import EvaluationReport
from treegraph.pipelines.evaluation.report_json import to_json

shares = st.floats(0, 1)


def written(folder: Path, made: EvaluationReport) -> Path:
    file = folder / "earlier.json"
    file.write_text(json.dumps({"schema": 1, **to_json(made)}), "utf-8")
    return file


def test_the_same_figures_are_no_loss(tmp_path: Path) -> None:
    found = against(full_report(), written(tmp_path, full_report()), 0)
    assert (found.losses, found.unmatched, found.compared) == ((), (), 2)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(shares, shares, st.floats(0, 0.2))
def test_a_loss_is_a_mean_that_fell_by_more_than_the_tolerance(
    tmp_path: Path, before: float, now: float, tolerance: float
) -> None:
    found = against(report(row({"mrr": now})), written(tmp_path, report(row({"mrr": before}))), tolerance)
    fall = before - now
    if abs(fall - tolerance) > 1e-8:
        assert bool(found.losses) == (fall > tolerance)


def test_a_fall_of_just_the_tolerance_is_none(tmp_path: Path) -> None:
    earlier = written(tmp_path, report(row({"hit@1": 0.8})))
    assert not against(report(row({"hit@1": 0.795})), earlier, 0.005).losses
    (loss,) = against(report(row({"hit@1": 0.794})), earlier, 0.005).losses
    assert str(loss) == "manuals, chunk=structure, route=hybrid: hit@1 was 0.8000, is 0.7940 (-0.0060)"


def test_more_pages_tokens_or_seconds_are_no_quality(tmp_path: Path) -> None:
    before = {"recall@5": 0.5, "tokens": 1900, "tokens@10": 3000, "pages": 7, "records": 9}
    now = {"recall@5": 0.5, "tokens": 100, "tokens@10": 200, "pages": 1, "records": 1}
    found = against(report(row(now)), written(tmp_path, report(row(before))))
    assert (found.losses, found.compared) == ((), 1)


def test_rows_are_matched_by_set_and_configuration(tmp_path: Path) -> None:
    earlier = written(
        tmp_path,
        report(row({"mrr": 0.9}, chunk="fixed"), row({"mrr": 0.5}), row({"mrr": 0.9}, name="other")),
    )
    found = against(report(row({"mrr": 0.5}), row({"mrr": 0.1}, chunk="semantic")), earlier)
    assert (found.losses, found.compared) == ((), 1)
    assert found.unmatched == (
        f"manuals, chunk=semantic, route=hybrid: not in {earlier}",
        f"manuals, chunk=fixed, route=hybrid: only in {earlier}",
        f"other, chunk=structure, route=hybrid: only in {earlier}",
    )


def test_rows_that_asked_other_questions_are_named_and_not_compared(tmp_path: Path) -> None:
    document = to_json(report(row({"mrr": 0.9}), row({"mrr": 0.9}, name="b"), row({"mrr": 0.5}, name="c")))
    document["rows"][0]["queries"] = 7
    document["rows"][1]["asked"] = "one digest"
    earlier = tmp_path / "earlier.json"
    earlier.write_text(json.dumps({"schema": 1, **document}), "utf-8")
    other = replace(row({"mrr": 0.5}, name="b"), asked="another digest")
    found = against(report(row({"mrr": 0.5}), other, row({"mrr": 0.5}, name="c")), earlier)
    assert (found.losses, found.compared) == ((), 1)
    fewer, changed = found.unmatched
    assert "2 questions, 7 in" in fewer
    assert "b, chunk=structure, route=hybrid: other questions" in changed


def test_a_file_that_does_not_say_what_was_asked_still_compares(tmp_path: Path) -> None:
    document = to_json(report(row({"mrr": 0.9})))
    del document["rows"][0]["asked"]
    earlier = tmp_path / "earlier.json"
    earlier.write_text(json.dumps({"schema": 1, **document}), "utf-8")
    assert len(against(report(replace(row({"mrr": 0.5}), asked="a digest")), earlier).losses) == 1


def test_metrics_without_partner_are_named(tmp_path: Path) -> None:
    earlier = written(tmp_path, report(row({"mrr": 0.5, "terms": 0.4})))
    found = against(report(row({"mrr": 0.5, "hit@1": 0.2})), earlier)
    said = "\n".join(found.unmatched)
    assert f"terms only in {earlier}" in said
    assert f"hit@1 not in {earlier}" in said


def test_nothing_to_compare_is_an_error_and_not_a_pass(tmp_path: Path) -> None:
    for before in (report(), report(row({"mrr": 0.5}, chunk="fixed")), report(row({"tokens": 4}))):
        with pytest.raises(ConfigurationError, match="can be compared"):
            against(report(row({"mrr": 0.5})), written(tmp_path, before))


def test_losses_go_to_json(tmp_path: Path) -> None:
    earlier = written(tmp_path, report(row({"mrr": 0.9})))
    document = against(report(row({"mrr": 0.5})), earlier, 0.01).to_json()
    assert document == {
        "earlier": str(earlier),
        "tolerance": 0.01,
        "compared": 1,
        "losses": [
            {
                "set": "manuals",
                "config": {"chunk": "structure", "route": "hybrid"},
                "metric": "mrr",
                "before": 0.9,
                "now": 0.5,
            }
        ],
        "unmatched": [],
    }
