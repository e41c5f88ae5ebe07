"""Writing results: one JSON document or plain text on stdout, notes on stderr, nothing that a document
could use to drive the terminal."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from ..plain_text import safe
from .logs import say_line, speaks_json, to_stderr

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ...query.result import SearchResult

SCHEMA = 1
"""``schema`` of every JSON document that is written."""

_UNBROKEN = 4000
PIPE_CLOSED = 141
"""Exit code when the reader of stdout went away: 128 + SIGPIPE, as shells count it."""

_UNSAFE_IN_JSON = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def one_line(text: str) -> str:
    """:func:`safe`, with all white space folded to single spaces."""
    return " ".join(safe(text).split())


def emit(document: Mapping[str, Any]) -> None:
    """Write one JSON document to stdout: UTF-8 whatever the locale says, ``schema`` in front."""
    whole = {"schema": SCHEMA, **document}
    try:
        data = _dump(whole, ascii_only=False).encode("utf-8")
    except UnicodeEncodeError:  # a lone surrogate, from a file name that is not UTF-8
        data = _dump(whole, ascii_only=True).encode("ascii")
    write(data + b"\n")


def _dump(document: Mapping[str, Any], ascii_only: bool) -> str:
    text = json.dumps(document, ensure_ascii=ascii_only, allow_nan=False, indent=None)
    return _UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def write(data: bytes) -> None:
    """Write bytes to stdout. Exits with PIPE_CLOSED when nobody reads any more; raises OSError."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    except OSError as error:
        # Or Python complains once more when it flushes what is left at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise click.exceptions.Exit(PIPE_CLOSED) from None
        raise


def say(text: str) -> None:
    """Write a line of a human-readable result to stdout."""
    write((safe(text) + "\n").encode("utf-8"))


def note(text: str, level: str = "info", **fields: Any) -> None:
    """Write a line to stderr; where that takes lines of JSON, with ``fields`` beside its message."""
    if speaks_json():
        say_line(level, "treegraph", text.removeprefix("treegraph: "), **fields)
    else:
        to_stderr(safe(text))


def say_degraded(result: SearchResult) -> None:
    """Write to stderr what a search was done without."""
    for step in result.degraded:
        note(f"treegraph: done without {step} (-v shows why)")


def show(*parts: RenderableType) -> None:
    """Write rich renderables to stdout: in colour and as wide as it is on a terminal; elsewhere plain,
    with nothing broken into lines, so that other programs can read it."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else _UNBROKEN
    console = Console(highlight=False, markup=False, emoji=False, width=width)
    with console.capture() as capture:
        for part in parts:
            console.print(part)
    lines = (line.rstrip() for line in capture.get().splitlines())
    write(("\n".join(lines) + "\n").encode("utf-8"))
