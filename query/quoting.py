"""What a reader asked for, as it comes back in a message."""

from __future__ import annotations

LONGEST = 80
"""Characters that are repeated."""


def quoted(asked: str) -> str:
    """``asked`` in quotation marks; of a long text, how it begins."""
    return repr(asked) if len(asked) <= LONGEST else f"{asked[:LONGEST]!r}..."
