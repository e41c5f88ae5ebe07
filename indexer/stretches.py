"""What is too much at once, in stretches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def stretches(items: Sequence[Item], size: int) -> Iterator[list[Item]]:
    """``items`` in order, ``size`` at a time; the last stretch may be shorter."""
    for at in range(0, len(items), size):
        yield list(items[at : at + size])
