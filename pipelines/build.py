"""Make an index mirror its sources: only what changed is done again, published whole or not at all."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from ..indexer.errors import ConfigurationError, SourceUnreadable, WorkError
from ..indexer.loaders import media
from ..indexer.sources import Root, Walk, parse_roots, walk
from ..indexer.stores.folder import IndexFolder, collect_garbage
from ..indexer.stores.locks import writer_lock
from .batching import open_batches
from .building import Build
from .config import Config
from .defaults import MAX_REMOVED, STRUCTURES
from .editing import Edit
from .engines.opening import open_engine
from .events import Event, Listener, ignore_events
from .loading_models import Models
from .lost_readers import check_readers
from .memory import PeakMemory
from .mirroring import Mirroring
from .opening import exists, holds, index_path, open_or_create
from .owed import TREE
from .page_readers import PageReaders
from .planning.asked import AskedBuild, mirror_scope
from .planning.kept import forget_plan, kept_plan, plan_scope, planned_id
from .recipe import access_rules, limits_digest, recipes
from .recording import Run, recorded
from .removal import RemovalLimit, plan_removal
from .report import BuildReport
from .spending import Caps, spending_under
from .survey import Surveyor

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
    pages are read by a lesser way since what read them before is not at hand any more. ``dry_run`` rehearses
    the build: it says what would change and what that takes (``report.plan``), and changes nothing.
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
        config = config or Config()
        limit = RemovalLimit(max_removed, yes)
        _check_structures(without)
        if reembed and TREE in without and holds(path, TREE):
            raise ConfigurationError(
                "--reembed embeds the tree's summaries as well: leave --without tree out"
            )
        roots = parse_roots([os.fspath(source) for source in sources])
        if not roots:
            raise ConfigurationError("name at least one source: treegraph build SOURCE...")
        cancel = cancel or threading.Event()
        listen = on_event or ignore_events
        if dry_run:
            from .planning.rehearsing import plan_build

            asked = AskedBuild(
                path=path,
                roots=roots,
                config=config,
                limit=limit,
                max_cost=max_cost,
                index_id=index_id,
                edit=edit,
                without=without,
                reembed=reembed,
                listen=listen,
                cancel=cancel,
            )
            return plan_build(asked, (embedder, llm, reranker, vision))
        spending = spending_under(Caps(max_cost, max_calls, max_seconds))
        models = Models(config, embedder, llm, reranker, vision, spending)
        models.check_paid()
        try:
            with memory:
                report = run.report = _build(
                    path,
                    roots,
                    config,
                    models,
                    limit,
                    reembed,
                    index_id,
                    edit,
                    without,
                    listen,
                    cancel,
                    run,
                )
        finally:
            run.took(time.monotonic() - began, memory.peak)
    return report


def _build(
    path: Path,
    roots: Sequence[Root],
    config: Config,
    models: Models,
    limit: RemovalLimit,
    reembed: bool,
    index_id: str | None,
    edit: Edit | None,
    without: Sequence[str],
    listen: Listener,
    cancel: threading.Event,
    run: Run,
) -> BuildReport:
    listen(Event("survey", 0, None, "files"))
    found = walk(roots, config.ignore)
    recipe = recipes(config, edit.name if edit else None, models.llm_asked)
    readers = PageReaders(config, models)
    readers.check()
    limits = limits_digest(config, readers.asked)
    surveyor = Surveyor(recipe, limits, listen, cancel, readers.stands)
    if not exists(path):
        check_any(roots, found)
    asked = plan_scope(roots, config, models, without, edit)
    if not exists(path):
        index_id = index_id or planned_id(path, asked)
    _make_folder(path)
    with ExitStack() as held:
        held.enter_context(writer_lock(path))
        folder = held.enter_context(closing(open_or_create(path, config, index_id)))
        run.begin(folder)
        engine = held.enter_context(closing(open_engine(config.run)))
        scope = mirror_scope(roots)
        build = Build(folder, scope, config, models, listen, cancel, without, reembed=reembed, engine=engine)
        build.report.plan = kept_plan(folder, asked)
        if build.published is None:
            check_any(roots, found)
        check_roots(folder, roots, found, build.published)
        build.settle()
        batches = open_batches(folder.ledger, config.llm)
        build.collect(batches)
        known = folder.ledger.files(build.state)
        survey = surveyor.survey(roots, found, known, build.log.failures())
        limit.check(plan_removal(folder.ledger, survey, roots, build.state))
        _check_access_rules(folder, config, yes=limit.yes)
        check_readers(build, survey, yes=limit.yes)
        report = Mirroring(build, roots, survey, found, edit).run()
        if batches is not None:
            batches.finish()
            report.waiting = batches.waiting
        if report.generation is not None:
            forget_plan(folder)
        folder.ledger.set_note(_ACCESS_RULES, str(access_rules(config)))
        if report.generation is not None:
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


def _check_structures(without: Sequence[str]) -> None:
    unknown = sorted(set(without) - set(STRUCTURES))
    if unknown:
        raise ConfigurationError(f"--without knows {', '.join(STRUCTURES)}; not {', '.join(unknown)}")


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkError(f"cannot make {path}: {error.strerror}; name another folder with --index") from error


def check_any(roots: Sequence[Root], found: Walk) -> None:
    """A first build that would index nothing is a mistake; what fails is named as such later."""
    if found.files or found.problems:
        return
    named = ", ".join(root.spec for root in roots)
    left_out = ", ".join(f"{count:,} {reason}" for reason, count in found.ignored.items())
    raise SourceUnreadable(
        f"there is nothing to index in {named}{f' (left out: {left_out})' if left_out else ''}; nothing was "
        f"published. What is read: {media.READ}"
    )


def check_roots(folder: IndexFolder, roots: Sequence[Root], found: Walk, published: int | None) -> None:
    """A source that had documents and shows none is a mistake, or a disk that is not mounted."""
    known = {row["name"]: row for row in folder.ledger.rows("SELECT * FROM roots")}
    files = Counter(file.root for file in found.files)
    held = Counter(row.root for row in folder.ledger.files(published or 0).values())
    for root in roots:
        if held[root.name] and not files[root.name]:
            raise SourceUnreadable(
                f"{root.spec} shows no documents, but the index holds {held[root.name]} from it; nothing was "
                f"changed. If they are to go: treegraph remove {root.name}"
            )
        if not held[root.name] and not files[root.name] and root.pattern is not None:
            raise SourceUnreadable(f"nothing matches {root.spec}")
        before = known.get(root.name)
        if before and before["spec"] != root.spec and Path(before["path"]).exists() and held[root.name]:
            raise ConfigurationError(
                f"the index already has a source named {root.name}, from {before['spec']}; give this one a "
                f"name of its own: NAME={root.spec}"
            )
