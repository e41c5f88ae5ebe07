"""``treegraph bench``: its reports for people, as JSON and as a page."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Here
from ocr_pages import PUMP, picture, typeset
from small_set import TEXTS
from treegraph.pipelines.benchmark.ocr import character_error, words_found


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


def test_reading_pictures_is_measured_against_the_text_layers(here: Here, tmp_path: Path) -> None:
    lines = [line for line in PUMP for _ in range(2)]
    written = typeset(lines).parent
    written.new_page(width=200, height=100)
    written.save(tmp_path / "manual.pdf")
    (tmp_path / "scan.png").write_bytes(picture(typeset(PUMP[:1])).png)
    files = (str(tmp_path / "manual.pdf"), str(tmp_path / "scan.png"))
    document = here("bench", "ocr", *files, "--json").json("bench")
    whole, blank, scan = document["pages"]
    assert (whole["source"], whole["page"], whole["lines"]) == ("manual.pdf", 1, 8)
    assert whole["characters"] < 0.02
    assert whole["words"] > 0.95
    assert (blank["lines"], blank["characters"]) == (0, None)
    assert (scan["source"], scan["lines"], scan["characters"]) == ("scan.png", 1, None)
    assert scan["confidence"] > 0.9
    assert document["peak"] >= document["before"] > 0
    shown = here("bench", "ocr", files[1], "--pages", "1")
    assert shown.code == 0
    assert "wall seconds a page" in shown.out
    assert here("bench", "ocr", str(Path(__file__))).code != 0


@pytest.mark.parametrize(
    ("found", "layer", "error"),
    [
        ("The pump stops.", "The pump stops.", 0),
        ("The pumps top.", "The pump stop s.", 1 / 13),
        ("", "pump", 1),
        ("pump", "", 1),
        ("| a | b |", "a b", 0),
        ("Pumps .. 7", "Pumps ............ 7", 0),
        ("kitten", "sitting", 3 / 7),
    ],
)
def test_character_error_counts_edits(found: str, layer: str, error: float) -> None:
    assert character_error(found, layer) == pytest.approx(error)


def test_words_count_as_often_as_they_stand_there() -> None:
    assert words_found("the pump", "the pump and the valve") == pytest.approx(2 / 5)


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
