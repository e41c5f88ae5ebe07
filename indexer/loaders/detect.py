"""What a file is: by its first bytes, and by its name only where those leave it open."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Final

from ..errors import CorruptFile, EmptyFile, UnreadableFile, UnsupportedType
from . import media
from .encoding import SAMPLE, sniff

_IMAGES: Final = (
    (b"\x89PNG\r\n", media.PNG),
    (b"\xff\xd8\xff", media.JPEG),
    (b"II*\0", media.TIFF),
    (b"MM\0*", media.TIFF),
)
_SIGNATURES: Final = (
    (b"GIF8", "a GIF image"),
    (b"BM", "a bitmap image"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\0", "xz data"),
    (b"(\xb5/\xfd", "zstd data"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\0\0\0\x18ftyp", "a video"),
    (b"\0\0\0 ftyp", "a video"),
    (b"ID3", "an audio file"),
    (b"OggS", "an Ogg file"),
    (b"fLaC", "an audio file"),
    (b"\0asm", "WebAssembly"),
    (b"!<arch>\n", "an archive"),
    (b"\xca\xfe\xba\xbe", "Java or Mach-O code"),
)
"""First bytes of what has no loader, so that the error can say what the file is."""

_LFS: Final = b"version https://git-lfs"
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP_MEMBERS: Final = (
    ("word/document.xml", media.DOCX),
    ("xl/workbook.xml", media.XLSX),
    ("ppt/presentation.xml", media.PPTX),
    ("META-INF/container.xml", media.EPUB),
)
_PREAMBLE = re.compile(r"(?:\s+|<!--.*?-->|<\?xml[^>]*\?>)*", re.DOTALL)
_HTML_START = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_SVG_START = re.compile(r"(?:<!doctype\s+svg|<svg)\b", re.IGNORECASE)
_TAG = re.compile(r"<(?:[a-z][a-z0-9]*(?:\s[^<>]*)?/?|/[a-z][a-z0-9]*\s*|!--)>?", re.IGNORECASE)


def detect(path: Path) -> str:
    """The media type of a file.

    Raises EmptyFile for zero bytes, UnsupportedType for what is neither text nor a format with a
    loader, CorruptFile for a zip that cannot be listed and for text under the name of a PDF, an image or an
    office file, UnreadableFile where it cannot be opened.
    """
    try:
        with path.open("rb") as file:
            head = file.read(SAMPLE)
    except OSError as error:
        raise UnreadableFile(f"cannot be read: {error.strerror}") from error
    if not head:
        raise EmptyFile("has no bytes")
    if b"%PDF-" in head[:1024]:
        return media.PDF
    for mark, image in _IMAGES:
        if head.startswith(mark):
            return image
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_type(path)
    if head.startswith(_OLE):
        return _refuse_ole(path)
    encoding = None if _is_marked_binary(head) else sniff(head, whole=len(head) < SAMPLE)
    if encoding is None:
        raise UnsupportedType(f"is {_describe(head)}; no loader reads it")
    if path.suffix.lower() in media.BINARY_SUFFIXES:
        raise CorruptFile(_misnamed(path.suffix, head))
    return _text_type(head.decode(encoding, "replace").lstrip("\ufeff"), path)


def _is_marked_binary(head: bytes) -> bool:
    """Whether it begins with a signature that no text begins with ("BM" and the like are not enough)."""
    return any(head.startswith(mark) for mark, _ in _SIGNATURES if not mark.decode("latin_1").isprintable())


def _describe(head: bytes) -> str:
    for signature, name in _SIGNATURES:
        if head.startswith(signature):
            return name
    return "binary data of an unknown type"


def _misnamed(suffix: str, head: bytes) -> str:
    """What to say of text where a page or a document was to be: what a failed download leaves, mostly."""
    start = head.lstrip().lower()
    is_page = start.startswith((b"<!doctype html", b"<html"))
    what = "a web page" if is_page else "a Git LFS pointer" if start.startswith(_LFS) else "text"
    return (
        f"is named {suffix} but holds {what}: get the file itself, or rename it by what it holds, if that is "
        "to be indexed"
    )


def _zip_type(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            members = set(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise CorruptFile(f"is a zip archive that cannot be listed: {error}") from error
    for member, media_type in _ZIP_MEMBERS:
        if member in members:
            return media_type
    raise UnsupportedType("is a zip archive without a document in it; unpack it and name the folder")


def _refuse_ole(path: Path) -> str:
    suffix = path.suffix.lower()
    newer = {".doc": "docx", ".xls": "xlsx", ".ppt": "pptx"}.get(suffix, "docx, xlsx or pptx")
    raise UnsupportedType(f"is an older or an encrypted office file; save it as {newer} without a password")


def _text_type(text: str, path: Path) -> str:
    suffix = path.suffix.lower()
    start = _PREAMBLE.match(text)
    position = start.end() if start else 0
    if _HTML_START.match(text, position):
        return media.HTML
    if _SVG_START.match(text, position):
        raise UnsupportedType("is an SVG image; no loader reads it")
    if _holds_records(text, suffix):
        return media.JSONL
    by_name = media.TEXT_SUFFIXES.get(suffix, media.PLAIN)
    if by_name == media.HTML and not _TAG.search(text):
        return media.PLAIN
    return by_name


def _holds_records(text: str, suffix: str) -> bool:
    """Whether lines are JSON objects: one is enough under a name that says so, else the first two."""
    lines = [line for line in text.split("\n") if line.strip()]
    if suffix in media.RECORD_SUFFIXES:
        return any(line.lstrip().startswith("{") for line in lines)
    return len(lines) > 1 and all(_is_record(line) for line in lines[:2])


def _is_record(line: str) -> bool:
    if not line.startswith("{"):
        return False
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and "text" in value
