"""Files to :class:`~treegraph.indexer.types.Content`: one loader a format, chosen by media type.

A loader is a pure function of a file's bytes and the settings. A new format is a module beside this
one, a line in :func:`load_file`, and its signature in :mod:`.detect`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..errors import UnsupportedType
from ..pages import PageReading
from ..types import Content
from . import media
from .loaded import Loaded
from .settings import LoadSettings

__all__ = ["Loaded", "LoadSettings", "load_file"]


def load_file(
    path: Path,
    media_type: str,
    settings: LoadSettings,
    password: str | None = None,
    readings: Sequence[PageReading] = (),
) -> Content:
    """Read one file of a known media type (see :func:`.detect.detect`); ``readings`` take the place of the
    text layers of a PDF's pages, or give those of an image.

    Loaders are imported when they are first needed, so that a child process that parses one format
    carries only that format's libraries. Records (JSONL) hold many documents and are read by
    :func:`.records.read_records` instead.

    Raises LoadError: UnsupportedType for a type without a loader, else what the loader found wrong.
    """
    if media_type == media.PDF:
        from .pdf import read_pdf

        return read_pdf(path, settings, password, readings)
    if media_type in media.IMAGES:
        from .images import read_image

        return read_image(path, settings, media_type, readings)
    if media_type == media.HTML:
        from .html import read_html

        return read_html(path, settings)
    if media_type == media.MARKDOWN:
        from .markdown import read_markdown

        return read_markdown(path, settings)
    if media_type in media.OFFICE:
        from .office import read_office

        return read_office(path, settings, media_type)
    if media.is_text(media_type):
        from .text import read_text

        return read_text(path, settings, media_type)
    raise UnsupportedType(
        f"no loader reads {media_type}; PDF, PNG, JPEG, TIFF, HTML, Markdown, text and JSONL are read, "
        "and docx, xlsx, pptx and epub with the extra: pip install 'treegraph[office]'"
    )
