"""What a model says once it has thought."""

from __future__ import annotations

THINK, THOUGHT = "<think>", "</think>"
"""What a model puts around its thoughts; the first is often in its prompt, and not in its answer."""


def without_thoughts(answer: str) -> str:
    """What comes behind the last of a model's thoughts; all of an answer without any."""
    return answer.rpartition(THOUGHT)[2]
