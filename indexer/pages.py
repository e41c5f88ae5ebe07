"""Pages: where each stands in a document's text, how it was read, and the page as a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Origin = Literal["text", "ocr", "native"]
"""How a page was read: its text layer, by OCR of its picture, or by a vision model."""

DESCRIBED = "[figure, described by a model]"
"""Stands before what a model says of a figure: words of its own, which no author wrote."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a document: ``text[start:end]`` is what was read from it.

    ``number`` is 1-based and physical; ``label`` is what is printed on it ("xii", "A-3").
    ``images`` is the share of the page's area under images, ``dropped`` the characters of running
    headers and footers left out: with the length of its text, the page's coverage. ``origin`` is the way
    in which it was read and ``why`` the reason for that way, empty for a text layer that left no doubt;
    ``confidence`` (0..1) says how sure OCR or a model was of it, None where the text layer was read.
    """

    number: int
    start: int
    end: int
    label: str | None = None
    origin: Origin = "text"
    images: float = 0.0
    dropped: int = 0
    confidence: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class PageBox:
    """A rectangle on a page, in points from its top left corner as it is shown; ``page`` is 1-based."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Placed:
    """Where ``text[start:end]`` of a document stands on its page."""

    start: int
    end: int
    box: PageBox


@dataclass(frozen=True, slots=True)
class Wanted:
    """A page (``number``, 1-based) that its text layer does not give, the ``way`` in which it should be read
    instead, and ``why``."""

    number: int
    way: Origin
    why: str


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page as a picture: ``png`` bytes of ``width`` by ``height`` pixels at ``dpi``. ``digest`` is the
    sha256 of its pixels, in hex, so that equal pictures are read once. ``text`` is the page's text layer as
    it stands, which what a model writes of the picture can be held against; empty where there is none, or
    none that can be trusted."""

    number: int
    png: bytes
    width: int
    height: int
    dpi: float
    digest: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line of text that OCR read. ``box`` is x0, y0, x1, y1 in points from the top left corner of the
    upright page, ``confidence`` 0..1."""

    text: str
    box: tuple[float, float, float, float]
    confidence: float


@dataclass(frozen=True, slots=True)
class PageReading:
    """What stands on page ``number`` (1-based), in place of its text layer: ``lines`` that OCR read, or the
    ``markdown`` that a model wrote. ``confidence`` is 0..1, ``why`` the reason for this way of reading.

    ``turned`` is by how many degrees clockwise (-180..180) the page as it is shown was turned about its
    middle to bring its lines level: their boxes are of that upright page.
    """

    number: int
    origin: Origin
    lines: tuple[ReadLine, ...] = ()
    markdown: str = ""
    confidence: float | None = None
    why: str = ""
    turned: float = 0.0
