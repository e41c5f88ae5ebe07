"""What goes to stderr, as text or as lines of JSON: log records by -q and -v, remarks and progress."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import click

from ..plain_text import safe
from ..stage_clock import current_stage

LogFormat = Literal["text", "json"]


@dataclass(slots=True)
class _Speech:
    """How this command line speaks: as ``text`` or ``json``, and the id of its run."""

    format: LogFormat = "text"
    run: str = ""


_speech = _Speech()


class _Stderr(logging.Handler):
    """Writes through click, which finds the stderr of the moment, and strips what drives terminals."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            record.getMessage()
        except (TypeError, ValueError, KeyError):  # a mistake of some library's, which is to stop nothing
            record.args = None
        if _speech.format == "text":
            to_stderr(safe(self.format(record)))
            return
        fields = {"stage": current_stage(), "source": getattr(record, "source", None)}
        if record.exc_info:
            fields["exception"] = logging.Formatter().formatException(record.exc_info)
        say_line(record.levelname.lower(), record.name, record.getMessage(), record.created, **fields)


def to_stderr(line: str) -> None:
    """Write a line to stderr. One that takes no more, as a log on a disk that is full, stops no work: from
    then on nothing is said."""
    try:
        click.echo(line, err=True)
    except OSError:
        with suppress(OSError, ValueError):  # else Python complains at exit of what it could not flush
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def speaks_json() -> bool:
    """Whether stderr takes lines of JSON now."""
    return _speech.format == "json"


def say_line(level: str, logger: str, message: str, at: float | None = None, **fields: Any) -> None:
    """Write one line of JSON to stderr: ``time`` (UTC; ``at``, else now), ``level``, ``logger``, ``message``,
    ``run``, and those of ``fields`` that are known."""
    now = datetime.now(UTC) if at is None else datetime.fromtimestamp(at, UTC)
    line: dict[str, Any] = {"time": now.isoformat(timespec="milliseconds"), "level": level, "logger": logger}
    line |= {"message": safe(message), "run": _speech.run}
    line |= {name: value for name, value in fields.items() if value is not None}
    # ASCII alone: a lone surrogate from a file's name, or a locale, cannot spoil a line.
    to_stderr(json.dumps(line))


@contextmanager
def log_to_stderr(run: str, form: LogFormat = "text") -> Iterator[logging.Handler]:
    """Send log records of level WARNING and above to stderr while the block runs, which is the run of that id
    and speaks in that format; what :func:`set_level` chose holds as long."""
    handler = _Stderr(logging.WARNING)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    root, own = logging.getLogger(), logging.getLogger("treegraph")
    level, before = own.level, (_speech.format, _speech.run)
    root.addHandler(handler)
    _speech.format, _speech.run = form, run
    try:
        yield handler
    finally:
        root.removeHandler(handler)
        own.setLevel(level)
        _speech.format, _speech.run = before


def set_level(quiet: bool, verbose: int) -> None:
    """Choose what is logged: errors alone, warnings, and with each -v one level more, of treegraph's own."""
    level = logging.ERROR if quiet else logging.WARNING - 10 * min(verbose, 2)
    logging.getLogger("treegraph").setLevel(level)
    for handler in logging.getLogger().handlers:
        if isinstance(handler, _Stderr):
            handler.setLevel(level)
