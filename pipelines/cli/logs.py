"""Logging of the command line: to stderr, by -q and -v, and undone afterwards."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import click

from ..plain_text import safe


class _Stderr(logging.Handler):
    """Writes through click, which finds the stderr of the moment, and strips what drives terminals."""

    def emit(self, record: logging.LogRecord) -> None:
        click.echo(safe(self.format(record)), err=True)


@contextmanager
def log_to_stderr() -> Iterator[logging.Handler]:
    """Send log records of level WARNING and above to stderr while the block runs; what
    :func:`set_level` chose holds as long."""
    handler = _Stderr(logging.WARNING)
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    root, own = logging.getLogger(), logging.getLogger("treegraph")
    level = own.level
    root.addHandler(handler)
    try:
        yield handler
    finally:
        root.removeHandler(handler)
        own.setLevel(level)


def set_level(quiet: bool, verbose: int) -> None:
    """Choose what is logged: errors alone, warnings, and with each -v one level more, of treegraph's own."""
    level = logging.ERROR if quiet else logging.WARNING - 10 * min(verbose, 2)
    logging.getLogger("treegraph").setLevel(level)
    for handler in logging.getLogger().handlers:
        if isinstance(handler, _Stderr):
            handler.setLevel(level)
