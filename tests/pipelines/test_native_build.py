"""Builds whose pages a model reads from their pictures: all pages, the right ones, what they cost, and what
becomes of those that the model fails at. The model is a fake that really reads the pictures, by OCR."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import treegraph
from fake_openai import Answer
from fake_vision import Asked, FakeVisionServer, Fault
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from page_pictures import chart_pdf, scanned_pdf
from paid_server import by_model_at, right_answer
from small_index import CONFIG, build, open_small
from small_plant import INDEX_ID, PLANT
from treegraph.indexer.loaders.settings import LoadSettings, PdfMode
from treegraph.indexer.models import retries
from treegraph.indexer.models.settings import VisionSettings
from treegraph.indexer.pages import DESCRIBED, Origin, Page
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.pipelines.loading_models import Models
from treegraph.pipelines.maintenance import status
from treegraph.query.index import Index

NAMES = ("alder", "birch", "cedar")
LATER = ("tree", "graph")
PRICES = {"price_in": 1000.0, "price_out": 1000.0}


def page_lines(name: str, number: int) -> list[str]:
    return [f"Station {name} of the northern line", f"Its relay needs a pause of {number * 111} seconds."]


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one scan of three pages."""
    folder = tmp_path_factory.mktemp("scans") / "scans"
    folder.mkdir()
    scanned_pdf(folder / "line.pdf", [page_lines(name, at) for at, name in enumerate(NAMES, 1)])
    return folder


def config(server: FakeVisionServer, mode: PdfMode = "auto", **vision: float) -> treegraph.Config:
    seeing = VisionSettings(base_url=server.base_url, model="fake-vision-1", tokens=300, **vision)  # type: ignore[arg-type]
    return replace(CONFIG, load=LoadSettings(pdf=mode), vision=seeing)


def pages(index: Path) -> list[tuple[Page, str]]:
    """The pages of the only document, each with its text."""
    folder = IndexFolder.open(index)
    try:
        generation = folder.manifest().published
        assert generation is not None
        (row,) = folder.ledger.documents(generation)
        found = folder.ledger.pages(row.document.id, generation)
    finally:
        folder.close()
    with open_small(index) as opened:
        texts = opened.page_texts(row.document.id)
    return [(page, texts[page.number]) for page in found]


def origins(index: Path) -> list[Origin]:
    return [page.origin for page, _ in pages(index)]


def test_a_page_of_what_no_store_takes_is_read_with_that_replaced(scan: Path, tmp_path: Path) -> None:
    with FakeVisionServer(lambda asked, right: f"Bad \ud83d \0 {right}") as server:
        report = build(tmp_path / "index", scan, without=LATER, config=config(server))
    assert (report.failed, report.degraded) == ([], {})
    assert report.to_json()["cost"] == {"native": None}  # no prices are set
    assert status(tmp_path / "index")["spend"]["native"]["cost"] is None
    for page, text in pages(tmp_path / "index"):
        assert page.origin == "native"
        assert "Bad \ufffd \ufffd" in text


def test_every_page_is_read_is_the_right_one_and_costs_what_the_server_counted(
    scan: Path, tmp_path: Path
) -> None:
    with FakeVisionServer() as server:
        report = build(
            tmp_path / "index", scan, without=LATER, config=config(server, concurrency=3, **PRICES)
        )
    assert len(server.asked) == len(NAMES)
    for (page, text), (number, name) in zip(pages(tmp_path / "index"), enumerate(NAMES, 1), strict=True):
        assert (page.number, page.origin, page.confidence) == (number, "native", 0.5)
        assert name in text
        assert str(number * 111) in text
    counted = report.tokens["native"]
    assert counted["calls"] == len(NAMES)
    assert report.to_json()["cost"] == {"native": report.cost["native"]}
    assert status(tmp_path / "index")["spend"]["native"]["cost"] == pytest.approx(report.cost["native"])
    assert report.cost["native"] == pytest.approx((counted["in"] + counted["out"]) / 1000)
    assert report.degraded == {}


def faults(asked: Asked, right: str) -> Answer | str | None:
    """Another fault for each page, on its first turn; the last page is refused for good."""
    page = next((name for name in NAMES if name in asked.text), "")
    if page == "alder" and asked.turn == 0:
        return Answer("slow down", status=429, headers={"Retry-After": "0"})
    if page == "birch" and asked.turn == 0:
        return "the same and the same again " * 200
    return "I'm sorry, I cannot read that." if page == "cedar" else None


def test_faults_are_recovered_from_and_a_page_that_stays_refused_goes_by_ocr(
    scan: Path, tmp_path: Path
) -> None:
    with FakeVisionServer(faults) as server:
        report = build(tmp_path / "index", scan, without=LATER, config=config(server))
    assert origins(tmp_path / "index") == ["native", "native", "ocr"]
    for (page, text), name in zip(pages(tmp_path / "index"), NAMES, strict=True):
        assert name in text
        assert ("native failed: a refusal" in page.why) == (name == "cedar")
    # A runaway answer is cut where its room ends, and told from one that was only too long.
    failed = "page not read by native: a refusal"
    assert report.degraded == {"runaway": 1, "a refusal": 2, failed: 1}
    assert report.tokens["native"]["calls"] == len(server.asked) - 1  # the 429 was no answer
    assert not report.failed


def test_paid_calls_stop_at_the_cap_and_a_later_build_reads_just_the_rest(scan: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    with FakeVisionServer() as server:
        first = build(index, scan, without=LATER, config=config(server, **PRICES), max_cost=2.6)
        read = origins(index).count("native")
        assert 0 < read == len(server.asked) < len(NAMES)
        assert first.cost["native"] <= 2.6
        assert first.degraded == {"page not read by native: budget spent": len(NAMES) - read}
        assert first.owed == treegraph.status(index)["owed"] == {"native": len(NAMES) - read}
        (owing,) = treegraph.status(index)["owing"]
        assert (owing["count"], len(owing["pages"])) == (first.owed["native"], first.owed["native"])
        assert set(origins(index)) == {"native", "ocr"}
        assert all(name in text for (_, text), name in zip(pages(index), NAMES, strict=True))

        none = build(index, scan, without=LATER, config=config(server, **PRICES), max_cost=0.0)
        assert (none.generation, none.owed) == (None, first.owed)
        little = build(index, scan, without=LATER, config=config(server, **PRICES), max_cost=0.001)
        assert (little.generation, little.owed) == (None, first.owed), "read again, and the same"

        second = build(index, scan, without=LATER, config=config(server, **PRICES), max_cost=100.0)
        assert second.owed == {}
        assert origins(index) == ["native"] * len(NAMES)
        assert len(server.asked) == len(NAMES)
        assert second.tokens["native"]["calls"] == len(NAMES) - read
        third = build(index, scan, without=LATER, config=config(server, **PRICES))
    assert third.generation is None
    assert len(server.asked) == len(NAMES)


def test_a_server_that_is_not_there_is_named_by_its_address_without_secrets(
    scan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(retries, "ATTEMPTS", 1)
    seeing = VisionSettings(base_url="http://me:hidden@127.0.0.1:9/v1?key=hidden", model="fake-vision-1")
    report = build(tmp_path / "index", scan, without=LATER, config=replace(CONFIG, vision=seeing))
    assert report.degraded == {"page not read by native: model call error": len(NAMES)}
    (logged,) = [
        record.getMessage() for record in caplog.records if "not read by native" in record.getMessage()
    ]
    assert "of scans/line.pdf was not read by native: fake-vision-1 at http://127.0.0.1:9/v1: " in logged
    assert "hidden" not in logged
    assert origins(tmp_path / "index") == ["ocr"] * len(NAMES)


def test_pages_are_not_read_by_a_lesser_way_unless_that_is_meant(scan: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    with FakeVisionServer() as server:
        build(index, scan, without=LATER, config=config(server))
    with pytest.raises(
        treegraph.ConfigurationError, match=f"{len(NAMES)} pages .* --vision MODEL@URL .* --yes"
    ):
        build(index, scan, without=LATER)
    plan = build(index, scan, without=LATER, dry_run=True).plan
    assert plan is not None
    assert "--vision MODEL@URL" in plan.warnings[0]
    assert origins(index) == ["native"] * len(NAMES)
    report = build(index, scan, without=LATER, yes=True)
    assert report.degraded == {"page not read by native any more": len(NAMES)}
    assert origins(index) == ["ocr"] * len(NAMES)
    assert build(index, scan, without=LATER).degraded == {}
    meant = replace(CONFIG, load=LoadSettings(pdf="ocr"))
    assert build(index, scan, without=LATER, config=meant).degraded == {}


def test_pages_that_are_owed_to_a_model_are_not_read_without_it_either(
    scan: Path, tmp_path: Path, pauses: list[float]
) -> None:
    index = tmp_path / "index"
    with FakeVisionServer(lambda asked, right: Answer("not now", status=500)) as server:
        owing = build(index, scan, without=LATER, config=config(server))
    assert owing.owed == {"native": len(NAMES)}
    with pytest.raises(treegraph.ConfigurationError, match="holds or owes"):
        build(index, scan, without=LATER)


@pytest.mark.parametrize("mode", ["native", "ocr"])
def test_a_mode_that_nothing_at_hand_reads_in_is_wrong_usage(
    scan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: PdfMode
) -> None:
    monkeypatch.setattr(Models, "ocr_asked", "")
    asked = replace(CONFIG, load=LoadSettings(pdf=mode))
    with pytest.raises(treegraph.ConfigurationError, match=f"--pdf {mode}.*--pdf auto"):
        build(tmp_path / "index", scan, config=asked)
    assert not (tmp_path / "index").exists()


def test_pages_under_a_cap_and_all_that_rests_on_them_become_what_one_build_makes(
    scan: Path, tmp_path: Path
) -> None:
    def all_by_model(server: FakeVisionServer) -> treegraph.Config:
        server.answers(lambda prompt, number: Answer(right_answer(prompt)))
        seeing = config(server, **PRICES)
        return replace(by_model_at(server.base_url, PLANT), load=seeing.load, vision=seeing.vision)

    with FakeVisionServer() as server:
        build(tmp_path / "whole", scan, config=all_by_model(server), index_id=INDEX_ID)
        calls = len(server.prompts)
    index = tmp_path / "index"
    with FakeVisionServer() as server:
        settings = all_by_model(server)
        first = build(index, scan, config=settings, index_id=INDEX_ID, max_calls=2)
        assert first.owed["native"] >= 1
        assert first.owed["tree"] == first.nodes
        assert build(index, scan, config=settings).owed == {}
        assert len(server.prompts) == calls
    assert published_content(index) == published_content(tmp_path / "whole")


def test_a_cap_without_prices_is_a_mistake_before_anything_is_read(scan: Path, tmp_path: Path) -> None:
    with (
        FakeVisionServer() as server,
        pytest.raises(treegraph.ConfigurationError, match="price_in"),
    ):
        build(tmp_path / "index", scan, without=LATER, config=config(server), max_cost=1.0)
    assert not (tmp_path / "index").exists()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a page whose chart has its values in a picture alone."""
    folder = tmp_path_factory.mktemp("report") / "report"
    folder.mkdir()
    chart_pdf(folder / "annual.pdf")
    return folder


QUESTION = "How much was it in Q4?"


@pytest.fixture(scope="module")
def server() -> Iterator[FakeVisionServer]:
    with FakeVisionServer() as running:
        yield running


def built(
    server: FakeVisionServer, mode: PdfMode, source: Path, index: Path, fault: Fault | None = None
) -> Index:
    settings = config(server, mode)
    build(index, source, without=LATER, config=settings)
    return treegraph.open_index(index, config=settings, embedder=FakeHashEmbedder())


@pytest.mark.parametrize(("mode", "origin"), [("ocr", "ocr"), ("native", "native")])
def test_what_stands_in_a_picture_alone_is_found_and_says_how_it_was_read(
    server: FakeVisionServer, report: Path, tmp_path: Path, mode: PdfMode, origin: Origin
) -> None:
    with built(server, mode, report, tmp_path / "index") as index:
        hit = index.search("revenue in Q4")[0]
        assert "$180M" in hit.text
        assert hit.citations[0].origin == origin
        assert hit.citations[0].confidence is not None
        assert (DESCRIBED in hit.text) == (origin == "native")
        assert ("described by a model" in hit.context) == (origin == "native")


def test_text_mode_invents_nothing_and_looking_finds_it(
    server: FakeVisionServer, report: Path, tmp_path: Path
) -> None:
    with built(server, "text", report, tmp_path / "index") as index:
        hits = index.search("revenue by quarter")
        assert hits
        for hit in hits:
            assert "180" not in hit.text + hit.context
            assert hit.citations[0].origin == "text"
        looked = index.look(hits[0].id, None, QUESTION)
    assert looked.found
    assert "$180M" in looked.text
    assert (looked.citations[0].origin, looked.citations[0].pages) == ("native", (1,))
