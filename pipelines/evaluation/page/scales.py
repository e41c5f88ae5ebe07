"""From values to places on a plot, with ticks at round values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

_STEPS = (1, 2, 2.5, 5, 10)
_TICKS = 6


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values between ``low`` and ``high`` to places between ``start`` and ``end``; ``ticks`` are
    (value, as it is written)."""

    low: float
    high: float
    start: float
    end: float
    log: bool
    ticks: tuple[tuple[float, str], ...]

    def __call__(self, value: float) -> float:
        """The place of ``value``. A logarithmic scale takes values above 0."""
        if self.log:
            done = (log10(value) - log10(self.low)) / (log10(self.high) - log10(self.low))
        else:
            done = (value - self.low) / (self.high - self.low)
        return self.start + done * (self.end - self.start)


def scale(values: Sequence[float], places: tuple[float, float], log: bool = False) -> Scale:
    """The scale that shows all ``values`` (at least one; above 0 where ``log``) between round ends."""
    return _logarithmic(values, places) if log else _linear(values, places)


def written(value: float) -> str:
    """A tick's value: shares without a leading zero, thousands as k and M."""
    size = abs(value)
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if size >= unit:
            return f"{value / unit:g}{name}"
    text = f"{round(value, 10):g}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def _linear(values: Sequence[float], places: tuple[float, float]) -> Scale:
    low, high = min(values), max(values)
    if low == high:
        margin = abs(low) / 10 or 1.0
        low, high = low - margin, high + margin
    step = _step((high - low) / _TICKS)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    ticks = tuple((n * step, written(n * step)) for n in range(first, last + 1))
    return Scale(first * step, last * step, *places, log=False, ticks=ticks)


def _step(least: float) -> float:
    """The smallest round step that is no less than ``least``."""
    power = 10.0 ** floor(log10(least))
    return next(step * power for step in _STEPS if step * power >= least * (1 - 1e-9))


def _logarithmic(values: Sequence[float], places: tuple[float, float]) -> Scale:
    low, high = min(values), max(values)
    if low == high:
        low, high = low / 2, high * 2
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    within = log10(high / low) < 3.5
    steps = (1, 2, 5) if within else (1,)
    marks = [step * 10.0**decade for decade in decades for step in steps]
    below = max((mark for mark in marks if mark <= low * (1 + 1e-9)), default=low)
    above = min((mark for mark in marks if mark >= high * (1 - 1e-9)), default=high)
    ticks = tuple((mark, written(mark)) for mark in marks if below <= mark <= above)
    return Scale(below, above, *places, log=True, ticks=ticks)
