"""The HTML pages that ``--html`` asks for."""

from __future__ import annotations

from pathlib import Path

from ...indexer.errors import ConfigurationError
from ..evaluation.packages import jinja2
from .failing import FAILED
from .output import note


def check_page(path: Path | None) -> None:
    """Say what would keep the page from being written before the work, not after it. Raises
    ConfigurationError; None asks for no page."""
    if path is None:
        return
    jinja2()
    if not path.absolute().parent.is_dir():
        raise ConfigurationError(f"--html {path}: there is no folder {path.parent}")


def write_page(path: Path, text: str) -> int:
    """Write a page. Returns the exit code; what went wrong is only said, as the results are out already."""
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        note(f"treegraph: cannot write {path}: {error.strerror}")
        return FAILED
    return 0
