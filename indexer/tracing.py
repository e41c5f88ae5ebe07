"""Spans of traces, where somebody collects them; else nothing is done, and nothing imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

Note = Callable[[Mapping[str, Any]], None]
"""Adds attributes to the span that is open."""


class Spans(Protocol):
    """Collects spans. Times are those of ``time.perf_counter``; an attribute that is None is left out."""

    def within(self, name: str, attributes: Mapping[str, Any]) -> AbstractContextManager[Note]:
        """A span as long as the block runs; spans that this thread begins in it are its children."""
        ...

    def past(self, name: str, began: float, ended: float, attributes: Mapping[str, Any]) -> None:
        """A span of what is over, in the one that this thread is in."""
        ...


_collecting: Spans | None = None


def collect(spans: Spans | None) -> None:
    """Have all spans of this process go to ``spans`` from now on; None: to nobody."""
    global _collecting
    _collecting = spans


def span(name: str, **attributes: Any) -> AbstractContextManager[Note]:
    """A span as long as the block runs, which gets what adds attributes to it."""
    if _collecting is None:
        return nullcontext(_ignore)
    return _collecting.within(name, attributes)


def step(name: str, began: float, ended: float, **attributes: Any) -> None:
    """A span of what is over."""
    if _collecting is not None:
        _collecting.past(name, began, ended, attributes)


def _ignore(attributes: Mapping[str, Any]) -> None:
    """Nobody collects."""
