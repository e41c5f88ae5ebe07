"""Image files as documents, and scans of every coding in PDFs, drawn and read by the real engine."""

import io
import random
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from ocr_pages import PUMP, typeset
from PIL import Image
from treegraph.indexer.errors import CorruptFile, LimitExceeded, LoadError, NoText
from treegraph.indexer.loaders import LoadSettings, media
from treegraph.indexer.loaders.child import ParserPool
from treegraph.indexer.loaders.detect import detect
from treegraph.indexer.models.ocr import load_ocr
from treegraph.indexer.models.ports import PageReader
from treegraph.indexer.models.settings import OcrSettings
from treegraph.indexer.types import Content

LINE = PUMP[0]


@pytest.fixture(scope="module")
def pool() -> Iterator[ParserPool]:
    with ParserPool(LoadSettings(ocr=True), 1) as pool:
        yield pool


@pytest.fixture(scope="module")
def reader() -> PageReader:
    return load_ocr(OcrSettings())


@pytest.fixture(scope="module")
def scan() -> Image.Image:
    drawn = typeset(PUMP[:1], width=330, height=120).get_pixmap(dpi=150, alpha=False)
    return Image.frombytes("RGB", (drawn.width, drawn.height), drawn.samples)


def read(path: Path, pool: ParserPool, reader: PageReader, dpi: float = 150) -> Content:
    """As a build does: by text, then what is wanted by its picture."""
    media_type = detect(path)
    wanted = pool.parse(path, media_type).wanted
    readings = [reader.read(pool.draw(path, media_type, page.number, dpi)) for page in wanted]
    return pool.parse(path, media_type, readings=readings)


def sixteen_bits(image: Image.Image) -> Image.Image:
    return Image.fromarray(np.asarray(image.convert("L")).astype(np.uint16) * 257)


SAVED: dict[str, Callable[[Image.Image, Path], None]] = {
    "rgb.png": lambda image, path: image.save(path),
    "alpha.png": lambda image, path: image.convert("RGBA").save(path),
    "deep.png": lambda image, path: sixteen_bits(image).save(path),
    "moving.png": lambda image, path: image.save(path, save_all=True, append_images=[image.rotate(9)]),
    "rgb.jpg": lambda image, path: image.save(path, quality=70),
    "ink.jpg": lambda image, path: image.convert("CMYK").save(path),
    "ink.tif": lambda image, path: image.convert("CMYK").save(path),
    "deep.tif": lambda image, path: sixteen_bits(image).save(path),
    "fax.tif": lambda image, path: image.convert("1").save(path, compression="group4"),
    "fine.tif": lambda image, path: image.resize((2750, 1000)).save(path, dpi=(600, 600)),
}


@pytest.mark.parametrize("name", SAVED)
def test_images_of_every_kind_are_read(
    name: str, tmp_path: Path, scan: Image.Image, pool: ParserPool, reader: PageReader
) -> None:
    path = tmp_path / name
    SAVED[name](scan, path)
    content = read(path, pool, reader)
    assert content.media_type in media.IMAGES
    assert content.text == LINE
    (page,) = content.pages
    assert (page.origin, page.why, page.images) == ("ocr", "an image without text", 1.0)
    assert page.confidence is not None
    assert page.confidence > 0.9


def test_a_tiff_has_as_many_pages_as_it_holds(
    tmp_path: Path, scan: Image.Image, pool: ParserPool, reader: PageReader
) -> None:
    path = tmp_path / "several.tif"
    others = [Image.new("RGB", scan.size, "white"), scan.rotate(180)]
    scan.save(path, save_all=True, append_images=others, compression="tiff_lzw")
    content = read(path, pool, reader)
    assert [content.text[page.start : page.end].strip() for page in content.pages] == [LINE, "", LINE]
    assert content.pages[1].why == "an image without text; no text in its picture"
    with ParserPool(LoadSettings(ocr=True, max_pages=2), 1) as strict, pytest.raises(LimitExceeded):
        strict.parse(path, media.TIFF)


def test_what_a_camera_turned_is_upright(
    tmp_path: Path, scan: Image.Image, pool: ParserPool, reader: PageReader
) -> None:
    path, exif = tmp_path / "photo.jpg", scan.getexif()
    exif[0x0112] = 6  # turn it clockwise to see it
    scan.rotate(90, expand=True).save(path, exif=exif)
    assert read(path, pool, reader).text == LINE


def test_without_an_engine_an_image_says_what_to_install(tmp_path: Path, scan: Image.Image) -> None:
    path = tmp_path / "scan.png"
    scan.save(path)
    with ParserPool(LoadSettings(), 1) as pool, pytest.raises(NoText, match=r"treegraph\[ocr\]"):
        pool.parse(path, media.PNG)


def test_half_a_file_is_named_or_read_as_far_as_it_goes(
    tmp_path: Path, scan: Image.Image, pool: ParserPool, reader: PageReader
) -> None:
    for name, kind in (("a.png", "PNG"), ("a.tif", "TIFF"), ("a.jpg", "JPEG")):
        path = tmp_path / name
        scan.save(path, kind)
        path.write_bytes(path.read_bytes()[: 400 if kind == "JPEG" else path.stat().st_size // 2])
        with pytest.raises(CorruptFile, match=name):
            read(path, pool, reader)
    scan.save(path, "JPEG")
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * 0.8)])
    assert read(path, pool, reader).text.startswith("The pump stops at 40 bar")


def test_noise_behind_a_signature_breaks_nothing(tmp_path: Path, pool: ParserPool) -> None:
    noise = random.Random(1)
    for mark in (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"II*\0\x08\0\0\0", b"MM\0*\0\0\0\x08"):
        path = tmp_path / "noise"
        path.write_bytes(mark + noise.randbytes(5000))
        with pytest.raises(LoadError):
            pool.parse(path, detect(path))


def huge_png(path: Path, side: int) -> None:
    """A white picture of side x side pixels, a bit each, that is small as a file."""
    row = b"\0" + b"\xff" * ((side + 7) // 8)
    packer = zlib.compressobj()
    packed = b"".join([packer.compress(row) for _ in range(side)]) + packer.flush()
    with path.open("wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, data in (
            (b"IHDR", struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)),
            (b"IDAT", packed),
            (b"IEND", b""),
        ):
            file.write(
                struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
            )


def test_a_picture_of_20000_by_20000_pixels_is_refused_by_name(tmp_path: Path, pool: ParserPool) -> None:
    path = tmp_path / "huge.png"
    huge_png(path, 20_000)
    with pytest.raises(LimitExceeded, match="20000 by 20000 pixels"):
        pool.parse(path, media.PNG)


def test_a_large_picture_is_drawn_smaller(tmp_path: Path, pool: ParserPool) -> None:
    path = tmp_path / "large.png"
    huge_png(path, 6000)
    image = pool.draw(path, media.PNG, 1, 600)
    assert max(image.width, image.height) <= 2500


def test_a_pdf_page_of_20000_points_is_drawn_within_the_pixels_allowed(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page(width=14_400, height=14_400)
    page.insert_text((1000, 3000), "The pump stops at 40 bar.", fontsize=900)
    path = tmp_path / "wall.pdf"
    document.save(path)
    with ParserPool(LoadSettings(max_pixels=4_000_000), 1) as pool:
        image = pool.draw(path, media.PDF, 1, 150)
    assert image.width * image.height <= 4_000_000
    assert image.dpi == pytest.approx(72 * image.width / 14_400, rel=0.02)


def test_a_huge_picture_in_a_pdf_is_refused_when_it_is_drawn(tmp_path: Path, pool: ParserPool) -> None:
    picture, path = tmp_path / "huge.png", tmp_path / "huge.pdf"
    huge_png(picture, 20_000)
    document = pymupdf.open()
    page = document.new_page(width=400, height=400)
    page.insert_image(page.rect, filename=str(picture))
    document.save(path)
    with pytest.raises(LimitExceeded, match=r"huge\.pdf holds a picture of 20000 by 20000 pixels"):
        pool.draw(path, media.PDF, 1, 150)


def jbig2(image: Image.Image) -> bytes:
    """The segments of a picture's JBIG2 stream: a page, and one region that is coded as a fax is."""
    saved = io.BytesIO()
    image.convert("1").save(saved, "TIFF", compression="group4", tiffinfo={262: 0, 278: image.height})
    tiff = Image.open(saved)
    (start,), (length,) = tiff.tag_v2[273], tiff.tag_v2[279]  # type: ignore[attr-defined]
    fax = saved.getvalue()[start : start + length]
    size = struct.pack(">II", *image.size)
    page = size + bytes(8) + bytes(3)
    region = size + bytes(8) + b"\0\x01" + fax
    segments = ((0, 48, page), (1, 38, region), (2, 49, b""))
    return b"".join(
        struct.pack(">IBBBI", number, kind, 0, 1, len(data)) + data for number, kind, data in segments
    )


def coded_pdf(path: Path, image: Image.Image, coding: str) -> None:
    """A PDF whose one page is a picture in a coding of scanners."""
    document = pymupdf.open()
    page = document.new_page(width=330, height=120)
    saved = io.BytesIO()
    image.convert("1" if coding == "JBIG2Decode" else "RGB").save(saved, "PNG")
    xref = page.insert_image(page.rect, stream=saved.getvalue())
    if coding == "JBIG2Decode":
        data = jbig2(image)
    else:
        packed = io.BytesIO()
        image.save(packed, "JPEG2000")
        data = packed.getvalue()
    document.update_stream(xref, data, compress=False)
    document.xref_set_key(xref, "Filter", f"/{coding}")
    document.xref_set_key(xref, "DecodeParms", "null")
    document.save(path)


@pytest.mark.parametrize("coding", ["JBIG2Decode", "JPXDecode"])
def test_scans_in_a_pdf_of_any_coding_are_read(
    coding: str, tmp_path: Path, scan: Image.Image, pool: ParserPool, reader: PageReader
) -> None:
    path = tmp_path / "scan.pdf"
    coded_pdf(path, scan, coding)
    assert coding.encode() in path.read_bytes()
    assert read(path, pool, reader).text == LINE
