"""Clearing documents from an index for good: from every generation, cache, picture, report and free page."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..indexer.digests import digest
from ..indexer.errors import ConfigurationError, WorkError
from ..indexer.stores.folder import IndexFolder
from ..indexer.stores.ledger_purge import LedgerPurge, Traces
from ..indexer.stores.ledger_rows import DocumentRow
from ..indexer.stores.ledger_runs import RunLog
from ..indexer.stores.locks import leased_generations
from ..indexer.stores.manifest import write_manifest
from .batching import withdraw_batches
from .config import Config
from .defaults import MAX_REMOVED
from .events import Event, Listener, ignore_events
from .exporting import drop_drafts
from .graph_published import EDITS, edits_of
from .leaves import drop_leaves
from .loading_models import Models
from .maintenance import IndexPath, writing
from .planning.kept import forget_plan
from .purged_edits import edits_without
from .removal import RemovalLimit, removal_of
from .removing import fits, remove_from
from .report import BuildReport
from .spending import Spending

_NOTE = "purge"
"""What is being purged: with its names until all but the ledger's free pages is clear, then without."""


@dataclass(frozen=True, slots=True)
class _Purge:
    """A purge that began. ``asked`` are the digests of the patterns that it was asked for with."""

    asked: tuple[str, ...]
    traces: Traces

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> _Purge:
        kept = json.loads(text)
        traces = Traces(**{name: tuple(values) for name, values in kept["traces"].items()})
        return cls(tuple(kept["asked"]), traces)


def purge(
    index: IndexPath,
    patterns: Sequence[str],
    *,
    config: Config | None = None,
    yes: bool = False,
    max_removed: float = MAX_REMOVED,
    embedder: Any = None,
    llm: Any = None,
    on_event: Listener | None = None,
    cancel: threading.Event | None = None,
) -> BuildReport:
    """Clear documents for good: nothing of them stays in the index's folder or in what it has on servers.

    ``patterns`` are as in :func:`.removing.remove`, and fit what only the generation before still holds,
    or what merely failed, too. Everything that :func:`.removing.remove` does, and then: there is no
    generation to go back to, all remembered model calls are forgotten (they do not say what they rest on),
    batches that a server works on are cancelled there, or named in a warning where that cannot be done,
    readings and failures of these files as well, reports of earlier builds count them without their names,
    and files are written anew where they could keep what was deleted. A call that was cut short is gone on
    with by the next one with the same patterns.

    Raises what ``remove`` does, and WorkError, before anything is changed, while somebody reads the index.
    """
    listen, stop = on_event or ignore_events, cancel or threading.Event()
    began = time.monotonic()
    with writing(index, "purge") as folder:
        _require_unread(folder, None)
        config = config or Config()
        work = _Work(folder, config, Models(config, embedder, llm, spending=Spending()), listen, stop)
        done = work.go_on()
        left = [pattern for pattern in patterns if digest(pattern) not in done]
        if left:
            work.begin(left, RemovalLimit(max_removed, yes))
        work.report.seconds["total"] = time.monotonic() - began
        return work.report


class _Work:
    """One call of :func:`purge`."""

    def __init__(
        self, folder: IndexFolder, config: Config, models: Models, listen: Listener, cancel: threading.Event
    ) -> None:
        self.report = BuildReport()
        self._folder = folder
        self._ledger = LedgerPurge(folder.ledger)
        self._config = config
        self._models = models
        self._listen = listen
        self._cancel = cancel

    def go_on(self) -> tuple[str, ...]:
        """Finish a purge that was cut short, and give the digests of what it was asked for with."""
        kept = self._folder.ledger.note(_NOTE)
        if not kept:
            return ()
        before = _Purge.from_json(kept)
        self._run(before)
        return before.asked

    def begin(self, patterns: Sequence[str], limit: RemovalLimit) -> None:
        """Purge what fits. Raises ConfigurationError where nothing does, RemovalRefused."""
        ledger, published = self._folder.ledger, self._folder.manifest().published
        gone, strange = self._chosen(patterns)
        ids = {row.document.id for row in gone} - {""}
        held = ledger.documents(published) if published is not None else []
        going = [row for row in held if row.document.id in ids]
        if len(going) > len(patterns):
            limit.check(removal_of(held, going))
        traces = self._ledger.traces(gone)
        begun = _Purge(tuple(map(digest, patterns)), replace(traces, names=(*traces.names, *strange)))
        edits = edits_without(self._folder, ids)
        self.report.purged |= withdraw_batches(ledger, self._config.llm)
        with ledger.transaction():
            self.report.purged["model calls"] = self._ledger.forget_calls()
            if edits is not None:
                ledger.set_note(EDITS, edits.to_json())
            ledger.set_note(_NOTE, begun.to_json())
        self._run(begun)

    def _chosen(self, patterns: Sequence[str]) -> tuple[list[DocumentRow], list[str]]:
        """What the ledger knows of documents that fit, under names that they had before as well; and the
        patterns that fit nothing: a build that was stopped may have begun to read that."""
        known = self._ledger.known()
        strange = [pattern for pattern in patterns if not any(fits(pattern, row) for row in known)]
        if strange and RunLog(self._folder.ledger).running() is None:
            raise ConfigurationError(f"nothing in this index fits {strange[0]!r}; see: treegraph status")
        meant = [row for row in known if any(fits(pattern, row) for pattern in patterns)]
        ids = {row.document.id for row in meant} - {""}
        return [*meant, *(row for row in known if row.document.id in ids and row not in meant)], strange

    def _run(self, purge: _Purge) -> None:
        if purge.traces.documents or purge.traces.names:
            self._remove(frozenset(purge.traces.documents))
            self._listen(Event("purge", 0, None, "generations"))
            self._forget_generations()
            self._forget_traces(purge)
        self._ledger.overwrite()
        self._folder.ledger.set_note(_NOTE, "")
        self._ledger.overwrite()

    def _remove(self, documents: frozenset[str]) -> None:
        """Publish a generation without the documents, where the published one holds any."""
        published = self._folder.manifest().published or 0
        held = [row for row in self._folder.ledger.documents(published) if row.document.id in documents]
        if held:
            purged = self.report.purged
            self.report = remove_from(
                self._folder, held, self._config, self._models, self._listen, self._cancel
            )
            self.report.purged = {**purged, "documents": len(held)}

    def _forget_generations(self) -> None:
        """Leave the published generation alone, in stores whose files are made anew."""
        folder, ledger = self._folder, self._folder.ledger
        published = folder.manifest().published
        _require_unread(folder, published)
        self._drop_entries(published)
        newest = published or 0
        with closing(folder.vectors()) as vectors:
            vectors.forget([newest], newest)
            if published is not None:
                vectors.purge(published)
        if folder.may_hold_graph:
            self._clear_graph(newest)
        if RunLog(ledger).running() is not None or not ledger.count("chunks", newest):
            self._ledger.forget_extractions()  # some may be of a build that was stopped
        ledger.erase_after(newest)
        ledger.forget_ended(newest)

    def _drop_entries(self, published: int | None) -> None:
        """Have the manifest name no other generation, and no edit by hand that is not there any more."""
        manifest, edits = self._folder.manifest(), edits_of(self._folder).to_json()
        kept = {
            number: replace(
                entry,
                base=None,
                models={name: edits if name == EDITS else value for name, value in entry.models.items()},
            )
            for number, entry in manifest.generations.items()
            if number == published
        }
        self.report.purged["generations"] = len(manifest.generations) - len(kept)
        write_manifest(self._folder.path, replace(manifest, generations=kept))

    def _clear_graph(self, published: int) -> None:
        entry = self._folder.manifest().generations.get(published)
        with closing(self._folder.graph()) as graph:
            if entry is not None and "graph" in entry.structures:
                graph.forget([published], published)
                graph.purge()
            else:
                graph.erase()
                self._folder.note_graph(False)

    def _forget_traces(self, purge: _Purge) -> None:
        """Clear the rest of the folder; the note of what is purged names it no more then."""
        folder, ledger = self._folder, self._folder.ledger
        drop_leaves(folder.path)
        drop_drafts(folder.path)
        forget_plan(folder)
        images = folder.images.forget(ledger.pictures()) if folder.images else 0
        with ledger.transaction():
            counts = self._ledger.forget(purge.traces)
            ledger.set_note(_NOTE, _Purge(purge.asked, Traces()).to_json())
        self.report.purged |= {**counts, "images": images}


def _require_unread(folder: IndexFolder, but: int | None) -> None:
    """Raise WorkError while a process reads a generation, other than ``but``."""
    for generation, pids in leased_generations(folder.path).items():
        if generation != but:
            raise WorkError(
                f"process {pids[0]} reads generation {generation}, which holds what is to be purged: close "
                "or refresh that index, and run the same command again"
            )
