"""Pages: where each stands in a document's text, how it was read, and the page as a picture."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Literal, overload

Origin = Literal["text", "ocr", "native"]
"""How a page was read: its text layer, by OCR of its picture, or by a vision model."""

DESCRIBED = "[figure, described by a model]"
"""Stands before what a model says of a figure: words of its own, which no author wrote."""

_NUMBERS = 7
_TENTHS = 10


@dataclass(frozen=True, slots=True)
class PageBox:
    """A rectangle on a page, in points from its top left corner as it is shown; ``page`` is 1-based."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture on a page, at ``box``. ``at`` is the place in the document's text that it belongs to: its
    ``caption``, or what stands nearest to it. Where it is kept beside the index, ``digest`` is the sha256 of
    its PNG file, of ``width`` by ``height`` pixels; else empty.
    """

    box: PageBox
    at: int
    caption: str = ""
    digest: str = ""
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a document: ``text[start:end]`` is what was read from it.

    ``number`` is 1-based and physical; ``label`` is what is printed on it ("xii", "A-3").
    ``images`` is the share of the page's area under images, ``dropped`` the characters of running
    headers and footers left out: with the length of its text, the page's coverage. ``origin`` is the way
    in which it was read and ``why`` the reason for that way, empty for a text layer that left no doubt;
    ``confidence`` (0..1) says how sure OCR or a model was of it, None where the text layer was read.
    ``figures`` are its pictures, where they are kept.
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
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True, slots=True)
class Placed:
    """Where ``text[start:end]`` of a document stands on its page."""

    start: int
    end: int
    box: PageBox


class Places(Sequence[Placed]):
    """Placed stretches, packed: 28 bytes each, in tenths of a point. A long document has tens of thousands,
    and they are sent from one process to another.

    ``packed`` holds seven numbers for each: start, end, page, x0, y0, x1, y1.
    """

    __slots__ = ("_numbers",)

    def __init__(self, packed: bytes = b"") -> None:
        self._numbers = array("i", packed)

    @classmethod
    def of(cls, placed: Iterable[Placed]) -> Places:
        """``placed``, which must be sorted by start."""
        numbers = array("i")
        for one in placed:
            _, *corners = astuple(one.box)
            numbers.extend((one.start, one.end, one.box.page, *(round(each * _TENTHS) for each in corners)))
        return cls(numbers.tobytes())

    def __len__(self) -> int:
        return len(self._numbers) // _NUMBERS

    @overload
    def __getitem__(self, index: int) -> Placed: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Placed, ...]: ...
    def __getitem__(self, index: int | slice) -> Placed | tuple[Placed, ...]:
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self))))
        at = range(len(self))[index] * _NUMBERS
        start, end, page, *corners = self._numbers[at : at + _NUMBERS]
        x0, y0, x1, y1 = (corner / _TENTHS for corner in corners)
        return Placed(start, end, PageBox(page, x0, y0, x1, y1))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Places) and self._numbers == other._numbers

    def __hash__(self) -> int:
        return hash(self._numbers.tobytes())

    def __reduce__(self) -> tuple[type[Places], tuple[bytes]]:
        return Places, (self._numbers.tobytes(),)


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
    middle to bring its lines level: their boxes are of that upright page. So are the ``rules`` drawn on it,
    thin rectangles x0, y0, x1, y1 in points. ``redacted`` counts by kind the secrets that placeholders stand
    for.
    """

    number: int
    origin: Origin
    lines: tuple[ReadLine, ...] = ()
    markdown: str = ""
    confidence: float | None = None
    why: str = ""
    turned: float = 0.0
    redacted: Mapping[str, int] = field(default_factory=dict)
    rules: tuple[tuple[float, float, float, float], ...] = ()
