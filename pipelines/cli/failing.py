"""Errors of the command line: the message on stderr, under --json a document on stdout too."""

from __future__ import annotations

from .common import Common
from .output import emit, note

USAGE, FAILED, INTERRUPTED = 2, 3, 130
"""Exit codes: wrong usage or configuration; the work could not be done; stopped by Ctrl-C."""


def fail(common: Common, kind: str, message: str, code: int, shown: bool = False) -> int:
    """Say what went wrong, unless stderr has ``shown`` it already, and return the exit code."""
    if not shown:
        note(f"treegraph: {message}", "error", type=kind)
    if common.json:
        emit({"error": {"type": kind, "message": message, "exit_code": code}})
    return code
