"""``treegraph plan``: what it prints, its JSON, and the plan beside what the build came to."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Here


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    entered = Here.entered(tmp_path, monkeypatch, capsys)
    monkeypatch.setenv("TREEGRAPH_CHUNK_TOKENIZER", "words")
    (tmp_path / "manuals").mkdir()
    for name in ("pump", "valve"):
        text = f"# The {name}\n\nThe {name} of the Northern Station is opened by hand.\n"
        (tmp_path / "manuals" / f"{name}.md").write_text(text)
    return entered


def test_a_plan_is_shown_by_structure_and_status_holds_it_against_the_build(here: Here) -> None:
    shown = here("plan", "manuals")
    assert shown.code == 0
    lines = shown.out.splitlines()
    assert lines[0].startswith("nothing was changed in ")
    assert "add        manuals/pump.md" in lines
    (total,) = [line for line in lines if line.startswith("total")]
    assert "MiB" in total
    assert any(line.startswith("hybrid  2 chunks, 2 embedded") for line in lines)
    assert any(line.startswith("estimated  seconds of embedding: ") for line in lines)
    plan = here("plan", "manuals", "--json").json("plan")
    assert (plan["documents"]["added"], plan["chunks"], plan["calls"], plan["price"]) == (2, 2, 0, 0)
    built = here("build", "manuals", "--json").json("build")
    assert built["plan"]["made"] == plan["made"]
    status = here("status", "--json").json("status")["plan"]
    assert status["generation"] == 1
    assert status["chunks"] == status["embedded"] == {"planned": 2, "actual": 2}
    assert status["documents"]["added"] == {"planned": 2, "actual": 2}
    took = here("runs", "--json").json("runs")["runs"][0]["seconds"]
    assert status["seconds"]["actual"] == round(took, 1), "by a clock that nobody sets"
    assert "plan, and what it was" in here("status").out


def test_a_dry_run_is_the_same_plan_in_the_report_of_a_build(here: Here) -> None:
    plan = here("plan", "manuals", "--json", "--without", "tree").json("plan")
    report = here("build", "manuals", "--dry-run", "--json", "--without", "tree").json("build")
    assert report["plan"]["structures"].keys() == plan["structures"].keys()
    assert plan["structures"]["tree"]["state"] == report["plan"]["structures"]["tree"]["state"] == "left out"
    assert report["documents"]["added"] == ["manuals/pump.md", "manuals/valve.md"]
    assert not (here.path / "treegraph.index").exists()


def test_a_plan_names_what_would_fail_and_what_would_be_refused(here: Here) -> None:
    for number in range(4):
        (here.path / "manuals" / f"part{number}.md").write_text(f"# Part {number}\n\nText {number}.\n")
    assert here("build", "manuals", "-q").code == 0
    for number in range(4):
        (here.path / "manuals" / f"part{number}.md").unlink()
    (here.path / "manuals" / "broken.pdf").write_bytes(b"%PDF-1.4\nno more than this")
    shown = here("plan", "manuals")
    assert shown.code == 1
    assert "fails: manuals/broken.pdf: corrupt file" in shown.err
    assert "this would remove 4 documents, more than --max-removed 5%" in shown.err
    assert shown.out.count("remove ") == 4
    plan = here("plan", "manuals", "--json").json("plan")
    assert (plan["documents"]["removed"], plan["documents"]["failed"], plan["base"]) == (4, 1, 1)
