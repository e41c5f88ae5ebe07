"""What an error of others says, in one line."""

from __future__ import annotations


def first_line(error: BaseException) -> str:
    """The first line of its message; the name of its class where it says nothing."""
    return next(iter(str(error).strip().splitlines()), "") or type(error).__name__
