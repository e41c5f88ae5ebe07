"""The page of a passage as a picture: drawn from the source as it was read, for who may read it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pymupdf
import pytest
import treegraph
from command_line import Here
from fake_vision import FakeVisionServer
from page_pictures import scanned_pdf
from pictured_manual import GATE, OVERLEAF, write_manual
from PIL import Image
from scripted_reader import ScriptedReader
from small_index import CONFIG, build, open_small
from treegraph.indexer.errors import ConfigurationError, PageUnavailable, SourceChanged, SourceGone
from treegraph.indexer.loaders.pdf import read_pdf
from treegraph.indexer.loaders.settings import LoadSettings
from treegraph.indexer.models import ocr
from treegraph.indexer.models.settings import VisionSettings
from treegraph.indexer.pages import PageBox
from treegraph.indexer.types import Content
from treegraph.pipelines.cli.app import run
from treegraph.query.index import Index

SAMPLE = Path(__file__).parents[2] / "corpora" / "sample" / "heron-field-guide.pdf"
YELLOW = (255, 238, 136)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of ``m/gate.pdf`` and of a Markdown file beside it."""
    folder = tmp_path_factory.mktemp("show")
    write_manual(folder / "m" / "gate.pdf")
    (folder / "m" / "lamp.md").write_text("# Lamp\n\nThe lamp of the gate is orange.\n")
    build(folder / "treegraph.index", folder / "m", without=["graph"])
    return folder / "treegraph.index"


@pytest.fixture
def here(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Here:
    entered = Here.entered(tmp_path, monkeypatch, capsys)
    monkeypatch.setenv("TREEGRAPH_INDEX", str(index))
    return entered


@pytest.fixture
def source(index: Path) -> Iterator[Path]:
    """The manual's file, which is put back afterwards."""
    path = index.parent / "m" / "gate.pdf"
    before = path.read_bytes()
    yield path
    path.with_name("moved.pdf").unlink(missing_ok=True)
    path.write_bytes(before)


def chunk_with(index: Index, text: str) -> str:
    names = (document.source for document in index.readable())
    ids = (each for name in names for each in index.read(name).below)
    return next(each for each in ids if text in index.read(each).text)


def plain(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def tinted(png: bytes, box: PageBox, dpi: float) -> bool:
    """Whether the box's corner, which holds no ink, was made yellow."""
    picture, scale = pymupdf.Pixmap(png), dpi / 72
    return picture.pixel(round((box.x1 - 0.5) * scale), round((box.y0 + 0.5) * scale)) == YELLOW


def test_a_chunk_is_shown_marked_where_it_stands(index: Path) -> None:
    with open_small(index) as opened:
        name = chunk_with(opened, GATE)
        (citation,) = opened.read(name).citations
        pages = opened.show(name, dpi=144)
    assert [page.number for page in pages] == list(citation.pages or ())
    assert tuple(box for page in pages for box in page.boxes) == citation.boxes
    first = pages[0]
    assert (first.source, first.width, first.height, first.dpi) == ("m/gate.pdf", 1190, 1684, 144)
    assert all(tinted(page.png, box, 144) for page in pages for box in page.boxes)


def test_a_document_shows_its_first_page(index: Path) -> None:
    with open_small(index) as opened:
        (document,) = (each for each in opened.readable() if each.source == "m/gate.pdf")
        (page,) = opened.show(document.id)
    assert (page.number, page.boxes, page.document) == (1, (), document.id)


def test_a_node_shows_the_leaf_that_says_most_of_what_it_says(tmp_path: Path) -> None:
    build(tmp_path / "index", SAMPLE, without=["graph"])
    with open_small(tmp_path / "index") as opened:
        nodes = [child for child in opened.tree(depth=1).children if child.id and child.level == 1]
        assert len(nodes) > 2
        for node in nodes[:4]:
            assert node.id is not None
            reading = opened.read(node.id)
            boxes = [box for page in opened.show(node.id, dpi=36) for box in page.boxes]
            leaf = next(each for each in reading.citations if list(each.boxes) == boxes)
            shared = {
                each.chunk: len(plain(reading.text) & plain(opened.read(each.chunk).text))
                for each in reading.citations
            }
            assert shared[leaf.chunk] >= 0.8 * max(shared.values())


def test_the_command_writes_a_file_a_page(index: Path, here: Here) -> None:
    with open_small(index) as opened:
        name = chunk_with(opened, OVERLEAF[:30])
    done = here("show", name, "-o", "found.png", "--json").json("show")
    numbers = [page["page"] for page in done["pages"]]
    paths = [page["path"] for page in done["pages"]]
    assert set(numbers) >= {2, 3}
    assert paths == ["found.png", *(f"found-{number}.png" for number in numbers[1:])]
    for page in done["pages"]:
        drawn = pymupdf.Pixmap(page["path"])
        assert (drawn.width, drawn.height) == (page["width"], page["height"])
        assert all(box["page"] == page["page"] for box in page["boxes"])
    shown = here("show", "m/gate.pdf@2-4", "--dpi", "36")
    assert shown.out.splitlines() == ["gate-2.png", "gate-3.png", "gate-4.png"]
    turned = pymupdf.Pixmap("gate-4.png")
    assert (turned.width, turned.height) == (300, 200)


@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        ("m/lamp.md", 2, "no pages"),
        ("m/gate.pdf@9", 2, "pages 1-4"),
        ("m/nothing.pdf", 2, "nothing to"),
        ("m/gate.pdf@1", 3, "cannot write"),
    ],
)
def test_what_cannot_be_shown_is_said(index: Path, here: Here, asked: str, code: int, said: str) -> None:
    done = here("show", asked, "-o", "no/such/folder/a.png", "--json")
    assert done.code == code
    assert said in json.loads(done.out)["error"]["message"]


def test_a_place_that_is_neither_a_folder_nor_a_picture_is_refused(index: Path, here: Here) -> None:
    for place in ("pictures", "page.jpg"):
        done = here("show", "m/gate.pdf@1", "-o", place)
        assert done.code == 2
        assert f"-o {place} is neither a folder that exists nor a file that ends in .png" in done.err
        assert not (here.path / place).exists()
    missing = here("show", "m/gate.pdf@1", "-o", "no/page.png")
    assert "there is no folder no" in missing.err
    (here.path / "pictures").mkdir()
    assert here("show", "m/gate.pdf@1", "-o", "pictures").out.strip() == "pictures/gate-1.png"


def edit(path: Path) -> None:
    write_manual(path, text="Another text stands here now.")


@pytest.mark.parametrize(
    ("change", "error", "advice"),
    [
        (Path.unlink, SourceGone, "put it back"),
        (lambda path: path.rename(path.with_name("moved.pdf")), SourceGone, "where it is now"),
        (edit, SourceChanged, "build again"),
    ],
    ids=["removed", "renamed", "changed"],
)
def test_a_file_that_is_not_what_was_read_is_named(
    index: Path, source: Path, change: Callable[[Path], object], error: type[Exception], advice: str
) -> None:
    with open_small(index) as opened:
        os.utime(source, (1, 1))
        assert opened.show("m/gate.pdf@1")[0].number == 1  # a new date is no change
        change(source)
        with pytest.raises(error, match=advice) as raised:
            opened.show("m/gate.pdf@1")
    assert "m/gate.pdf" in str(raised.value)


def test_a_locked_file_needs_its_password_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_manual(tmp_path / "m" / "gate.pdf", password="sesame")
    load = LoadSettings(passwords={"m/*.pdf": "env:GATE_PASSWORD"})
    config = replace(CONFIG, load=load)
    monkeypatch.setenv("GATE_PASSWORD", "sesame")
    build(tmp_path / "index", tmp_path / "m", config=config, without=["tree", "graph"])
    with treegraph.open_index(tmp_path / "index", config=config) as opened:
        assert opened.show("m/gate.pdf@1")[0].width > 0
        monkeypatch.setenv("GATE_PASSWORD", "mellon")
        with pytest.raises(PageUnavailable, match=r"\$GATE_PASSWORD, which is not the one"):
            opened.show("m/gate.pdf@1")
        monkeypatch.delenv("GATE_PASSWORD")
        with pytest.raises(PageUnavailable, match=r"\$GATE_PASSWORD, which is not set"):
            opened.show("m/gate.pdf@1")
    with open_small(tmp_path / "index") as opened, pytest.raises(PageUnavailable, match=r"load\.passwords"):
        opened.show("m/gate.pdf@1")


class Redaction:
    """Blacks out the word lamp."""

    name = "lamp"

    def __call__(self, source: str, content: Content) -> Content:
        return replace(content, text=content.text.replace("lamp", "xxxx"))


def test_what_an_edit_took_out_is_not_shown_by_the_file(tmp_path: Path) -> None:
    manual = write_manual(tmp_path / "m" / "gate.pdf")
    keeping = replace(CONFIG, load=LoadSettings(keep_images=True))
    options: dict[str, Any] = {"config": keeping, "without": ["tree", "graph"]}
    build(tmp_path / "index", manual.parent, edit=Redaction(), **options)
    with FakeVisionServer() as server:
        vision = VisionSettings(base_url=server.base_url, model="fake-vision-1")
        with treegraph.open_index(tmp_path / "index", config=replace(CONFIG, vision=vision)) as opened:
            assert "xxxx" in opened.read("m/gate.pdf").text
            with pytest.raises(PageUnavailable, match="under an edit"):
                opened.show("m/gate.pdf@1")
            with pytest.raises(PageUnavailable, match="under an edit"):
                opened.look("m/gate.pdf", 1, "Which colour has it?")
            assert opened.read("m/gate.pdf").images == ()
        assert not server.asked
    assert not list(tmp_path.glob("index/images/*"))
    manual.rename(manual.with_name("door.pdf"))
    build(tmp_path / "index", manual.parent, edit=Redaction(), **options)
    with open_small(tmp_path / "index") as opened, pytest.raises(PageUnavailable, match="under an edit"):
        opened.show("m/door.pdf@1")
    build(tmp_path / "index", manual.parent, **options)
    with open_small(tmp_path / "index") as opened:
        assert opened.show("m/door.pdf@1")
        assert len(opened.read("m/door.pdf").images) == 1


def test_who_may_not_read_it_may_not_see_it(tmp_path: Path) -> None:
    write_manual(tmp_path / "m" / "gate.pdf")
    (tmp_path / "m" / "gate.pdf.meta.toml").write_text('labels = ["staff"]')
    build(tmp_path / "index", tmp_path / "m", without=["tree", "graph"])
    with open_small(tmp_path / "index") as opened:
        name = chunk_with(opened, GATE)
        assert opened.show(name, labels=["staff"])
        for asked in (name, "m/gate.pdf", "m/gate.pdf@1"):
            with pytest.raises(ConfigurationError, match="nothing to"):
                opened.show(asked, labels=[])


@pytest.mark.parametrize("name", ["plate.png", "plate.jpg", "plates.tiff", "scan.pdf"])
def test_what_was_read_from_a_picture_is_marked_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "m").mkdir()
    scan = scanned_pdf(tmp_path / "scan.pdf", [[GATE], [OVERLEAF]], dpi=72)
    write_pictures(scan, tmp_path / "m" / name)
    monkeypatch.setattr(ocr, "load_ocr", lambda settings: ScriptedReader(lambda n: f"Plate {n} of the gate."))
    build(tmp_path / "index", tmp_path / "m", without=["tree", "graph"])
    with open_small(tmp_path / "index") as opened:
        (*_, last) = opened.read(f"m/{name}").below
        *_, page = opened.show(last, dpi=72)
    (box,) = page.boxes
    assert box.y0 == pytest.approx(40, abs=3)
    assert box.y1 == pytest.approx(54, abs=3)
    assert box.x0 == pytest.approx(24, abs=3)
    assert page.number == (2 if name in ("plates.tiff", "scan.pdf") else 1)
    assert tinted(page.png, box, page.dpi)
    asked = ["-i", str(tmp_path / "index"), "show", f"m/{name}@1", "-o", str(tmp_path)]
    assert run(asked) == 0
    assert (tmp_path / f"{Path(name).stem}-1.png").is_file()


def write_pictures(scan: Path, path: Path) -> None:
    """The pages of ``scan`` as an image file, of 72 dots an inch; as it is where that is a PDF."""
    if path.suffix == ".pdf":
        scan.rename(path)
        return
    with pymupdf.open(scan) as document:
        drawn = (page.get_pixmap(dpi=72) for page in document)
        first, *rest = (Image.frombytes("RGB", (each.width, each.height), each.samples) for each in drawn)
    more = {"save_all": True, "append_images": rest} if path.suffix == ".tiff" else {}
    first.save(path, dpi=(72, 72), **more)


def test_what_was_handed_in_has_no_file_to_be_drawn_from(tmp_path: Path) -> None:
    build(tmp_path / "index", write_manual(tmp_path / "m" / "gate.pdf").parent, without=["tree", "graph"])
    with open_small(tmp_path / "index") as opened:
        (document,) = opened.readable()
        content = read_pdf(tmp_path / "m" / "gate.pdf", LoadSettings(), None)
        opened.upsert([replace(document, id="handed", source="handed", content=content)])
        with pytest.raises(PageUnavailable, match="handed in by a program"):
            opened.show("handed@1")
