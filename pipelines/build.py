"""Make an index mirror its sources: only what changed is done again, published whole or not at all."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..indexer.errors import (
    ConfigurationError,
    RemovalRefused,
    SourceUnreadable,
    WorkError,
)
from ..indexer.sources import Root, SourceFile, Walk, parse_roots, walk
from ..indexer.stores.folder import IndexFolder, collect_garbage
from ..indexer.stores.locks import writer_lock
from .building import Build
from .config import Config
from .events import Event, Listener, ignore_events
from .loading_models import Models
from .memory import PeakMemory
from .opening import exists, index_path, open_or_create
from .recipe import file_recipe, shared_recipe
from .removal import Removal, plan_removal
from .report import BuildReport
from .survey import Survey, Surveyor, sidecar_text

STRUCTURES = ("tree", "graph")
"""Structures beside the hybrid layer; none of them is built yet."""
MAX_REMOVED = 0.05


def build_index(
    sources: Sequence[str | os.PathLike[str]],
    index: str | os.PathLike[str] | None = None,
    *,
    config: Config | None = None,
    yes: bool = False,
    max_removed: float = MAX_REMOVED,
    without: Sequence[str] = (),
    dry_run: bool = False,
    embedder: Any = None,
    llm: Any = None,
    reranker: Any = None,
    index_id: str | None = None,
    on_event: Listener | None = None,
    cancel: threading.Event | None = None,
) -> BuildReport:
    """Make the index in the folder ``index`` mirror ``sources`` (files, folders, globs, ``NAME=PATH``).

    Documents that came from other sources are never touched. A file that fails is named in
    ``report.failed`` and the rest goes on; where an earlier version of it was indexed, that stays.
    ``max_removed`` is the share of a root's documents that may go without ``yes``. ``dry_run`` says
    what would change and changes nothing. ``embedder`` and ``llm`` take the place of those that the
    configuration names; ``reranker`` is taken so that one set of models serves :func:`build_index` and
    ``open_index``, building asks nothing of it. ``index_id`` fixes the id of a new index. ``cancel``
    stops the build at the next safe point; the same call goes on from there.

    Raises ConfigurationError, SourceUnreadable, RemovalRefused, IndexLocked, IndexIncompatible,
    StoreError, ModelUnavailable or Cancelled; whatever it raises, readers see the generation that was
    published before.
    """
    config = config or Config()
    _check_structures(without)
    roots = parse_roots([os.fspath(source) for source in sources])
    if not roots:
        raise ConfigurationError("name at least one source: treegraph build SOURCE...")
    path = index_path(index)
    models = Models(config, embedder, llm, reranker)
    listen = on_event or ignore_events
    began = time.monotonic()
    with PeakMemory() as memory:
        report = _build(
            path, roots, config, models, Limits(max_removed, yes, dry_run), index_id, listen,
            cancel or threading.Event(),
        )  # fmt: skip
    report.peak_memory = memory.peak
    report.seconds["total"] = time.monotonic() - began
    return report


class Limits:
    """How much a build may remove, and whether it may change anything."""

    def __init__(self, max_removed: float, yes: bool, dry_run: bool) -> None:
        if not 0 <= max_removed <= 1:
            raise ConfigurationError(f"--max-removed is a share between 0 and 1, not {max_removed}")
        self.max_removed = max_removed
        self.yes = yes
        self.dry_run = dry_run

    def check(self, removal: Removal) -> None:
        """Raise RemovalRefused where more would go than allowed."""
        excess = removal.excess(self.max_removed)
        if excess and not self.yes and not self.dry_run:
            listed = "\n".join(f"  {source}" for source in excess[:50])
            more = f"\n  and {len(excess) - 50} more" if len(excess) > 50 else ""
            raise RemovalRefused(
                f"this build would remove {len(excess)} documents, more than --max-removed "
                f"{self.max_removed:.0%} of a source allows; nothing was changed. "
                f"Run it with --yes to remove:\n{listed}{more}"
            )


def _build(
    path: Path, roots: Sequence[Root], config: Config, models: Models, limits: Limits,
    index_id: str | None, listen: Listener, cancel: threading.Event,
) -> BuildReport:  # fmt: skip
    listen(Event("survey", 0, None, "files"))
    found = walk(roots, config.ignore)
    if limits.dry_run and not exists(path):
        return _dry_report(_survey_new(config, roots, found, listen, cancel), found)
    _make_folder(path)
    with writer_lock(path):
        folder = open_or_create(path, config, index_id)
        try:
            build = Build(folder, roots, config, models, listen, cancel)
            _check_roots(folder, roots, found, build.published)
            survey = _survey(build, config, roots, found, listen, cancel)
            limits.check(plan_removal(folder.ledger, survey, roots, build.state))
            if limits.dry_run:
                return _dry_report(survey, found)
            report = build.run(survey, found)
            if report.generation is not None:
                collect_garbage(folder)
            return report
        finally:
            folder.close()


def _survey(
    build: Build,
    config: Config,
    roots: Sequence[Root],
    found: Walk,
    listen: Listener,
    cancel: threading.Event,
) -> Survey:
    known = build.folder.ledger.files(build.state)
    surveyor = Surveyor(known, build.log.failures(), _recipes(config), listen, cancel)
    return surveyor.survey(roots, found)


def _survey_new(
    config: Config, roots: Sequence[Root], found: Walk, listen: Listener, cancel: threading.Event
) -> Survey:
    return Surveyor({}, {}, _recipes(config), listen, cancel).survey(roots, found)


def _recipes(config: Config) -> Callable[[SourceFile], str]:
    shared = shared_recipe(config)
    rules = [asdict(rule) for rule in config.documents]

    def recipe(file: SourceFile) -> str:
        applying = [rule for rule in rules if _may_apply(rule, file.source)]
        return file_recipe(shared, [_plain(applying), sidecar_text(file.sidecar)])

    return recipe


def _may_apply(rule: Mapping[str, object], source: str) -> bool:
    """Whether a rule concerns a file; a file of records is concerned by rules about its records too."""
    from ..indexer.metadata import source_matches

    glob = str(rule["glob"])
    return source.endswith(".jsonl") or source_matches([glob], source)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def _check_structures(without: Sequence[str]) -> None:
    unknown = sorted(set(without) - set(STRUCTURES))
    if unknown:
        raise ConfigurationError(f"--without knows {', '.join(STRUCTURES)}; not {', '.join(unknown)}")


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkError(f"cannot make {path}: {error.strerror}; name another folder with --index") from error


def _check_roots(folder: IndexFolder, roots: Sequence[Root], found: Walk, published: int | None) -> None:
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


def _dry_report(survey: Survey, found: Walk) -> BuildReport:
    report = BuildReport(dry_run=True, ignored=dict(found.ignored))
    for change in survey.changes:
        (report.changed if change.previous else report.added).append(change.file.source)
    report.renamed = [change.file.source for change in survey.renamed]
    report.unchanged = [row.source for row in survey.unchanged] + [c.file.source for c in survey.touched]
    report.removed = [row.source for row in survey.removed]
    return report
