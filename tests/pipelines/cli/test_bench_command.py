"""``treegraph bench``: its reports for people, as JSON and as a page."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Here
from small_set import TEXTS


def test_a_build_is_measured(here: Here, tmp_path: Path) -> None:
    manuals = tmp_path / "manuals"
    manuals.mkdir()
    for name, text in TEXTS.items():
        (manuals / f"{name}.md").write_text(f"# {name}\n\n{text}\n", "utf-8")
    done = here("bench", "build", str(manuals), "--work", str(tmp_path / "work"), "--json", "-q")
    document = done.json("bench")
    assert (done.code, done.err) == (0, "")
    assert (document["kind"], document["documents"], document["chunks"]) == ("build", 6, 6)
    assert document["ratio"] > 0
    assert all(again["share"] >= 0 for again in document["again"])
    assert "embed" in {stage["stage"] for stage in document["stages"]}


ROUTES = ("hybrid", "tree", "graph", "auto")


def test_searches_are_measured_and_written_as_a_page(here: Here, tmp_path: Path) -> None:
    arguments = ("bench", "search", "--sample", "4", "--clients", "1,2")
    document = here(*arguments, "--json").json("bench")
    timings = [(timing["route"], timing["clients"]) for timing in document["timings"]]
    assert timings == [(route, clients) for route in ROUTES for clients in (1, 1, 2)]
    assert (document["questions"], document["sampled"]) == (4, True)
    page = tmp_path / "page.html"
    shown = here(*arguments, "--html", str(page))
    assert shown.code == 0
    for part in ("Searches", "hybrid", "p50", "p99"):
        assert part in shown.out
        assert part in page.read_text("utf-8")


def test_questions_may_be_given(here: Here, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"text": "pump"}\n{"text": "filter"}\n', "utf-8")
    document = here("bench", "search", "--questions", str(file), "--clients", "1", "--json").json("bench")
    assert (document["questions"], document["sampled"]) == (2, False)


def test_growth_is_measured_over_sizes(here: Here, tmp_path: Path) -> None:
    sample = str(Path(__file__).parents[3] / "corpora" / "sample")
    arguments = ("bench", "scale", sample, "--sizes", "5,10", "--builds", "0", "--work", str(tmp_path))
    document = here(*arguments, "--json").json("bench")
    assert (document["kind"], [size["size"] for size in document["sizes"]]) == ("scale", [5, 10])
    assert all(size["embedding"] == "model" for size in document["sizes"])
    shown = here(*arguments)
    assert (shown.code, "Growth of the totals" in shown.out) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("search", "--clients", "one"), 2, "whole numbers"),
        (("search", "--clients", "0"), 2, "clients"),
        (("search", "-i", "nowhere"), 3, "nowhere"),
        (("search", "--html", "nowhere/page.html"), 2, "no folder"),
        (("build",), 2, "SOURCE"),
        (("scale", "manuals", "--sizes", "0"), 2, "sizes"),
        (("build", "nowhere", "--work", "work"), 3, "nowhere"),
    ],
)
def test_what_is_wrong_is_said(here: Here, arguments: tuple[str, ...], code: int, said: str) -> None:
    done = here("bench", *arguments)
    assert (done.code, said in done.err) == (code, True), done.err
