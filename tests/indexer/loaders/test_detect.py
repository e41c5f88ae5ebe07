"""What a file is taken for: by its bytes first, by its name second."""

from __future__ import annotations

import gzip
import io
import random
import zipfile
from pathlib import Path

import pytest
from treegraph.indexer.errors import CorruptFile, EmptyFile, UnreadableFile, UnsupportedType
from treegraph.indexer.loaders import LoadSettings, load_file, media
from treegraph.indexer.loaders.detect import detect


def write(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def archive(*members: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for member in members:
            file.writestr(member, "<x/>")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.txt", b"junk before the header\n%PDF-1.7\n", media.PDF),
        ("a.xls", b"<!DOCTYPE html><title>x</title>", media.HTML),
        ("a.txt", b"<!DOCTYPE html><title>x</title>", media.HTML),
        ("a.txt", b"\xef\xbb\xbf  <!-- note --> <html lang=en>", media.HTML),
        ("a.txt", "<html><p>wide".encode("utf-16"), media.HTML),
        ("a.html", b"<p>only a fragment</p>", media.HTML),
        ("a.html", b"nothing marked up: 1 < 2", media.PLAIN),
        ("a.xhtml", b'<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml">', media.HTML),
        ("a.md", b'# T\n\n<p align="center">x</p>', media.MARKDOWN),
        ("README", b"# T\n", media.PLAIN),
        ("a.rs", b"fn main() {}\n", "text/x-rust"),
        ("a.PY", b"def f(): ...\n", "text/x-python"),
        ("a.jsonl", b'{"_id": "1", "text": "x"}\n', media.JSONL),
        ("a.jsonl", b'not json\n{"_id": "1", "text": "x"}\n', media.JSONL),
        ("a.txt", b'{"text": "x"}\n{"text": "y"}\n', media.JSONL),
        ("a.json", b'{\n  "text": "x"\n}\n', "application/json"),
        ("a.txt", archive("word/document.xml"), media.DOCX),
        ("a.bin", archive("xl/workbook.xml"), media.XLSX),
        ("a.bin", archive("ppt/presentation.xml"), media.PPTX),
        ("a.bin", archive("mimetype", "META-INF/container.xml"), media.EPUB),
        ("a.txt", "電源を入れる前に\n".encode("utf-16-le"), media.PLAIN),
        ("a.txt", b"a DOS text ends like this\x1a", media.PLAIN),
    ],
)
def test_content_decides_before_the_name(tmp_path: Path, name: str, data: bytes | str, expected: str) -> None:
    assert detect(write(tmp_path, name, data)) == expected


@pytest.mark.parametrize(
    ("head", "media_type"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", media.PNG),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", media.JPEG),
        (b"II*\0\x08\0\0\0", media.TIFF),
        (b"MM\0*\0\0\0\x08", media.TIFF),
    ],
)
def test_images_are_known_by_their_first_bytes(tmp_path: Path, head: bytes, media_type: str) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(head + bytes(40))
    assert detect(path) == media_type


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.pdf", b"GIF89a\x10\0\x10\0" + bytes(20), "a GIF image"),
        ("a.txt", gzip.compress(b"text " * 50, mtime=0), "gzip"),
        ("a.md", random.Random(7).randbytes(3000), "binary data"),
        ("a.txt", b"\x7fELF\x02\x01\x01" + bytes(60), "a program"),
        ("a.zip", archive("notes.txt"), "unpack"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "docx"),
        ("a.svg", b'<?xml version="1.0"?><svg xmlns="x"></svg>', "SVG"),
    ],
)
def test_what_has_no_loader_is_named(tmp_path: Path, name: str, data: bytes, words: str) -> None:
    with pytest.raises(UnsupportedType, match=words):
        detect(write(tmp_path, name, data))


def test_bad_files_are_named_errors(tmp_path: Path) -> None:
    with pytest.raises(EmptyFile):
        detect(write(tmp_path, "a.pdf", b""))
    with pytest.raises(CorruptFile, match="zip"):
        detect(write(tmp_path, "a.docx", archive("word/document.xml")[:60]))
    with pytest.raises(UnreadableFile):
        detect(tmp_path / "gone.txt")


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("pump.pdf", b"<!DOCTYPE html><title>404 Not Found</title>", "named .pdf but holds a web page"),
        ("plate.JPG", b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "Git LFS pointer"),
        ("sheet.docx", b"Zugriff verweigert: bitte anmelden", "holds text"),
        ("scan.pdf", b'{"error": "not allowed"}', "rename it by what it holds"),
    ],
)
def test_text_under_the_name_of_pages_is_no_document(
    tmp_path: Path, name: str, data: bytes, words: str
) -> None:
    with pytest.raises(CorruptFile, match=words):
        detect(write(tmp_path, name, data))


def test_a_character_cut_by_the_sample_is_still_utf8(tmp_path: Path) -> None:
    for shift in range(3):
        path = write(tmp_path, "a.txt", "x" * shift + "語" * 30_000)
        assert detect(path) == media.PLAIN
        assert load_file(path, media.PLAIN, LoadSettings()).text.endswith("語")


def test_load_file_says_what_it_can_read(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedType, match="office"):
        load_file(write(tmp_path, "a.odt", b"x"), "application/vnd.oasis.opendocument.text", LoadSettings())
