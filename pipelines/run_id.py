"""The id that what runs, its log lines, its metrics and its line in the history share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_CHOSEN: ContextVar[str | None] = ContextVar("treegraph_run_id", default=None)


@contextmanager
def run_id(chosen: str) -> Iterator[None]:
    """The runs that begin in the block have the id ``chosen``."""
    token = _CHOSEN.set(chosen)
    try:
        yield
    finally:
        _CHOSEN.reset(token)


def chosen_run_id() -> str | None:
    """The id that was chosen for what begins here."""
    return _CHOSEN.get()
