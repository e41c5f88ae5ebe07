"""Pictures kept beside an index: whose they are, how long they stay, and who gets them."""

from __future__ import annotations

import asyncio
import base64
import json
from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest
import treegraph
from command_line import Here, validate
from folder_copies import copy_folder
from pictured_manual import CAPTION, FIGURE, write_manual
from small_index import CONFIG, build, open_small
from treegraph.indexer.errors import ConfigurationError
from treegraph.indexer.loaders.settings import LoadSettings
from treegraph.query.index import Index
from treegraph.query.tools.tool import Desk
from treegraph.query.tools.toolbox import Toolbox

KEEPING = replace(CONFIG, load=LoadSettings(keep_images=True))


def keep(index: Path, source: Path, **options: object) -> treegraph.BuildReport:
    options.setdefault("config", KEEPING)
    return build(index, source, without=["tree", "graph"], **options)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index in ``index`` of two manuals, ``open.pdf`` and ``closed.pdf``, the second for staff alone."""
    folder = tmp_path_factory.mktemp("kept")
    write_manual(folder / "m" / "open.pdf")
    write_manual(folder / "m" / "closed.pdf", shade=200)
    (folder / "m" / "closed.pdf.meta.toml").write_text('labels = ["staff"]')
    keep(folder / "index", folder / "m")
    return folder


def files(index: Path) -> set[str]:
    return {path.stem for path in (index / "images").iterdir()}


def test_a_picture_is_listed_where_it_is_read(kept: Path) -> None:
    with open_small(kept / "index") as index:
        pages = index.read("m/open.pdf@1")
        (image,) = pages.images
        assert image.chunk is not None
        chunk = index.read(image.chunk)
        assert CAPTION in chunk.text
        assert chunk.images == pages.images == index.read("m/open.pdf").images
        assert index.read("m/open.pdf@2-4").images == ()
        assert index.page_images("m/open.pdf", first=1, last=4) == (image,)
        validate("read", json.loads(json.dumps(pages.to_json())))
    assert (image.source, image.page, image.caption) == ("m/open.pdf", 1, CAPTION)
    box = image.box
    assert (box.x0, box.y0, box.x1, box.y1) == pytest.approx(tuple(FIGURE), abs=1)
    drawn = pymupdf.Pixmap(str(image.path))
    assert image.path.parent == kept / "index" / "images"
    assert (drawn.width, drawn.height) == (image.width, image.height) == pytest.approx((417, 250), abs=2)
    assert drawn.pixel(drawn.width // 40, drawn.height // 2) == (0, 120, 0)


def test_only_who_may_read_a_document_gets_its_pictures(kept: Path) -> None:
    with open_small(kept / "index") as index:
        (secret,) = index.read("m/closed.pdf@1", labels=["staff"]).images
        assert secret.chunk is not None
        for name in ("m/closed.pdf@1", secret.chunk, "m/closed.pdf"):
            with pytest.raises(ConfigurationError):
                index.read(name, labels=[])
        with pytest.raises(ConfigurationError):
            index.page_images("m/closed.pdf", labels=[])
        reply = Toolbox(Desk(index, ()), 2000).call("read", {"id": "m/closed.pdf@1"})
        assert (reply.failed, reply.pictures) == (True, ())


def test_agents_get_the_pictures_of_what_they_read(kept: Path) -> None:
    pytest.importorskip("mcp")
    from mcp import Client, types
    from treegraph.query.tools.mcp_server import ToolServer

    async def ask(index: Index) -> types.CallToolResult:
        async with Client(ToolServer(Toolbox(Desk(index, ()), 2000), 1).server) as client:
            return await client.call_tool("read", {"id": "m/open.pdf@1-4"})

    with open_small(kept / "index") as index:
        (image,) = index.read("m/open.pdf@1").images
        result = asyncio.run(ask(index))
        text, picture = result.content
        assert isinstance(text, types.TextContent)
        assert isinstance(picture, types.ImageContent)
        assert (picture.mime_type, base64.b64decode(picture.data)) == ("image/png", image.path.read_bytes())
        named = json.loads(text.text)["parts"][0]["images"]
        assert named == [{"id": image.id, "page": 1, "caption": CAPTION}]
        assert str(kept) not in text.text

        pytest.importorskip("llama_index.core")
        from llama_index.core.base.llms.types import ImageBlock

        assert image.chunk is not None
        read = next(tool for tool in index.as_tools() if tool.metadata.name == "read")
        output = read.call(id=image.chunk)
        (block,) = (block for block in output.blocks if isinstance(block, ImageBlock))
        assert block.resolve_image().read() == image.path.read_bytes()
        assert json.loads(output.content) == output.raw_output
        nodes = index.as_retriever(route="hybrid", labels=[]).retrieve("the gate in its frame")
        paths = [each["path"] for node in nodes for each in node.metadata.get("images", ())]
        assert paths == [str(image.path)]


def test_a_copied_index_has_its_pictures(kept: Path, tmp_path: Path) -> None:
    copied = copy_folder(kept / "index", tmp_path / "copied")
    with open_small(copied) as index:
        (image,) = index.read("m/open.pdf@1").images
    assert image.path.is_relative_to(copied)
    assert image.path.exists()


def test_pictures_go_with_their_documents_once_no_generation_needs_them(tmp_path: Path) -> None:
    source, index = tmp_path / "m", tmp_path / "index"
    write_manual(source / "stays.pdf")
    write_manual(source / "goes.pdf", shade=90)
    keep(index, source)
    both = files(index)
    assert len(both) == 2
    assert keep(index, source).generation is None  # nothing changed, nothing is drawn again
    with open_small(index) as reader:
        (gone,) = reader.read("m/goes.pdf@1").images
        (source / "goes.pdf").unlink()
        keep(index, source, yes=True)
        write_manual(source / "third.pdf")
        keep(index, source)
        assert files(index) == both  # the open index still holds the first generation
        assert reader.read("m/goes.pdf@1").images[0].path.exists()
    treegraph.gc(index)
    assert files(index) == both - {gone.id}
    with open_small(index) as reader:  # the same picture in two documents is one file
        ids = {reader.read(f"m/{name}.pdf@1").images[0].id for name in ("stays", "third")}
    assert ids == files(index)


def test_without_the_setting_none_are_kept_and_a_limit_is_counted(tmp_path: Path) -> None:
    source, index = tmp_path / "m", tmp_path / "index"
    write_manual(source / "a.pdf")
    keep(index, source, config=CONFIG)
    assert not (index / "images").exists()
    limited = replace(CONFIG, load=LoadSettings(keep_images=True, max_images=0))
    report = keep(index, source, config=limited)
    assert report.dropped["picture over max_images"] == 1
    keep(index, source)
    assert len(files(index)) == 1
    with open_small(index) as opened:
        assert len(opened.read("m/a.pdf@1").images) == 1


def test_the_command_keeps_and_lists_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kept: Path
) -> None:
    here = Here.entered(tmp_path, monkeypatch, capsys)
    monkeypatch.setenv("TREEGRAPH_INDEX", str(kept / "index"))
    done = here("read", "m/open.pdf@1", "--json").json("read")
    assert Path(done["images"][0]["path"]).exists()
    assert f"image on page 1: {done['images'][0]['id']}" in here("read", "m/open.pdf@1").out
    held = here("status", "--json").json("status")["documents"]
    assert [document["images"] for document in held] == [1, 1]
    monkeypatch.setenv("TREEGRAPH_CHUNK_TOKENIZER", "words")
    for flags, unchanged in ((("--keep-images",), 2), ((), 0)):
        dry = here("build", str(kept / "m"), *flags, "--dry-run", "--json").json("build")
        assert dry["documents"]["unchanged"] == unchanged
