"""Every run leaves its line in the history of its index: what it was, how it ended, what it took."""

from __future__ import annotations

import logging
import os
import socket
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..indexer.errors import Cancelled, IndexNotFound, TreegraphError
from ..indexer.stores.folder import IndexFolder
from ..indexer.stores.ledger_history import ENDED_WELL, Ending, Outcome, RunHistory
from ..indexer.stores.ledger_runs import RunLog
from ..indexer.tracing import span
from .report import BuildReport
from .run_id import chosen_run_id

log = logging.getLogger(__name__)

_RUNNING: ContextVar[Run | None] = ContextVar("treegraph_run", default=None)


@dataclass(slots=True)
class Run:
    """A run under way. What it does goes into ``report``; ``generation`` is what it published, where there is
    no report to say so."""

    path: Path
    command: str
    id: str
    began: float
    started: float
    report: BuildReport | None = None
    generation: int | None = None
    number: int | None = None

    def begin(self, folder: IndexFolder) -> None:
        """It may write now: from here on the history has it. The caller holds the writer's lock."""
        folder.ledger.complete()
        history = RunHistory(folder.ledger)
        self.number = history.begin(self.id, self.command, os.getpid(), socket.gethostname(), self.started)

    def took(self, seconds: float, memory: int) -> None:
        """What all of it took: seconds, and bytes at the most."""
        if self.report is not None:
            self.report.seconds["total"] = seconds
            self.report.peak_memory = memory

    def end(self, error: BaseException | None) -> None:
        """Note how it ended; where that cannot be noted, as on a full disk, a warning is logged."""
        try:
            with closing(IndexFolder.open(self.path)) as folder:
                self._note(folder, self._ending(folder, error))
        except IndexNotFound:
            log.debug("an index that was never made has no history of runs")
        except (TreegraphError, OSError) as failed:
            log.warning("how run %s ended is not in the history of runs: %s", self.id, failed)

    def _note(self, folder: IndexFolder, ending: Ending) -> None:
        history = RunHistory(folder.ledger)
        if self.number is not None:
            history.finish(self.number, ending)
        else:
            history.add_ended(self.id, self.command, os.getpid(), socket.gethostname(), self.started, ending)
        if self.report is not None and ending.outcome in ENDED_WELL:
            RunLog(folder.ledger).mark_reported(failure.source for failure in self.report.failed)

    def _ending(self, folder: IndexFolder, error: BaseException | None) -> Ending:
        generation = self.generation if self.report is None else self.report.generation
        outcome, reason, message = how_it_ended(error, generation)
        if self.command == "purge":
            message = ""  # which names what is to be forgotten
        return Ending(
            finished=time.time(),
            seconds=time.monotonic() - self.began,
            outcome=outcome,
            reason=reason,
            message=message,
            generation=generation,
            counts=_counts(folder),
            report=None if self.report is None else _kept(self.report),
        )


@contextmanager
def recorded(path: Path, command: str, keep: bool = True) -> Iterator[Run]:
    """A run of ``command`` on the index in ``path`` while the block runs, noted in its history at the end,
    however that comes; not where ``keep`` is false, as for a dry run."""
    run = Run(path, command, chosen_run_id() or uuid.uuid4().hex, time.monotonic(), time.time())
    token = _RUNNING.set(run)
    try:
        with span(f"treegraph.{command}", **{"treegraph.run": run.id}) as note:
            yield run
            report = run.report
            note({"treegraph.generation": report.generation if report else run.generation})
    except BaseException as error:
        if keep:
            run.end(error)
        raise
    else:
        if keep:
            run.end(None)
    finally:
        _RUNNING.reset(token)


def current_run() -> Run | None:
    """The run that is under way in this thread."""
    return _RUNNING.get()


def note_published(generation: int) -> None:
    """The run under way in this thread published ``generation``, and has no report that says so."""
    if (run := _RUNNING.get()) is not None:
        run.generation = generation


def how_it_ended(error: BaseException | None, generation: int | None) -> tuple[Outcome, str, str]:
    """The outcome of a run that raised ``error`` or published ``generation``, with the reason in a few words
    and in full."""
    if error is None:
        return ("unchanged" if generation is None else "published"), "", ""
    if isinstance(error, Cancelled | KeyboardInterrupt):
        return "stopped", "", str(error)
    reason = error.reason if isinstance(error, TreegraphError) else type(error).__name__
    return "failed", reason, str(error)


def _counts(folder: IndexFolder) -> dict[str, int]:
    """What the index holds, and how many inputs stand as failed."""
    published = folder.manifest().published
    failures = len(RunLog(folder.ledger).failures())
    if published is None:
        return {"documents": 0, "chunks": 0, "nodes": 0, "failures": failures}
    held = {name: folder.ledger.count(name, published) for name in ("documents", "chunks", "nodes")}
    return {**held, "failures": failures}


def _kept(report: BuildReport) -> dict[str, Any]:
    """The report with counts in the place of names: the history outlives the documents."""
    whole = report.to_json()
    documents = {name: _count(found) for name, found in whole.pop("documents").items()}
    new = sum(not failure.known for failure in report.failed)
    unreadable = sum(len(numbers) for numbers in whole.pop("unreadable").values())
    del whole["schema"], whole["run"], whole["dry_run"]
    return {"documents": {**documents, "new_failures": new}, "unreadable": unreadable, **whole}


def _count(found: Any) -> int:
    return found if isinstance(found, int) else len(found)
