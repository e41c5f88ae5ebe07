"""``--log-format json``: every line on stderr is a JSON object with the id of the run."""

from __future__ import annotations

import json
import logging
from typing import Any, Literal

import pytest
from command_line import Here
from small_index import moved
from treegraph.pipelines.cli.logs import log_to_stderr, set_level
from treegraph.pipelines.cli.progress import progress
from treegraph.pipelines.events import Event
from treegraph.pipelines.stage_clock import StageClock


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_build_speaks_json_with_one_id_that_the_history_has_too(copied: Here) -> None:
    moved(copied.path / "treegraph.index", copied.path / "manuals")
    done = copied("build", "manuals", "--strict", "--log-format", "json", "--json")
    assert done.code == 1
    said = lines(done.err)
    assert {"time", "level", "logger", "message", "run"} <= set.intersection(*(set(line) for line in said))
    (run,) = {line["run"] for line in said}
    assert run == done.json("build")["run"] == copied("runs", "--json").json("runs")["runs"][0]["id"]
    (failed,) = [line for line in said if line["level"] == "warning"]
    assert (failed["source"], failed["reason"]) == ("manuals/broken.pdf", "corrupt file")
    (survey,) = [line for line in said if line.get("stage") == "survey" and line["done"]]
    assert (survey["logger"], survey["done"], survey["total"]) == ("treegraph.progress", 4, 4)
    assert list(lines(copied("build", "manuals", "-q", "--log-format=json").err)) != said


@pytest.mark.parametrize(
    "arguments",
    [
        ("--log-format", "json", "search"),
        ("search", "x", "-i", "nowhere", "--log-format=json"),
        ("unheard-of", "--log-format", "json"),
    ],
)
def test_errors_are_lines_too(here: Here, arguments: tuple[str, ...]) -> None:
    done = here(*arguments)
    (line,) = lines(done.err)
    assert (done.code in (2, 3), line["level"], done.out) == (True, "error", "")
    assert line["type"] in ("UsageError", "IndexNotFound")


def test_the_variable_says_it_and_the_flag_overrules_it(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREEGRAPH_LOG_FORMAT", "json")
    assert lines(here("search").err)
    assert "Usage:" in here("search", "--log-format", "text").err
    monkeypatch.setenv("TREEGRAPH_LOG_FORMAT", "xml")
    wrong = here("status")
    assert (wrong.code, "xml" in wrong.err) == (2, True)


def test_a_record_has_its_stage_its_source_and_what_was_raised(capsys: pytest.CaptureFixture[str]) -> None:
    log = logging.getLogger("treegraph.somewhere")
    with log_to_stderr("f00", "json"), StageClock().time("embed"):
        set_level(quiet=False, verbose=1)
        log.info("one\nline \x1b[2J of %s", "two", extra={"source": "m/a.pdf"})
        try:
            raise ValueError("no")
        except ValueError:
            log.warning("it failed", exc_info=True)
    first, second = lines(capsys.readouterr().err)
    assert (first["message"], first["stage"], first["source"]) == ("one\nline [2J of two", "embed", "m/a.pdf")
    assert first["run"] == "f00"
    assert (second["level"], "source" in second) == ("warning", False)
    assert second["exception"].endswith("ValueError: no")


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_record_whose_arguments_do_not_fit_stops_nothing(
    form: Literal["text", "json"], capsys: pytest.CaptureFixture[str]
) -> None:
    told = {"name": "some.library", "levelname": "WARNING", "msg": "%d pages", "args": ("three",)}
    with log_to_stderr("f00", form) as handler:
        handler.handle(logging.makeLogRecord(told))
    assert "%d pages" in capsys.readouterr().err


def test_progress_comes_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    with log_to_stderr("f00", "json"), progress("building x", quiet=False) as listen:
        for done in range(1001):
            listen(Event("index", done, 1000, "files", f"m/{done}.md"))
            listen(Event("index", done, None, "chunks"))
    said = lines(capsys.readouterr().err)
    counted = [(line["unit"], line["done"]) for line in said if "unit" in line]
    assert counted == [("files", 0), ("chunks", 0), ("files", 1000)]
    assert said[0]["message"] == "building x ..."
