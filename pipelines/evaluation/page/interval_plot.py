"""Dots with intervals: one metric, a line a configuration."""

from __future__ import annotations

from collections.abc import Sequence

from ..outcomes import Measured
from ..shown import figure, interval, one_line
from .plots import label, line, mark, svg
from .scales import scale

_LINE, _TOP, _BOTTOM = 20, 28, 26
_PLOT, _FIGURES = 250, 118
_CHARACTER, _LONGEST = 6.6, 44


def interval_plot(metric: str, rows: Sequence[tuple[str, Measured]]) -> str:
    """``rows`` are (name, value with its interval), one under another. A broken line stands at the first
    one's mean, so that the others can be held against it."""
    names = [one_line(name, _LONGEST) for name, _ in rows]
    left = 10 + _CHARACTER * max(map(len, names), default=0)
    width, height = left + _PLOT + _FIGURES, _TOP + _LINE * len(rows) + _BOTTOM
    values = [value for _, measured in rows for value in (measured.mean, measured.low, measured.high)]
    across = scale(values or [0.0, 1.0], (left + 8, left + _PLOT - 8))
    bottom = height - _BOTTOM
    parts = [label(left, 14, metric, "t")]
    for value, written in across.ticks:
        parts.append(line(across(value), _TOP - 6, across(value), bottom, "g"))
        parts.append(label(across(value), bottom + 15, written, anchor="middle"))
    if len(rows) > 1:
        first = across(rows[0][1].mean)
        parts.append(line(first, _TOP - 6, first, bottom, "r"))
    for number, (name, (whole, measured)) in enumerate(zip(names, rows, strict=True)):
        y = _TOP + _LINE * (number + 0.5)
        figures = f"{figure(metric, measured.mean)} {interval(metric, measured)}"
        parts += [
            label(left - 4, y + 4, name, anchor="end"),
            line(across(measured.low), y, across(measured.high), y, f"w s{min(number, 1)}"),
            mark(min(number, 1), across(measured.mean), y, f"{whole}: {figures}"),
            label(left + _PLOT, y + 4, figures),
        ]
    described = "; ".join(f"{name} {figure(metric, measured.mean)}" for name, measured in rows)
    return svg(width, height, f"{metric}, with 95 % intervals", described, parts)
