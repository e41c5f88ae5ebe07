"""What each command does: its report, its JSON against the shipped schema, its text for people."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest
from command_line import Here, validate
from jsonschema import Draft202012Validator
from treegraph.pipelines.config import load_config


def test_a_build_reports_on_stdout_and_names_what_failed_on_stderr(workplace: Path) -> None:
    report = json.loads((workplace / "built.json").read_text("utf-8"))
    validate("build", report)
    assert report["generation"] == 1
    documents = report["documents"]
    assert documents["added"] == ["manuals/notes.txt", "manuals/pump.pdf", "manuals/valve.md"]
    assert [failure["source"] for failure in documents["failed"]] == ["manuals/broken.pdf"]
    errors = (workplace / "built.err").read_text("utf-8")
    assert "manuals/broken.pdf" in errors
    assert documents["failed"][0]["reason"] in errors
    assert "building treegraph.index" in errors


def test_search_gives_file_page_and_section(here: Here) -> None:
    done = here("search", "How is the pump controller reset?", "-k", "2", "--json")
    assert (done.code, done.err) == (0, "")
    found = done.json("search")
    assert len(found["hits"]) == 2
    citation = found["hits"][0]["citations"][0]
    assert (citation["source"], citation["pages"], citation["section"]) == ("manuals/pump.pdf", [1], ["Use"])


def test_search_for_people_shows_the_same(here: Here) -> None:
    done = here("search", "membrane filter", "-k", "1")
    assert (done.code, done.err) == (0, "")
    for part in ("manuals/pump.pdf", "p. 2", "Care", "Replace the membrane filter every 400 hours"):
        assert part in done.out


def test_options_are_taken_before_and_after_the_command(here: Here) -> None:
    before = here("--json", "-i", "treegraph.index", "search", "valve", "-k", "1")
    after = here("search", "valve", "-k", "1", "-i", "treegraph.index", "--json")
    assert before.json("search")["hits"] == after.json("search")["hits"]
    assert here("-i", "nowhere", "search", "valve", "-i", "treegraph.index").code == 0


def test_search_narrows_by_labels_source_and_relevance(here: Here) -> None:
    def sources(*arguments: str) -> set[str]:
        hits = here("search", "warranty of two years", "--json", *arguments).json("search")["hits"]
        return {hit["citations"][0]["source"] for hit in hits}

    assert "manuals/notes.txt" in sources()
    assert "manuals/notes.txt" in sources("--labels", "dealer,other")
    assert "manuals/notes.txt" not in sources("--labels", "")
    assert sources("--source", "*/valve.md") == {"manuals/valve.md"}
    assert sources("--filter", "media_type=application/pdf") == {"manuals/pump.pdf"}
    assert sources("--min-relevance", "1") == set()


def test_explain_and_neighbours_are_shown_and_valid(here: Here) -> None:
    arguments = ("search", "drain valve VX-12", "-k", "1", "--explain", "--neighbours", "1")
    found = here(*arguments, "--json").json("search")
    assert "explanation" in found["hits"][0]
    shown = here(*arguments).out
    assert "dense" in shown
    assert "sparse" in shown


def test_read_takes_an_id_a_source_and_pages(here: Here) -> None:
    hit = here("search", "membrane", "-k", "1", "--json").json("search")["hits"][0]
    chunk = here("read", hit["id"], "--json").json("read")
    assert (chunk["kind"], chunk["text"]) == ("chunk", hit["text"])
    page = here("read", "manuals/pump.pdf@2", "--json").json("read")
    assert "400 hours" in page["text"]
    assert "green key" not in page["text"]
    whole = here("read", "manuals/pump.pdf")
    assert whole.code == 0
    assert "green key" in whole.out
    assert "400 hours" in whole.out


def test_status_says_what_is_held_and_what_failed(here: Here) -> None:
    status = here("status", "--json").json("status")
    assert status["generation"] == 1
    assert [failure["source"] for failure in status["failed"]] == ["manuals/broken.pdf"]
    failed = here("status", "--failed", "--json").json("status")
    assert failed["failed"] == status["failed"]
    shown = here("status").out
    for part in ("3 documents", "manuals/pump.pdf", "manuals/broken.pdf", "dealer"):
        assert part in shown
    assert "manuals/pump.pdf" not in here("status", "--failed").out


def test_a_removal_can_be_rolled_back_and_swept_up(copied: Here) -> None:
    removed = copied("remove", "manuals/valve.md", "--json", "-q")
    assert removed.json("build")["documents"]["removed"] == ["manuals/valve.md"]
    assert (removed.code, removed.err) == (0, "")
    hits = copied("search", "drain valve", "--json").json("search")["hits"]
    assert all(hit["citations"][0]["source"] != "manuals/valve.md" for hit in hits)
    assert copied("rollback", "--json").json("rollback")["published"] == 1
    assert copied("search", "drain valve", "--json").json("search")["generation"] == 1
    assert copied("gc", "--json").json("gc")["published"] == 1
    assert copied("gc").code == 0


def test_a_large_removal_is_refused_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = Here.entered(tmp_path, monkeypatch, capsys)
    files = [tmp_path / "manuals" / f"part{number}.md" for number in range(6)]
    files[0].parent.mkdir()
    for number, file in enumerate(files):
        file.write_text(f"# Part {number}\n\nText {number}.\n", "utf-8")
    assert empty("build", "manuals", "-q").code == 0
    again = empty("build", "manuals")
    assert (again.code, "nothing was published" in again.out) == (0, True)
    for file in files[:4]:
        file.unlink()
    refused = empty("build", "manuals", "--json")
    error = refused.json("error")["error"]
    assert (refused.code, error["type"], error["exit_code"]) == (2, "RemovalRefused", 2)
    assert "manuals/part0.md" in refused.err
    assert empty("build", "manuals", "--dry-run", "--json").json("build")["dry_run"] is True
    planned = empty("build", "manuals", "--dry-run")
    assert (planned.code, planned.out.count("remove ")) == (0, 4)
    done = empty("build", "manuals", "--yes", "--json")
    assert len(done.json("build")["documents"]["removed"]) == 4


def test_a_question_may_look_like_an_option(here: Here) -> None:
    done = here("search", "-k", "1", "--", "--json")
    assert done.code == 0
    assert not done.out.startswith("{")


def test_the_printed_configuration_is_one(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "treegraph.toml"
    file.write_text(
        'version = 1\n[load]\nignore = ["a b", "c\\"d"]\n[load.passwords]\n"*.pdf" = "env:PDF"\n'
        '[[documents]]\nglob = "**"\nlabels = ["staff", "press"]\nvalid_from = 2024-02-01\n',
        "utf-8",
    )
    monkeypatch.setenv("TREEGRAPH_CHUNK_SIZE", "128")
    monkeypatch.setenv("TREEGRAPH_QDRANT_API_KEY", "do-not-print")
    flags = ("--config", str(file), "--llm", "small@http://localhost:1/v1")
    printed = here("config", *flags)
    again = tmp_path / "again.toml"
    again.write_text(printed.out, "utf-8")
    expected = load_config(file).config
    config = load_config(again, environ={}).config
    assert (config.load, config.ignore, config.documents) == (
        expected.load,
        expected.ignore,
        expected.documents,
    )
    assert (config.chunk.size, config.llm.model, config.context.by) == (128, "small", "model")
    document = here("config", *flags, "--json").json("config")
    assert document["config"]["chunk"]["size"] == {
        "value": 128,
        "from": "environment",
        "where": "TREEGRAPH_CHUNK_SIZE",
    }
    assert document["config"]["llm"]["model"]["where"] == "--llm"
    assert document["secrets"]["TREEGRAPH_QDRANT_API_KEY"] is True
    assert "do-not-print" not in printed.out + json.dumps(document)


def test_the_index_is_named_by_the_environment(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREEGRAPH_INDEX", str(here.path / "treegraph.index"))
    monkeypatch.chdir("/")
    assert here("status", "--json").json("status")["generation"] == 1
    assert here("config", "--json").json("config")["index"]["from"] == "environment"


def test_corpora_are_listed(here: Here) -> None:
    listed = here("corpora", "list", "--json").json("corpora-list")["corpora"]
    assert "intel-sdm" in {corpus["name"] for corpus in listed}
    assert "intel-sdm" in here("corpora", "list").out


def test_every_schema_is_one() -> None:
    schemas = list((resources.files("treegraph.pipelines") / "schemas").iterdir())
    assert len(schemas) >= 6
    for schema in schemas:
        Draft202012Validator.check_schema(json.loads(schema.read_text("utf-8")))
