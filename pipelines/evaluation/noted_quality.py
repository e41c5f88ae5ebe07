"""What an evaluation measured of an index that its user built goes into the history of that index."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from ...indexer.errors import StoreError
from ...indexer.stores.folder import IndexFolder
from ...indexer.stores.ledger_history import RunHistory
from .outcomes import Row
from .shown import headline

log = logging.getLogger(__name__)


def note_quality(index: Path, measured: Sequence[tuple[int, Row]]) -> None:
    """Note each row with the run that published the generation that it is of. An index that cannot be
    written to is measured all the same."""
    try:
        with closing(IndexFolder.open(index)) as folder:
            history = RunHistory(folder.ledger)
            for generation, row in measured:
                if not history.note_quality(generation, {row.set: _noted(row)}):
                    log.info("no run in the history of %s published generation %d", index, generation)
    except StoreError as error:
        log.warning("what was measured is not in the history of runs: %s", error)


def _noted(row: Row) -> dict[str, object]:
    return {
        "measured": datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="seconds"),
        "queries": row.queries,
        "asked": row.asked,
        "config": dict(row.config),
        "headline": headline(row),
        "metrics": {name: found.mean for name, found in row.metrics.items()},
    }
