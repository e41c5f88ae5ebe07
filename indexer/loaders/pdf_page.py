"""One PDF page as MuPDF sees it: lines of text with their boxes, images, and drawn rectangles.

MuPDF's own JSON writer is read instead of PyMuPDF's dictionaries: it holds one font a line, which is
enough for a layout, and takes half the time. All lengths are in tenths of a point, with y downwards.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .pdf_hangul import looks_unspaced, spaced_lines
from .pdf_text import clean

SCALE = 10
"""Units a point."""

_MONOSPACE_NAME = re.compile(
    r"mono|nimbusmon|courier|consol|typewriter|menlo|monaco|inconsolata|terminal|fixed|"
    r"(?:^|\+)(?:(?:cm|sf|lm|ec|ae|tx|ptm)?tt|cmsltt|cmcsctt|cmitt|lmmono|pcr|fi4|zi4)",
    re.IGNORECASE,
)
_MAX_RECTANGLES = 4000
_LEAST_SHAPES = 12
"""Fewer paths than that are an arrow, a bullet or a rule."""
_SCAN = 0.5
"""The share of a page under images from which on its text may be another OCR's."""
_UNSEEN = 3
_SPACE = 0.25
_UNKNOWN = "\ufffd"
_BESIDE = 3


def engine() -> Any:
    """PyMuPDF, imported when the first PDF is read. Most of it carries no types, so none are claimed."""
    import pymupdf

    return pymupdf


class Line(NamedTuple):
    """A stretch of text on one baseline, trimmed. ``mono`` and ``bold`` are its first letter's.

    ``order`` counts the lines of a page as they are drawn. With ``table`` it stands for a whole table:
    the page's table of that number, at its place.
    """

    x0: int
    y0: int
    x1: int
    y1: int
    base: int
    size: int
    mono: bool
    bold: bool
    text: str
    order: int
    table: int | None = None


class Box(NamedTuple):
    """A rectangle on the page."""

    x0: int
    y0: int
    x1: int
    y1: int


class RawPage(NamedTuple):
    """What was read from one page. ``sideways`` are the lines that do not run from left to right, each a text
    and where it stands.

    ``unmapped`` counts the letters of lines whose font says of none what it means: they are left out.
    ``shapes`` counts drawn paths that are no rectangles; ``figures`` is the share of the page under them and
    under images, as far as it was asked for. ``invisible``: the text is there to be found, not to be seen.
    ``pictures`` is where images are.
    """

    width: int
    height: int
    lines: list[Line]
    sideways: list[tuple[str, Box]]
    boxes: list[Box]
    images: float
    unmapped: int = 0
    shapes: int = 0
    figures: float = 0.0
    invisible: bool = False
    pictures: Sequence[Box] = ()


def read_page(page: Any, with_boxes: bool, with_figures: bool = False) -> RawPage:
    """The lines, images and (``with_boxes``) filled or stroked rectangles of ``page``; ``with_figures`` how
    much of it drawings take.

    Rectangles are asked for only where lines stand beside each other: nothing else can be a table.

    Raises RuntimeError, as MuPDF does, if the page cannot be read.
    """
    mupdf = engine().mupdf

    options = mupdf.FzStextOptions()
    options.flags = (
        mupdf.FZ_STEXT_PRESERVE_WHITESPACE
        | mupdf.FZ_STEXT_MEDIABOX_CLIP
        | mupdf.FZ_STEXT_PRESERVE_IMAGES
        | mupdf.FZ_STEXT_COLLECT_VECTORS
    )
    structured = mupdf.FzStextPage(page.this, options)
    written = _written(mupdf.fz_print_stext_page_as_json, structured, SCALE)
    blocks = json.loads(written)["blocks"]
    if looks_unspaced(written):
        _respace(blocks, spaced_lines(_written(mupdf.fz_print_stext_page_as_xml, structured, 0)))
    bounds = page.this.fz_bound_page()
    width, height = int((bounds.x1 - bounds.x0) * SCALE), int((bounds.y1 - bounds.y0) * SCALE)
    lines, sideways, unmapped = _lines(blocks)
    vectors = [block for block in blocks if block["type"] == "vector"]
    drawn = 0 < len(vectors) <= _MAX_RECTANGLES
    boxes = _boxes(structured, mupdf) if with_boxes and drawn and stand_beside(lines) else []
    pictures = _pictures(blocks)
    images = _image_share(pictures, width * height)
    shapes = sum(not block["rectangle"] for block in vectors)
    figures = images
    if with_figures and shapes >= _LEAST_SHAPES:
        figures = max(images, _drawn_share(_shapes(structured, vectors), width * height) if drawn else 1.0)
    invisible = images >= _SCAN and bool(lines) and _is_invisible(page)
    return RawPage(
        width, height, lines, sideways, boxes, images, unmapped, shapes, figures, invisible, pictures
    )


def _is_invisible(page: Any) -> bool:
    """Whether most of a page's letters are drawn in the mode that leaves no trace (PDF 32000-1, 9.3.6)."""
    letters = {True: 0, False: 0}
    for span in page.get_texttrace():
        letters[span["type"] == _UNSEEN] += len(span["chars"])
    return letters[True] > letters[False]


def _written(write: Callable[[Any, Any, int], None], structured: Any, argument: int) -> bytes:
    """What one of MuPDF's writers says about a page."""
    mupdf = engine().mupdf
    buffer = mupdf.fz_new_buffer(1 << 14)
    output = mupdf.FzOutput(buffer)
    write(output, structured, argument)
    output.fz_close_output()
    return bytes(buffer.fz_buffer_extract())


def _respace(blocks: list[dict[str, Any]], texts: list[str]) -> None:
    lines = [line for block in blocks if block["type"] == "text" for line in block["lines"]]
    if len(lines) == len(texts):
        for line, text in zip(lines, texts, strict=True):
            line["text"] = text or line["text"]


@functools.lru_cache(maxsize=4096)
def _is_monospaced(name: str, family: str) -> bool:
    return family == "monospace" or _MONOSPACE_NAME.search(name) is not None


def _lines(blocks: list[dict[str, Any]]) -> tuple[list[Line], list[tuple[str, Box]], int]:
    lines: list[Line] = []
    sideways: list[tuple[str, Box]] = []
    unmapped = 0
    for block in blocks:
        if block["type"] != "text":
            continue
        for raw in block["lines"]:
            text = clean(raw["text"])
            if not text or text.isspace():
                continue
            if text[0] == _UNKNOWN and not text.strip(_UNKNOWN + " "):
                unmapped += len(text)
                continue
            box, font = raw["bbox"], raw["font"]
            width, height, size = box["w"], box["h"], font["size"]
            if height > 2 * size and height > 2 * width and len(text) > 2:
                x, y = box["x"], box["y"]
                sideways.append((text.strip(), Box(x, y, x + width, y + height)))
                continue
            mono = _is_monospaced(font["name"], font["family"])
            x0, x1, y = box["x"], box["x"] + width, box["y"]
            if text[0] == " " or text[-1] == " ":
                step = width / len(text) if mono else _SPACE * size
                x0 += int(step * (len(text) - len(text.lstrip())))
                x1 -= int(step * (len(text) - len(text.rstrip())))
                text = text.strip()
            bold = font["weight"] == "bold"
            lines.append(Line(x0, y, x1, y + height, raw["y"], size, mono, bold, text, len(lines)))
    return lines, sideways, unmapped


def stand_beside(lines: list[Line]) -> bool:
    """Whether at least three of a page's lines have another one beside them, as in columns or a table."""
    beside = 0
    previous: Line | None = None
    for line in sorted(lines, key=_top):
        if previous is not None and line.y0 < previous.y1 - 0.4 * (previous.y1 - previous.y0):
            beside += 1
            if beside >= _BESIDE:
                return True
        previous = line
    return False


def _top(line: Line) -> int:
    return line.y0


def _boxes(structured: Any, mupdf: Any) -> list[Box]:
    found: list[Box] = []
    block = structured.m_internal.first_block
    kind = mupdf.FZ_STEXT_BLOCK_VECTOR
    while block:
        if block.type == kind:
            box = block.bbox
            found.append(
                Box(int(box.x0 * SCALE), int(box.y0 * SCALE), int(box.x1 * SCALE), int(box.y1 * SCALE))
            )
        block = block.next
    return found


def _shapes(structured: Any, vectors: list[dict[str, Any]]) -> list[Box]:
    """The boxes of the paths that are no rectangles; ``vectors`` are all paths, as they are written."""
    boxes = _boxes(structured, engine().mupdf)
    return [box for box, vector in zip(boxes, vectors, strict=True) if not vector["rectangle"]]


def _drawn_share(shapes: list[Box], area: int) -> float:
    """The share of a page that lies between its drawing's outermost paths."""
    if not shapes or not area:
        return 0.0
    width = max(box.x1 for box in shapes) - min(box.x0 for box in shapes)
    height = max(box.y1 for box in shapes) - min(box.y0 for box in shapes)
    return min(1.0, max(0, width) * max(0, height) / area)


def _pictures(blocks: list[dict[str, Any]]) -> list[Box]:
    images = [block["bbox"] for block in blocks if block["type"] == "image"]
    return [Box(box["x"], box["y"], box["x"] + box["w"], box["y"] + box["h"]) for box in images]


def _image_share(pictures: Sequence[Box], area: int) -> float:
    covered = sum(max(0, box.x1 - box.x0) * max(0, box.y1 - box.y0) for box in pictures)
    return min(1.0, covered / area) if area else 0.0
