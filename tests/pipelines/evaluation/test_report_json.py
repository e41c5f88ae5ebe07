"""The report of an evaluation as JSON, and what is read back of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import validate
from small_report import full_report, report
from treegraph import ConfigurationError
from treegraph.pipelines.evaluation.report_json import read_means, to_json


def test_a_report_is_valid_json_with_every_row(tmp_path: Path) -> None:
    made = full_report()
    document = json.loads(json.dumps({"schema": 1, **to_json(made)}))
    validate("eval", document)
    first, second = document["rows"]
    assert first["metrics"]["recall@5"] == {"mean": 0.8, "low": pytest.approx(0.7), "high": 0.9}
    assert (first["queries"], first["failed"]) == (2, 1)
    assert first["slices"][0]["value"] == "fact"
    assert second["config"] == {"chunk": "fixed", "route": "hybrid"}
    assert document["differences"][0]["beyond_noise"] is True
    assert document["left_out"] == {"route=tree": "this version builds no tree"}
    assert "outcomes" not in first


def test_an_empty_report_is_valid() -> None:
    validate("eval", {"schema": 1, **to_json(report())})


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "earlier.json"
    file.write_text(json.dumps({"schema": 1, **to_json(full_report())}), "utf-8")
    first, second = read_means(file)
    assert (first.set, first.config, first.queries) == (
        "manuals",
        {"chunk": "structure", "route": "hybrid"},
        2,
    )
    assert first.means == {"recall@5": 0.8, "tokens": 900}
    assert second.means == {"recall@5": 0.7}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not the JSON"),
        ("\x00", "not the JSON"),
        ("[]", "no rows"),
        ('{"schema": 1}', "no rows"),
        ('{"schema": 2, "rows": []}', "schema 2"),
        ('{"rows": []}', "schema None"),
        ('{"schema": 1, "rows": 3}', "rows are not"),
        ('{"schema": 1, "rows": [{"set": "a"}]}', "'metrics'"),
        ('{"schema": 1, "rows": [{"set": "a", "config": {}, "queries": 1, "metrics": {"mrr": 1}}]}', "rows"),
        (
            '{"schema": 1, "rows": [{"set": "a", "config": {}, "queries": 1,'
            ' "metrics": {"mrr": {"mean": NaN}}}]}',
            "no number",
        ),
    ],
)
def test_a_foreign_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "foreign.json"
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigurationError, match=said) as caught:
        read_means(file)
    assert str(file) in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere\.json: No such file"):
        read_means(tmp_path / "nowhere.json")
