"""Office files and e-books, turned into Markdown by markitdown (the extra ``office``)."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from xml.etree.ElementTree import ParseError

from ..errors import CorruptFile, LimitExceeded, UnsupportedType
from ..pages import Page
from ..types import Content
from . import media
from .encoding import scrub
from .markdown import parse_markdown
from .reading import read_bytes
from .settings import LoadSettings
from .text import check_text

_CONVERTERS: Final = {
    media.DOCX: ("DocxConverter", ".docx"),
    media.XLSX: ("XlsxConverter", ".xlsx"),
    media.PPTX: ("PptxConverter", ".pptx"),
    media.EPUB: ("EpubConverter", ".epub"),
}
_SLIDE = re.compile(r"^<!-- Slide number: (\d+) -->\n?", re.MULTILINE)
_IMAGE = re.compile(r"!\[([^\]\n]*)\]\([^)\n]*\)")
_EMPTY_CELL = re.compile(r"(?<=\| )(?:NaN|Unnamed: \d+)(?= \|)")
_CORE: Final = "docProps/core.xml"
_DUBLIN_CORE: Final = "{http://purl.org/dc/elements/1.1/}"


def read_office(path: Path, settings: LoadSettings, media_type: str) -> Content:
    """A Word, Excel, PowerPoint or EPUB file as Markdown; slides are pages, sheets are sections.

    Pictures are left out but for their descriptions. The title is that of the file's properties.

    Raises UnsupportedType where the extra is not installed, CorruptFile for a damaged file,
    LimitExceeded (also for what would unpack to more than ``max_bytes``), NoText, EmptyFile.
    """
    data = read_bytes(path, settings)
    title, language = _properties(data, settings)
    markdown = _convert(data, media_type)
    markdown = _IMAGE.sub(lambda image: image[1], scrub(markdown).replace("\r\n", "\n"))
    if media_type == media.XLSX:
        markdown = _EMPTY_CELL.sub("", markdown)
    pages: tuple[Page, ...] = ()
    if media_type == media.PPTX:
        markdown, pages = _slides(markdown)
    check_text(markdown, settings)
    content = parse_markdown(markdown, media_type)
    return replace(content, title=title or content.title, language=language, pages=pages)


def _convert(data: bytes, media_type: str) -> str:
    name, extension = _CONVERTERS[media_type]
    try:
        from markitdown import MissingDependencyException, StreamInfo, converters
    except ImportError as error:
        raise _missing(extension) from error
    # The converter itself, not the MarkItDown class: that one loads a model to guess the type.
    converter: Any = getattr(converters, name)()
    try:
        result = converter.convert(
            io.BytesIO(data),
            StreamInfo(extension=extension),
            # Backslashes before underscores would take identifiers apart.
            escape_underscores=False,
            escape_asterisks=False,
            escape_misc=False,
        )
    except MissingDependencyException as error:
        raise _missing(extension) from error
    except MemoryError:
        raise
    except Exception as error:  # the package and its parsers share no base below this
        raise CorruptFile(f"is not a {extension} file that can be read: {error}") from error
    return str(result.markdown)


def _missing(extension: str) -> UnsupportedType:
    return UnsupportedType(f"reading {extension} needs the extra: pip install 'treegraph[office]'")


def _properties(data: bytes, settings: LoadSettings) -> tuple[str | None, str | None]:
    """Title and language in the file's properties, after a look at how large it would unpack."""
    from xml.etree import ElementTree

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(member.file_size for member in archive.infolist()) > settings.max_bytes:
                raise LimitExceeded(
                    f"unpacks to more than max_bytes = {settings.max_bytes}; raise it in [load]"
                )
            if _CORE not in archive.namelist():
                return None, None
            core = ElementTree.fromstring(archive.read(_CORE))
    except (zipfile.BadZipFile, ParseError, ValueError, OSError) as error:
        raise CorruptFile(f"is not an office file that can be read: {error}") from error
    title = (core.findtext(f"{_DUBLIN_CORE}title") or "").strip()
    language = (core.findtext(f"{_DUBLIN_CORE}language") or "").strip()
    return title or None, language or None


def _slides(markdown: str) -> tuple[str, tuple[Page, ...]]:
    """Take the slide marks out of the text and return where each slide stands."""
    parts = _SLIDE.split(markdown)
    texts, numbers = parts[2::2], parts[1::2]
    pages, start = [], 0
    for number, text in zip(numbers, texts, strict=True):
        pages.append(Page(int(number), start, start + len(text)))
        start += len(text)
    return "".join(texts), tuple(pages)
