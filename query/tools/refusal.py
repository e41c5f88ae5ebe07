"""What a tool says when it cannot do what it was asked."""

from __future__ import annotations


class Refusal(Exception):
    """A call that cannot be answered: ``message`` says why, ``advice`` what to try next. Both are for the
    agent, and hold nothing of the machine that the server runs on."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
