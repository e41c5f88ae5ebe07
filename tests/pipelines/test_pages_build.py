"""A build over pages that their text layers do not give, from the files to what a search shows of them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pymupdf
import pytest
import treegraph
from fake_vision import FakeVisionServer
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from page_pictures import HEIGHT, WIDTH, scanned_pdf, text_page, text_pdf
from scripted_reader import ScriptedReader
from small_index import CONFIG, build, open_small
from treegraph.indexer.chunking import ChunkSettings
from treegraph.indexer.errors import Cancelled, ModelCallError, UnusablePage
from treegraph.indexer.models import ocr
from treegraph.indexer.models.settings import VisionSettings
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.pipelines.events import Event
from treegraph.pipelines.maintenance import status
from treegraph.query.tools.llama_nodes import node_of
from treegraph.query.tools.places import place
from treegraph.query.tree_settings import TreeReadSettings

RESET = ("Reset the unit by holding the blue button", "for seven seconds until the lamp blinks.")
MOUNT = ("The relay is mounted on the rear panel.", "It draws 40 mA from the supply.")
CERTIFICATE = ("Calibration certificate number 8841", "valid until March of next year.")
SMALL = replace(CONFIG, chunk=ChunkSettings(size=16, tokenizer="words"))
ALONE = ("tree", "graph")


def mixed_pdf(path: Path, dpi: int = 100) -> Path:
    """Text, a scan, a blank page, text."""
    document = pymupdf.open(scanned_pdf(path.with_name("drawn"), [RESET], dpi=dpi))
    text_page(document, MOUNT)
    document.move_page(1, 0)
    document.new_page(width=WIDTH, height=HEIGHT)
    text_page(document, ("Spare fuses are rated 3.15 A slow blow.",))
    document.save(path)
    path.with_name("drawn").unlink()
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "m"
    folder.mkdir()
    mixed_pdf(folder / "mixed.pdf")
    scanned_pdf(folder / "scan.pdf", [CERTIFICATE], dpi=100)
    text_pdf(folder / "plain.pdf", [("A plain page of text that needs nothing else.",)])
    return folder


class Files:
    """Which files a build read: a listener."""

    def __init__(self) -> None:
        self.read: set[str] = set()
        self.pages: list[tuple[int, int | None]] = []

    def __call__(self, event: Event) -> None:
        if (event.stage, event.unit) == ("index", "files") and event.item:
            self.read.add(event.item)
        if (event.stage, event.unit) == ("ocr", "pages"):
            self.pages.append((event.done, event.total))


def in_mode(mode: str, config: treegraph.Config = CONFIG) -> treegraph.Config:
    return replace(config, load=replace(config.load, pdf=mode))


def test_a_folder_of_text_and_scans_is_read_and_found_with_its_pages(tmp_path: Path, folder: Path) -> None:
    index, files = tmp_path / "index", Files()
    report = build(index, folder, on_event=files, config=SMALL)
    assert report.failed == []
    assert report.to_json()["read"] == {"text": 3, "ocr": 2}
    assert report.to_json()["unreadable"] == {}
    assert files.pages[-1] == (2, 2)
    assert {"ocr", "load"} <= report.seconds.keys()
    with open_small(index) as opened:
        hit = opened.search("hold the blue button to reset the unit", route="hybrid")[0]
        citation = hit.citations[0]
        assert (citation.source, citation.pages, citation.origin) == ("m/mixed.pdf", (2,), "ocr")
        assert citation.confidence is not None
        assert citation.confidence > 0.8
        assert "blue button" in hit.text
        text = opened.search("where is the relay mounted", route="hybrid")[0].citations[0]
        assert (text.pages, text.origin, text.confidence) == ((1,), "text", None)
    told = {document["source"]: document for document in status(index)["documents"]}
    mixed = told["m/mixed.pdf"]
    assert (mixed["read"], mixed["why"]) == ({"text": 2, "ocr": 1}, {"an image without text": 1})
    assert (mixed["empty_pages"], mixed["unreadable_pages"]) == ([3], [])
    assert told["m/plain.pdf"]["why"] == {}


def test_damaged_pages_stay_named_in_later_builds_and_in_status(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    document = pymupdf.open()
    for number in range(12):
        text_page(document, (f"Sheet {number} tells about its own part.",))
    data = document.tobytes()
    (tmp_path / "m" / "cut.pdf").write_bytes(data[: data.rindex(b"endobj", 0, len(data) // 2) + 6])
    first = build(tmp_path / "index", tmp_path / "m", without=ALONE)
    lost = first.unreadable["m/cut.pdf"]
    assert len(lost) == first.dropped["damaged page"] > 3
    again = build(tmp_path / "index", tmp_path / "m", without=ALONE)
    assert again.generation is None
    assert again.unreadable == {"m/cut.pdf": lost}
    (told,) = status(tmp_path / "index")["documents"]
    assert (told["unreadable_pages"], told["why"]) == (lost, {"damaged page": len(lost)})


def test_a_web_page_in_place_of_a_pdf_fails_and_the_good_version_stays(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    path = text_pdf(tmp_path / "m" / "relay.pdf", [MOUNT])
    build(tmp_path / "index", tmp_path / "m", without=ALONE)
    path.write_text("<!doctype html><title>Session expired</title><p>Log in to download.")
    report = build(tmp_path / "index", tmp_path / "m", without=ALONE)
    (failure,) = report.failed
    assert (failure.reason, failure.stale) == ("corrupt file", True)
    assert "holds a web page" in failure.message
    with open_small(tmp_path / "index") as index:
        assert "rear panel" in index.search("where is the relay mounted", route="hybrid")[0].text


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ScriptedReader]:
    """Puts a scripted reader in the place of OCR, with the sureness that it is given."""

    def put(say: Callable[[int], str] = lambda n: " ".join(RESET)) -> ScriptedReader:
        reader = ScriptedReader(say)
        monkeypatch.setattr(ocr, "load_ocr", lambda settings: reader)
        return reader

    return put


@pytest.fixture
def not_installed(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Has OCR missing, or there again."""
    there = ocr.version

    def missing(package: str) -> str:
        raise PackageNotFoundError(package)

    return lambda gone: monkeypatch.setattr(ocr, "version", missing if gone else there)


def test_without_ocr_pages_are_named_and_once_it_is_there_only_their_files_are_read(
    tmp_path: Path,
    folder: Path,
    scripted: Callable[..., ScriptedReader],
    not_installed: Callable[[bool], None],
) -> None:
    index = tmp_path / "index"
    not_installed(True)
    report = build(index, folder, without=ALONE)
    assert report.unreadable == {"m/mixed.pdf": [2]}
    assert [(failure.source, failure.reason) for failure in report.failed] == [("m/scan.pdf", "no text")]
    assert "pip install 'treegraph[ocr]'" in report.failed[0].message
    not_installed(False)
    reader, files = scripted(), Files()
    report = build(index, folder, without=ALONE, on_event=files)
    assert files.read == {"m/mixed.pdf", "m/scan.pdf"}
    assert (report.unreadable, report.failed, report.read) == ({}, [], {"text": 3, "ocr": 2})
    assert sorted(reader.read_pages) == [1, 2]
    assert build(index, folder, without=ALONE).generation is None


@pytest.mark.parametrize(
    ("mode", "read"),
    [
        ("text", {"m/mixed.pdf", "m/scan.pdf"}),
        ("ocr", {"m/mixed.pdf", "m/scan.pdf", "m/plain.pdf"}),
    ],
)
def test_another_mode_reads_the_files_that_it_touches(
    mode: str, read: set[str], tmp_path: Path, folder: Path, scripted: Callable[..., ScriptedReader]
) -> None:
    index, files = tmp_path / "index", Files()
    scripted()
    (folder / "notes.md").write_text("# Notes\n\nNothing of this is a page.\n")
    build(index, folder, without=ALONE)
    build(index, folder, without=ALONE, config=in_mode(mode), on_event=files)
    assert files.read == read
    assert build(index, folder, without=ALONE, config=in_mode(mode)).generation is None


def test_a_page_read_in_another_way_changes_the_rows_of_its_own_chunks_alone(
    tmp_path: Path,
    folder: Path,
    scripted: Callable[..., ScriptedReader],
    not_installed: Callable[[bool], None],
) -> None:
    index = tmp_path / "index"
    (folder / "scan.pdf").unlink()
    scripted()
    build(index, folder, without=ALONE, config=SMALL)
    rows = published_content(index)["rows"]
    before = {key: payload["first_page"] for key, (payload, _, _) in rows.items()}
    scripted(lambda n: "Something else is read on the page by now.")
    reread = replace(SMALL, ocr=replace(SMALL.ocr, dpi=120))
    build(index, folder, without=ALONE, config=reread)
    after = published_content(index)["rows"].keys()
    assert {before[key] for key in before.keys() - after} == {2}
    assert {before[key] for key in before.keys() & after} == {1, 4}


def test_passages_that_were_read_unsurely_can_be_left_out(
    tmp_path: Path, folder: Path, scripted: Callable[..., ScriptedReader]
) -> None:
    index = tmp_path / "index"
    scripted()  # which is sure to 0.9
    build(index, folder, config=SMALL)
    with open_small(index) as opened:
        for route in ("hybrid", "tree", "graph", "auto"):
            assert _origins(opened, route) == {"text", "ocr"}
            assert _origins(opened, route, min_confidence=0.9) == {"text", "ocr"}
            assert _origins(opened, route, min_confidence=0.95) == {"text"}
        read = next(hit for hit in opened.search(" ".join(RESET), route="hybrid") if _is_scanned(hit))
        shown = place(read.citations[0])
        assert (shown["origin"], shown["confidence"]) == ("ocr", 0.9)
        told = node_of(read).metadata
        assert (told["origin"], told["confidence"]) == ("ocr", 0.9)
        with pytest.raises(treegraph.ConfigurationError, match="min_confidence"):
            opened.search("fuses", min_confidence=1.5)


def test_what_is_unsure_takes_no_surer_passages_place(
    tmp_path: Path, scripted: Callable[..., ScriptedReader]
) -> None:
    """Summaries of pages that were read unsurely are found first, and left out before hits are counted."""
    (tmp_path / "m").mkdir()
    scanned_pdf(tmp_path / "m" / "scan.pdf", [("-",)] * 6, dpi=40)
    text_pdf(tmp_path / "m" / "plain.pdf", [("The lamp blinks once.",), ("A unit has a button.",)])
    scripted(lambda n: f"Reset the unit by holding the blue button {n} for seven seconds.")
    build(tmp_path / "index", tmp_path / "m", config=SMALL, without=("graph",))
    collapsed = replace(SMALL, tree_read=TreeReadSettings(read="collapsed"))
    embedder = FakeHashEmbedder()
    with treegraph.open_index(tmp_path / "index", config=collapsed, embedder=embedder) as opened:
        asked = "Reset the unit by holding the blue button for seven seconds"
        assert all(hit.citations[0].origin == "ocr" for hit in opened.search(asked, route="tree", k=1))
        hits = opened.search(asked, route="tree", k=1, min_confidence=0.95)
    assert [citation.origin for hit in hits for citation in hit.citations[:1]] == ["text"]


def test_an_answer_is_not_completed_by_what_was_read_unsurely(
    tmp_path: Path, scripted: Callable[..., ScriptedReader]
) -> None:
    (tmp_path / "m").mkdir()
    begun = (
        "In an emergency the main pump of this plant",
        "is switched off with the long lever that is mounted",
    )
    mixed = pymupdf.open(scanned_pdf(tmp_path / "drawn.pdf", [("-",)], dpi=40))
    text_page(mixed, begun)
    mixed.move_page(1, 0)
    mixed.save(tmp_path / "m" / "pump.pdf")
    scripted(lambda n: "behind the green door of the hall.")
    build(tmp_path / "index", tmp_path / "m", config=SMALL, without=ALONE)
    told, asked = {}, "How is the main pump switched off in an emergency?"
    for least in (0.0, 0.95):
        config = replace(SMALL, search=replace(SMALL.search, min_confidence=least))
        with treegraph.open_index(tmp_path / "index", config=config, embedder=FakeHashEmbedder()) as opened:
            told[least] = opened.ask(asked, route="hybrid").text
    assert "long lever" in told[0.0]
    assert "green door" in told[0.0]
    assert "long lever" in told[0.95]
    assert "green door" not in told[0.95]


def _is_scanned(hit: treegraph.Hit) -> bool:
    return hit.citations[0].origin == "ocr"


def _origins(opened: treegraph.Index, route: str, **options: float) -> set[str]:
    hits = opened.search("hold the button, relay, fuses", route=route, k=20, **options)  # type: ignore[arg-type]
    return {citation.origin for hit in hits for citation in hit.citations}


def test_a_build_that_was_stopped_goes_on_with_the_pages_that_are_left(
    tmp_path: Path, scripted: Callable[..., ScriptedReader]
) -> None:
    index, cancel = tmp_path / "index", threading.Event()
    scan = scanned_pdf(tmp_path / "scan.pdf", [(f"page {n}",) for n in range(5)], dpi=40)

    def stops(number: int) -> str:
        if number == 3:
            cancel.set()
        return f"What the page of number {number} says."

    first = scripted(stops)
    first.concurrency = 1
    with pytest.raises(Cancelled):
        build(index, scan, without=ALONE, cancel=cancel)
    second = scripted(stops)
    report = build(index, scan, without=ALONE)
    assert (first.read_pages, sorted(second.read_pages)) == ([1, 2, 3], [4, 5])
    assert report.read == {"ocr": 5}


def test_what_cannot_be_read_is_counted_and_the_rest_of_the_file_is_there(
    tmp_path: Path, folder: Path, scripted: Callable[..., ScriptedReader]
) -> None:
    def fails(number: int) -> str:
        raise ModelCallError("no")

    index = tmp_path / "index"
    scripted(fails)
    report = build(index, folder, without=ALONE)
    assert report.degraded["page not read by ocr: model call error"] == 2
    assert report.unreadable == {"m/mixed.pdf": [2]}
    assert [failure.source for failure in report.failed] == ["m/scan.pdf"]
    assert "ocr failed" in report.failed[0].message
    assert {document["source"] for document in status(index)["documents"]} == {"m/mixed.pdf", "m/plain.pdf"}


def test_pages_on_which_ocr_finds_nothing_are_named(
    tmp_path: Path, folder: Path, scripted: Callable[..., ScriptedReader]
) -> None:
    index = tmp_path / "index"
    scripted(lambda number: "")
    report = build(index, folder, without=ALONE)
    assert report.unreadable["m/mixed.pdf"] == [2]
    (mixed,) = [one for one in status(index)["documents"] if one["source"] == "m/mixed.pdf"]
    assert mixed["unreadable_pages"] == [2]
    assert mixed["why"] == {"an image without text": 1}


def test_what_was_read_of_a_file_goes_with_it(
    tmp_path: Path, folder: Path, scripted: Callable[..., ScriptedReader]
) -> None:
    index = tmp_path / "index"
    scripted()
    build(index, folder, without=ALONE)
    (folder / "scan.pdf").rename(folder / "renamed.pdf")
    build(index, folder, without=ALONE)
    assert _readings(index) == {"m/mixed.pdf", "m/renamed.pdf"}
    (folder / "renamed.pdf").unlink()
    build(index, folder, without=ALONE)
    (folder / "plain.pdf").unlink()
    build(index, folder, without=ALONE)  # the generation that held it is not kept any more
    assert _readings(index) == {"m/mixed.pdf"}


def test_what_a_stopped_build_read_outlives_builds_of_other_sources_but_not_many(
    tmp_path: Path, scripted: Callable[..., ScriptedReader]
) -> None:
    index, cancel, other = tmp_path / "index", threading.Event(), tmp_path / "other"
    scan = scanned_pdf(tmp_path / "scan.pdf", [("one",), ("two",)], dpi=40)
    other.mkdir()

    def stops(number: int) -> str:
        cancel.set()
        return "What the first page says, in a few words."

    scripted(stops).concurrency = 1
    with pytest.raises(Cancelled):
        build(index, scan, without=ALONE, cancel=cancel)
    for number in range(10):
        assert _readings(index) == {"scan.pdf"}, number
        (other / "notes.md").write_text(f"# Notes\n\nThey were written {number} times.\n")
        build(index, other, without=ALONE)
    assert _readings(index) == set()


def test_what_was_read_of_a_file_that_failed_goes_with_it(
    tmp_path: Path, folder: Path, scripted: Callable[..., ScriptedReader]
) -> None:
    def blurred(number: int) -> str:
        raise UnusablePage("no", "a blur")

    index = tmp_path / "index"
    scripted(blurred)
    build(index, folder, without=ALONE)
    assert _readings(index) == {"m/mixed.pdf", "m/scan.pdf"}
    (folder / "scan.pdf").unlink()
    build(index, folder, without=ALONE)
    assert _readings(index) == {"m/mixed.pdf"}


def _readings(index: Path) -> set[str]:
    folder = IndexFolder.open(index)
    try:
        return {row["source"] for row in folder.ledger.rows("SELECT source FROM readings")}
    finally:
        folder.close()


def test_a_scan_that_could_not_be_paid_for_is_tried_again(
    tmp_path: Path, not_installed: Callable[[bool], None]
) -> None:
    index = tmp_path / "index"
    scan = scanned_pdf(tmp_path / "scan.pdf", [CERTIFICATE])
    not_installed(True)
    with FakeVisionServer() as server:
        vision = VisionSettings(
            base_url=server.base_url, model="fake-vision-1", tokens=300, price_in=1.0, price_out=1.0
        )
        seeing = replace(CONFIG, vision=vision)
        report = build(index, scan, without=ALONE, config=seeing, max_cost=0.0)
        assert [(failure.source, failure.reason) for failure in report.failed] == [
            ("scan.pdf", "pages unread")
        ]
        assert "native failed: budget spent; build again" in report.failed[0].message
        report = build(index, scan, without=ALONE, config=seeing, max_cost=10.0)
    assert (report.failed, report.read) == ([], {"native": 1})
