"""What a loader is told: how PDFs are read, and how much one file may cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

LOADER_VERSION = 4
"""Part of the recipe key: raised whenever a loader reads the same bytes differently than before."""

PdfMode = Literal["text", "ocr", "native", "auto"]


@dataclass(frozen=True, slots=True)
class LoadSettings:
    """How files are read, and the limits on one file.

    ``tables`` writes a PDF's tables as Markdown. ``keep_images`` keeps the pictures of its pages beside the
    index, ``max_images`` of a file at most. ``max_bytes`` is the size of the file, ``max_memory``
    what the parsing process may hold, in bytes, ``max_seconds`` its wall time, ``max_characters`` the
    text that may come out of one file, ``max_pixels`` the size of a page's picture. ``passwords`` maps a
    file pattern to ``env:NAME``, the variable that holds the password: never to the password itself.

    ``ocr`` and ``native`` say what is at hand to read pages with: OCR, a vision model. The build sets them,
    no configuration does.
    """

    pdf: PdfMode = "auto"
    ocr: bool = False
    native: bool = False
    tables: bool = True
    keep_images: bool = False
    max_images: int = 500
    max_pages: int = 20_000
    max_bytes: int = 2 * 1024**3
    max_seconds: float = 900.0
    max_memory: int = 2 * 1024**3
    max_characters: int = 200_000_000
    max_pixels: int = 16_000_000
    passwords: Mapping[str, str] = field(default_factory=dict)
