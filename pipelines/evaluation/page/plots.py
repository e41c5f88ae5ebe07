"""Plots as SVG text, for pages that hold all they need.

Curves differ by mark and dash as well as by colour, each plot has a title and a description, and all text
is escaped. Colours come from the page's style sheet (classes ``s0`` to ``s7``), so that light, dark and
paper each have their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite

from ..shown import one_line
from .scales import Scale, scale

SERIES = 8
"""Colours, marks and dashes there are; curves beyond them are not drawn, and the legend says so."""

_WIDTH, _HEIGHT = 560, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 14, 30, 44
_LEGEND_LINE, _LEGEND_TEXT = 18, 84
_DASHES = ("", "6 3", "2 3", "8 3 2 3", "12 4", "4 2", "1 4", "10 2 1 2 1 2")


@dataclass(frozen=True, slots=True)
class Curve:
    """Points joined by a line. ``note`` stands behind the name in the legend (a fitted exponent)."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """Curves over one pair of axes. ``log`` makes both axes logarithmic, ``log_x`` only the lower one;
    points that such an axis cannot show (0 and less) are left out. ``y_range`` is (lowest, highest) where
    the curves should not decide it."""

    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    log: bool = False
    log_x: bool = False
    y_range: tuple[float, float] | None = None


def line_plot(panel: Panel) -> str:
    """The panel as one ``<svg>`` element, its legend below the axes; a sentence where it has no point."""
    curves = [_showable(panel, curve) for curve in panel.curves[:SERIES]]
    points = [point for curve in curves for point in curve]
    if not points:
        return f"<p>{text_of(panel.title)}: nothing to plot.</p>"
    across = scale([x for x, _ in points], (_LEFT, _WIDTH - _RIGHT), panel.log or panel.log_x)
    heights = list(panel.y_range) if panel.y_range else [y for _, y in points]
    up = scale(heights, (_HEIGHT - _BOTTOM, _TOP), panel.log)
    more = len(panel.curves) - len(curves)
    height = _HEIGHT + _LEGEND_LINE * (len(curves) + (more > 0))
    parts = [*_axes(panel, across, up)]
    for number, (curve, shown) in enumerate(zip(panel.curves, curves, strict=False)):
        parts += _drawn(number, curve, [(across(x), up(y)) for x, y in shown])
        parts += _legend(number, curve)
    if more > 0:
        parts.append(label(_LEFT + 38, height - 10, f"{more} more, not drawn"))
    return svg(_WIDTH, height, panel.title, _description(panel), parts)


def svg(width: float, height: float, title: str, description: str, parts: Sequence[str]) -> str:
    """One ``<svg>`` element that screen readers find named and described."""
    name = text_of(title)
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" role="img" '
        f'aria-label="{name}"><title>{name}</title><desc>{text_of(description)}</desc>{"".join(parts)}</svg>'
    )


def label(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    """A text at a point; ``kind`` is its class."""
    of_kind = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{of_kind}>{text_of(text)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line; ``kind`` is its class."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def mark(number: int, x: float, y: float, tip: str = "", size: float = 4) -> str:
    """The mark of the series of that number, shaped by it; ``tip`` shows where a pointer rests on it."""
    inner = f"<title>{text_of(tip)}</title>" if tip else ""
    kind = f'class="m s{number % SERIES}"'
    shape = number % 4
    if shape == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}" {kind}>{inner}</circle>'
    offsets = {
        1: ((-1, -1), (1, -1), (1, 1), (-1, 1)),
        2: ((0, -1.3), (1.2, 1), (-1.2, 1)),
        3: ((0, -1.4), (1.4, 0), (0, 1.4), (-1.4, 0)),
    }[shape]
    corners = " ".join(f"{x + dx * size:.1f},{y + dy * size:.1f}" for dx, dy in offsets)
    return f'<polygon points="{corners}" {kind}>{inner}</polygon>'


def text_of(text: str) -> str:
    """Any text, fit to stand in an element or a quoted attribute."""
    return escape(one_line(text))


def _showable(panel: Panel, curve: Curve) -> list[tuple[float, float]]:
    positive_x, positive_y = panel.log or panel.log_x, panel.log
    return [
        (x, y)
        for x, y in zip(curve.x, curve.y, strict=True)
        if isfinite(x) and isfinite(y) and (x > 0 or not positive_x) and (y > 0 or not positive_y)
    ]


def _axes(panel: Panel, across: Scale, up: Scale) -> Iterator[str]:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    yield label(_LEFT, 14, panel.title, "t")
    for value, written in up.ticks:
        yield line(_LEFT, up(value), right, up(value), "g")
        yield label(_LEFT - 6, up(value) + 4, written, anchor="end")
    for value, written in across.ticks:
        yield line(across(value), bottom, across(value), bottom + 4, "a")
        yield label(across(value), bottom + 17, written, anchor="middle")
    yield line(_LEFT, bottom, right, bottom, "a")
    yield label((_LEFT + right) / 2, _HEIGHT - 10, panel.x_label, anchor="middle")
    middle = (_TOP + bottom) / 2
    yield (
        f'<text transform="translate(14 {middle:.1f}) rotate(-90)" text-anchor="middle">'
        f"{text_of(panel.y_label)}</text>"
    )


def _drawn(number: int, curve: Curve, points: Sequence[tuple[float, float]]) -> Iterator[str]:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    yield f'<polyline points="{path}" class="l s{number % SERIES}"{_dash(number)}/>'
    if len(points) <= 25:
        values = zip(curve.x, curve.y, strict=True) if len(points) == len(curve.x) else points
        for (x, y), (at, value) in zip(points, values, strict=True):
            yield mark(number, x, y, f"{curve.name}: {at:,g}, {value:,.4g}", 3)


def _legend(number: int, curve: Curve) -> Iterator[str]:
    y = _HEIGHT + 4 + number * _LEGEND_LINE
    kind = f"l s{number % SERIES}"
    yield f'<line x1="{_LEFT}" y1="{y}" x2="{_LEFT + 30}" y2="{y}" class="{kind}"{_dash(number)}/>'
    yield mark(number, _LEFT + 15, y, size=3)
    name = f"{curve.name} ({curve.note})" if curve.note else curve.name
    yield label(_LEFT + 38, y + 4, one_line(name, _LEGEND_TEXT))


def _dash(number: int) -> str:
    dash = _DASHES[number % len(_DASHES)]
    return f' stroke-dasharray="{dash}"' if dash else ""


def _description(panel: Panel) -> str:
    ends = (
        f"{curve.name}: {curve.y[0]:.4g} at {curve.x[0]:,g} to {curve.y[-1]:.4g} at {curve.x[-1]:,g}"
        + (f" ({curve.note})" if curve.note else "")
        for curve in panel.curves[:SERIES]
        if curve.x
    )
    return f"{panel.y_label} over {panel.x_label}. " + "; ".join(ends)
