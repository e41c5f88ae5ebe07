"""Pages as pictures, and PDFs with pictures on them, made here: no file of anybody else's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pymupdf

QUARTERS = (("Q1", 120), ("Q2", 135), ("Q3", 150), ("Q4", 180))
WIDTH, HEIGHT = 420, 300


def chart_png(values: Sequence[tuple[str, int]] = QUARTERS, title: str = "Revenue by quarter") -> bytes:
    """A bar chart as a picture: each bar has its value over it and its label under it."""
    document = pymupdf.open()
    page = document.new_page(width=360, height=220)
    page.insert_text((110, 20), title, fontsize=13)
    step = 320 / len(values)
    for index, (label, value) in enumerate(values):
        left, top = 30 + index * step, 190 - value * 0.75
        page.draw_rect((left, top, left + step * 0.5, 190), color=None, fill=(0.15, 0.4, 0.8))
        page.insert_text((left, top - 5), f"${value}M", fontsize=12)
        page.insert_text((left + 8, 207), label, fontsize=12)
    return bytes(page.get_pixmap(dpi=150).tobytes("png"))


def chart_pdf(path: Path, picture: bytes | None = None, lines: Sequence[str] = ()) -> Path:
    """A page of text around a chart whose values stand in its picture alone."""
    document = pymupdf.open()
    page = document.new_page(width=WIDTH, height=420)
    page.insert_text((30, 40), "Annual report of the Heron works", fontsize=15)
    around = lines or (
        "The figure shows how revenue grew over the four quarters of the year.",
        "Growth came from relay stations and from maintenance contracts.",
    )
    for index, line in enumerate(around):
        page.insert_text((30, 64 + 15 * index), line, fontsize=11)
    page.insert_image((30, 110, 390, 330), stream=picture or chart_png())
    page.insert_text((30, 350), "Figure 1: Revenue by quarter, in millions of dollars.", fontsize=11)
    document.save(path)
    return path


def text_page(document: pymupdf.Document, lines: Sequence[str], size: float = 12) -> None:
    """Another page with these lines as its text layer."""
    page = document.new_page(width=WIDTH, height=HEIGHT)
    for index, line in enumerate(lines):
        page.insert_text((24, 40 + index * size * 1.6), line, fontsize=size)


def text_pdf(path: Path, pages: Sequence[Sequence[str]]) -> Path:
    """A PDF with these pages of lines, with a text layer."""
    document = pymupdf.open()
    for lines in pages:
        text_page(document, lines)
    document.save(path)
    return path


def scanned_pdf(path: Path, pages: Sequence[Sequence[str]], dpi: int = 150) -> Path:
    """A PDF with these pages of lines as pictures, without a text layer."""
    drawn, scanned = pymupdf.open(), pymupdf.open()
    for lines in pages:
        text_page(drawn, lines)
        picture = drawn[-1].get_pixmap(dpi=dpi).tobytes("png")
        page = scanned.new_page(width=WIDTH, height=HEIGHT)
        page.insert_image(page.rect, stream=picture)
    scanned.save(path)
    return path


def bars_page(values: Sequence[tuple[str, str]], inside: bool = False, upright: bool = False) -> pymupdf.Page:
    """Dark bars as high as their values' numbers: each with its value over it or, white on dark, ``inside``
    it, and its label below, ``upright`` if it runs upwards."""
    page = pymupdf.open().new_page(width=WIDTH, height=HEIGHT)
    step = 360 / len(values)
    for index, (label, value) in enumerate(values):
        left, high = 50 + index * step, float("".join(filter(str.isdigit, value)))
        page.draw_rect((left, 220 - high, left + 0.6 * step, 220), color=None, fill=(0, 0, 0.2))
        at, ink = ((left + 6, 220 - high / 2), (1, 1, 1)) if inside else ((left + 10, 216 - high), (0, 0, 0))
        page.insert_text(at, value, fontsize=11, color=ink)
        page.insert_text((left + 20, 285 if upright else 236), label, fontsize=11, rotate=90 * upright)
    return page


def pie_page(parts: Sequence[tuple[str, int]]) -> pymupdf.Page:
    """A pie in dark colours: each part with its percentage on it, white, and its name beside it."""
    page = pymupdf.open().new_page(width=WIDTH, height=HEIGHT)
    middle, begun = pymupdf.Point(WIDTH / 2, HEIGHT / 2), 0.0
    for index, (name, percent) in enumerate(parts):
        angle = 3.6 * percent
        way = [math.radians(begun), math.radians(begun + angle / 2)]
        first, half = (pymupdf.Point(math.cos(turn), math.sin(turn)) for turn in way)
        shape = page.new_shape()
        shape.draw_sector(middle, middle + first * 100, -angle, fullSector=True)
        shape.finish(color=None, fill=(0.25 * (index % 3), 0.1, 0.3))
        shape.commit()
        page.insert_text(middle + half * 60 + (-10, 4), f"{percent}%", fontsize=11, color=(1, 1, 1))
        page.insert_text(middle + half * 125 + (-12, 4), name, fontsize=10)
        begun += angle
    return page
