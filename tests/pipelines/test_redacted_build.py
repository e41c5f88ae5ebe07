"""Builds with ``[load.redact]``: a secret that stands anywhere in the sources is nowhere in the index, in no
prompt and in no picture, and is counted."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest
import treegraph
from byte_scan import found_in
from command_line import validate
from fake_vision import FakeVisionServer
from page_pictures import scanned_pdf, text_pdf
from pictured_manual import write_manual
from scripted_llm import ScriptedLLM
from scripted_reader import ScriptedReader
from small_index import CONFIG, build, manual, open_small, texts
from treegraph.indexer.errors import PageUnavailable
from treegraph.indexer.graph.settings import GraphSettings
from treegraph.indexer.loaders.settings import LoadSettings
from treegraph.indexer.models import ocr
from treegraph.indexer.models.settings import VisionSettings
from treegraph.indexer.redaction.settings import RedactSettings
from treegraph.indexer.sources import parse_roots
from treegraph.pipelines.config import load_config
from treegraph.pipelines.evaluation.own.reading import Reading
from treegraph.pipelines.events import ignore_events
from treegraph.pipelines.maintenance import status

MAIL = "jo.lind@heron-mill.example"
KEY = "AKIAQ3EGRVZT5WLMBX2C"
REDACT = replace(CONFIG, redact=RedactSettings(kinds=("all",), patterns={"case": "case [0-9]{6}"}))
TABLE = f"| who | key |\n|---|---|\n| Jo | {KEY} |\n"
ALONE = ("tree", "graph")


def test_a_secret_of_the_sources_is_nowhere_in_the_index_or_a_prompt(tmp_path: Path) -> None:
    folder = manual(
        tmp_path / "m",
        gate=f"# Ask {MAIL}\n\nThe gate opens with {KEY} at noon.\n\n{TABLE}",
        bell="# The bell\n\nThe bell rings at noon. It is case 123456.",
    )
    sidecar = f'owner = "{MAIL}"\npassword = "kestrel9"\ntitle = "Of {MAIL}"'
    (folder / "bell.md.meta.toml").write_text(sidecar)
    (folder / "bad.md").write_text("A bad one.")
    (folder / "bad.md.meta.toml").write_text(f'valid_from = "{MAIL}"')
    record = {"_id": "a", "title": f"By {MAIL}", "text": f"The mill turns with {KEY} in spring.", "n": 3}
    (folder / "mill.jsonl").write_text(json.dumps(record))
    llm = ScriptedLLM(reply="It is about the gate.")
    config = replace(REDACT, graph=GraphSettings(extract="model"))
    report = build(tmp_path / "index", folder, config=config, llm=llm)
    assert report.redacted == {"case": 1, "email": 4, "key": 3, "password": 1}
    validate("build", json.loads(json.dumps(report.to_json())))
    (failed,) = report.failed
    assert "[EMAIL]" in failed.message
    for secret in (MAIL, KEY, "kestrel9", "123456"):
        assert not found_in(tmp_path / "index", secret), secret
        assert not any(secret in prompt for prompt in llm.prompts)
    assert any("[KEY]" in prompt for prompt in llm.prompts)
    assert any("| Jo | [KEY] |" in text for text in texts(tmp_path / "index"))
    told = status(tmp_path / "index")
    validate("status", told)
    assert told["redacted"] == report.redacted
    with open_small(tmp_path / "index") as index:
        (document,) = [d for d in index.documents.values() if d.source == "m/bell.md"]
        assert (document.title, dict(document.fields)) == (
            "Of [EMAIL]",
            {"owner": "[EMAIL]", "password": "[PASSWORD]"},
        )
        hit = index.search("what opens the gate at noon", route="hybrid")[0]
        assert hit.citations[0].section == ("Ask [EMAIL]",)


def test_turning_it_on_reads_every_file_again_and_off_too(tmp_path: Path) -> None:
    folder = manual(tmp_path / "m", gate=f"The gate is opened by {MAIL} at noon.")
    assert build(tmp_path / "index", folder, without=ALONE).redacted == {}
    assert build(tmp_path / "index", folder, without=ALONE, config=REDACT).changed == ["m/gate.md"]
    assert texts(tmp_path / "index") == ["The gate is opened by [EMAIL] at noon."]
    again = build(tmp_path / "index", folder, without=ALONE, config=REDACT)
    assert (again.generation, again.changed) == (None, [])
    build(tmp_path / "index", folder, without=ALONE)
    assert MAIL in texts(tmp_path / "index")[0]


def test_a_page_with_a_secret_is_not_shown_and_no_picture_of_it_kept(tmp_path: Path) -> None:
    write_manual(tmp_path / "m" / "open.pdf")
    write_manual(tmp_path / "m" / "shut.pdf", shade=200, text=f"The gate stays shut, says {MAIL} of it.")
    config = replace(REDACT, load=LoadSettings(keep_images=True))
    build(tmp_path / "index", tmp_path / "m", config=config, without=ALONE)
    assert len(list((tmp_path / "index" / "images").iterdir())) == 1
    with treegraph.open_index(tmp_path / "index", config=CONFIG) as index:
        assert "[EMAIL]" in index.read("m/shut.pdf@1").text
        for look in (lambda: index.show("m/shut.pdf@1"), lambda: index.show("m/shut.pdf@1-2")):
            with pytest.raises(PageUnavailable, match=r"page 1 of m/shut\.pdf shows a secret"):
                look()
        assert len(index.show("m/shut.pdf@2-3")) == len(index.show("m/open.pdf@1-2")) == 2
    (shut,) = [each for each in status(tmp_path / "index")["documents"] if each["source"] == "m/shut.pdf"]
    assert (shut["redacted"], shut["withheld_pages"], shut["images"]) == ({"email": 1}, [1], 0)


def test_what_stands_on_a_page_and_not_in_its_text_is_not_shown_either(tmp_path: Path) -> None:
    pages = [
        (f"Confidential, {MAIL}", *(f"Line {n} of page {p} says {n * p}." for n in range(9)))
        for p in range(9)
    ]
    (tmp_path / "m").mkdir()
    text_pdf(tmp_path / "m" / "book.pdf", pages)
    build(tmp_path / "index", tmp_path / "m", config=REDACT, without=ALONE)
    with treegraph.open_index(tmp_path / "index", config=REDACT) as index, pytest.raises(PageUnavailable):
        index.show("m/book.pdf@5")


def test_what_a_scan_says_is_redacted_before_it_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "m").mkdir()
    scanned_pdf(tmp_path / "m" / "scan.pdf", [("a",), ("b",)])
    reader = ScriptedReader(lambda number: f"The gate number {number} belongs to {MAIL} since noon.")
    monkeypatch.setattr(ocr, "load_ocr", lambda settings: reader)
    build(tmp_path / "plain", tmp_path / "m", without=ALONE)
    assert found_in(tmp_path / "plain", MAIL)
    report = build(tmp_path / "index", tmp_path / "m", without=ALONE, config=REDACT)
    assert report.redacted == {"email": 2}
    assert not found_in(tmp_path / "index", MAIL)
    build(tmp_path / "plain", tmp_path / "m", without=ALONE, config=REDACT)
    assert len(reader.read_pages) == 4  # kept readings are redacted, not read again
    assert texts(tmp_path / "plain") == texts(tmp_path / "index")
    (scan,) = status(tmp_path / "plain")["documents"]
    assert (scan["redacted"], scan["withheld_pages"]) == ({"email": 2}, [1, 2])


def test_a_page_whose_layer_shows_a_secret_is_not_sent_to_a_model(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    text_pdf(tmp_path / "m" / "a.pdf", [(f"The first is of {MAIL}.",), ("The second page is of nobody.",)])
    with FakeVisionServer() as server:
        vision = VisionSettings(base_url=server.base_url, model="fake-vision-1", tokens=300)
        config = replace(REDACT, load=LoadSettings(pdf="native"), vision=vision)
        report = build(tmp_path / "index", tmp_path / "m", without=ALONE, config=config)
        assert [MAIL in asked.text or MAIL in asked.prompt for asked in server.asked] == [False]
    assert report.degraded == {"page not read by native: secret on page": 1}
    assert report.redacted == {"email": 1}


def test_the_table_is_read_from_a_file_and_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_text(
        "version = 1\n[load.redact]\nkinds = ['email']\n[load.redact.patterns]\ncase = 'case [0-9]+'\n"
    )
    settings = load_config(file, environ={"TREEGRAPH_LOAD_REDACT_KEEP": "a@b.de"}).config.redact
    assert settings == RedactSettings(("email",), {"case": "case [0-9]+"}, ("a@b.de",))


def test_questions_are_made_of_redacted_text(tmp_path: Path) -> None:
    folder = manual(tmp_path / "m", gate=f"# The gate\n\nThe gate is opened by {MAIL} at noon.")
    reading = Reading(parse_roots([str(folder)]), REDACT, ignore_events, threading.Event())
    (read,) = reading.read()
    assert "opened by [EMAIL] at noon" in read.content.text
