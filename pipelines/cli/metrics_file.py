"""``--metrics-file``: the figures of a run for a monitoring system, however the run ends."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..run_id import chosen_run_id
from .common import Common
from .output import note


@contextmanager
def metrics_to(file: Path | None, common: Common, command: str) -> Iterator[None]:
    """Write the figures of the run in the block to ``file`` at its end, where one is named. A file that
    cannot be written is a warning: the run is what it is."""
    began = time.monotonic()
    try:
        yield
    except BaseException as error:
        _write(file, common, command, time.monotonic() - began, error)
        raise
    else:
        _write(file, common, command, time.monotonic() - began, None)


def _write(
    file: Path | None, common: Common, command: str, seconds: float, error: BaseException | None
) -> None:
    if file is None:
        return
    from ..metrics import write_metrics

    try:
        write_metrics(file, common.index_path, command, chosen_run_id() or "", seconds, error)
    except OSError as unwritten:
        note(f"treegraph: the metrics are not in {file}: {unwritten.strerror}", "warning")
