"""Make an index mirror its sources: only what changed is done again, published whole or not at all."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from ..indexer.errors import ConfigurationError, WorkError
from ..indexer.sources import parse_roots
from ..indexer.stores.folder import IndexFolder, collect_garbage
from ..indexer.stores.locks import writer_lock
from .asked import AskedBuild
from .batching import open_batches
from .building import Build
from .config import Config
from .defaults import MAX_REMOVED
from .editing import Edit
from .engines.opening import open_engine
from .events import Listener, ignore_events
from .found_sources import FoundSources
from .loading_models import Models
from .lost_model import check_model, note_contexts
from .lost_readers import check_readers
from .memory import PeakMemory
from .mirroring import Mirroring
from .opening import exists, index_path, open_or_create
from .planning.kept import forget_plan, kept_plan, plan_scope, planned_id
from .recipe import access_rules
from .recording import Run, recorded
from .removal import RemovalLimit, plan_removal
from .report import BuildReport
from .spending import Caps, spending_under

_ACCESS_RULES = "access rules"


def build_index(
    sources: Sequence[str | os.PathLike[str]],
    index: str | os.PathLike[str] | None = None,
    *,
    config: Config | None = None,
    yes: bool = False,
    max_removed: float = MAX_REMOVED,
    without: Sequence[str] = (),
    dry_run: bool = False,
    reembed: bool = False,
    embedder: Any = None,
    llm: Any = None,
    reranker: Any = None,
    vision: Any = None,
    max_cost: float | None = None,
    max_calls: int | None = None,
    max_seconds: float | None = None,
    index_id: str | None = None,
    edit: Edit | None = None,
    on_event: Listener | None = None,
    cancel: threading.Event | None = None,
) -> BuildReport:
    """Make the index in the folder ``index`` mirror ``sources`` (files, folders, globs, ``NAME=PATH``).

    Documents that came from other sources are never touched. A file that fails is named in
    ``report.failed`` and the rest goes on; where an earlier version of it was indexed, that stays.
    ``max_removed`` is the share of a root's documents that may go without ``yes``, which allows as well that
    pages are read by a lesser way since what read them before is not at hand any more, and that what a
    language model wrote is made again without one since none is configured. ``dry_run`` rehearses the build:
    it says what would change and what that takes (``report.plan``), and changes nothing.
    ``reembed`` takes an index that other models embedded: its chunks, contexts, summaries and extractions
    stay, and all of it is embedded by the models of this build into a generation beside the one that readers
    have. ``embedder`` and ``llm`` take the place of those that the configuration names; ``reranker`` is taken
    so that one set of models serves :func:`build_index` and ``open_index``, building asks nothing of it.
    ``vision`` is a LlamaIndex LLM that takes images, for pages that are read natively, in place of the
    configured one.

    ``max_cost`` (money, as the configured prices say), ``max_calls`` (requests, those tried again included)
    and ``max_seconds`` (since the build began) are caps on the calls of both models together: at the first
    that one of them leaves no room for, paid work stops, and the rest is done without a model. What is so
    degraded is counted in ``report.degraded`` and ``report.owed``, and made by a later build that may pay.

    ``index_id`` fixes the id of a new index. ``edit`` changes what was read before it is cut and indexed, to
    redact it for instance (see :class:`.editing.Edit`): pages of its files are not shown, no pictures of them
    are kept, and what was read of pages from their pictures is kept unedited in the ledger. ``cancel`` stops
    the build at the next safe point; the same call goes on from there.

    Raises ConfigurationError, SourceUnreadable, RemovalRefused, IndexLocked, IndexIncompatible,
    StoreError, ModelUnavailable or Cancelled; whatever it raises, readers see the generation that was
    published before.
    """
    path = index_path(index)
    began = time.monotonic()
    memory = PeakMemory()
    with recorded(path, "build", keep=not dry_run) as run:
        asked = AskedBuild(
            path=path,
            roots=parse_roots([os.fspath(source) for source in sources]),
            config=config or Config(),
            limit=RemovalLimit(max_removed, yes),
            caps=Caps(max_cost, max_calls, max_seconds),
            index_id=index_id,
            edit=edit,
            without=without,
            reembed=reembed,
            listen=on_event or ignore_events,
            cancel=cancel or threading.Event(),
        )
        asked.check()
        if dry_run:
            from .planning.rehearsing import plan_build

            return plan_build(asked, (embedder, llm, reranker, vision))
        models = Models(asked.config, embedder, llm, reranker, vision, spending_under(asked.caps))
        models.check_paid()
        try:
            with memory:
                report = run.report = _build(asked, models, run)
        finally:
            run.took(time.monotonic() - began, memory.peak)
    return report


def _build(asked: AskedBuild, models: Models, run: Run) -> BuildReport:
    config, path, index_id = asked.config, asked.path, asked.index_id
    sources = FoundSources.of(asked, models)
    scope = plan_scope(asked.roots, config, models, asked.without, asked.edit)
    if not exists(path):
        sources.require_any()
        index_id = index_id or planned_id(path, scope)
    _make_folder(path)
    with ExitStack() as held:
        held.enter_context(writer_lock(path))
        folder = held.enter_context(closing(open_or_create(path, config, index_id)))
        run.begin(folder)
        build = Build(
            folder,
            asked.scope,
            config,
            models,
            asked.listen,
            asked.cancel,
            asked.without,
            reembed=asked.reembed,
            engine=held.enter_context(closing(open_engine(config.run))),
        )
        build.report.plan = kept_plan(folder, scope)
        return _mirrored(asked, build, sources)


def _mirrored(asked: AskedBuild, build: Build, sources: FoundSources) -> BuildReport:
    """Have the build make the index what its sources are, where nothing speaks against it."""
    folder, config = build.folder, asked.config
    sources.require_known(folder, build.published)
    build.settle()
    batches = open_batches(folder.ledger, config.llm)
    build.collect(batches)
    survey = sources.survey(folder, build.state, build.log)
    asked.limit.check(plan_removal(folder.ledger, survey, asked.roots, build.state))
    _check_access_rules(folder, config, yes=asked.limit.yes)
    check_readers(build, survey, yes=asked.limit.yes)
    check_model(build, survey, asked.limit.yes, asked.without)
    report = Mirroring(build, asked.roots, survey, sources.found, asked.edit).run()
    if batches is not None:
        batches.finish()
        report.waiting = batches.waiting
    folder.ledger.set_note(_ACCESS_RULES, str(access_rules(config)))
    note_contexts(build, (root.name for root in asked.roots))
    if report.generation is not None:
        forget_plan(folder)
        collect_garbage(folder)
    return report


def _check_access_rules(folder: IndexFolder, config: Config, yes: bool) -> None:
    """A configuration that was not found must not make labelled documents public."""
    before = int(folder.ledger.note(_ACCESS_RULES) or 0)
    if before and not access_rules(config) and not yes:
        raise ConfigurationError(
            f"the last build of this index had {before} settings of who may read what ([[documents]] labels, "
            "[access] unlabelled), and this one has none: name its configuration with --config, or say with "
            "--yes that the documents may become public"
        )


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkError(f"cannot make {path}: {error.strerror}; name another folder with --index") from error
