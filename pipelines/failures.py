"""Failures as the ledger keeps them and as a report tells them."""

from __future__ import annotations

import time

from ..indexer.errors import LoadError, ModelCallError
from ..indexer.stores.ledger_runs import FailureRow
from .report import Failure


def failure_of(row: FailureRow) -> Failure:
    """What a report says of a failure."""
    return Failure(row.source, row.reason, row.message, row.stale, row.reported)


def failure_row(
    source: str,
    root: str,
    file: str,
    error: LoadError | ModelCallError,
    version: str,
    recipe: str,
    stale: bool,
) -> FailureRow:
    """What the ledger keeps of an error of ``source``, which stands in ``file``."""
    return FailureRow(source, root, file, error.reason, str(error), version, recipe, stale, time.time())
