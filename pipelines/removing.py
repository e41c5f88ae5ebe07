"""Taking documents out of an index, with everything that came from them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..indexer.digests import digest
from ..indexer.errors import ConfigurationError
from ..indexer.metadata import source_matches
from ..indexer.stores.folder import IndexFolder, collect_garbage
from ..indexer.stores.ledger_rows import EDITED, DocumentRow
from .building import Build
from .config import Config
from .defaults import MAX_REMOVED
from .events import Listener, ignore_events
from .generation import GenerationBuilder
from .loading_models import Models
from .maintenance import IndexPath, writing
from .removal import RemovalLimit, removal_of
from .report import BuildReport
from .spending import Spending


def remove(
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
    """Take documents out, with everything that came from them, and publish what is left.

    ``patterns`` are sources (``manuals/sdm.pdf``), names of roots (``manuals``: all that came from it)
    or globs. A later build that names their root brings back what is still there. ``embedder`` and
    ``llm`` take the place of those that the configuration names: the tree above what is taken out is made
    anew with them. Without a model that can do it, the nodes that rest on what is gone go too, and the tree
    stays behind until the next build. Raises ConfigurationError where a pattern fits nothing,
    RemovalRefused above ``max_removed``.
    """

    limit = RemovalLimit(max_removed, yes)

    def chosen(rows: Sequence[DocumentRow]) -> list[DocumentRow]:
        picked: dict[str, DocumentRow] = {}
        for pattern in patterns:
            found = [row for row in rows if fits(pattern, row)]
            if not found:
                raise ConfigurationError(f"no document of this index fits {pattern!r}; see: treegraph status")
            picked.update((row.document.id, row) for row in found)
        gone = list(picked.values())
        if len(gone) > len(patterns):  # documents named one by one were meant
            limit.check(removal_of(rows, gone))
        return gone

    config = config or Config()
    models = Models(config, embedder, llm, spending=Spending())
    return remove_documents(index, chosen, config, models, on_event=on_event, cancel=cancel)


def remove_documents(
    index: IndexPath,
    choose: Callable[[Sequence[DocumentRow]], Sequence[DocumentRow]],
    config: Config,
    models: Models,
    *,
    command: str = "remove",
    on_event: Listener | None = None,
    cancel: threading.Event | None = None,
) -> BuildReport:
    """Remove the documents that ``choose`` picks from those of the index, and publish. The history of runs
    has it as ``command``."""
    with writing(index, command) as folder:
        gone = choose(folder.ledger.documents(folder.manifest().published or 0))
        listen = on_event or ignore_events
        return remove_from(folder, gone, config, models, listen, cancel or threading.Event())


def remove_from(
    folder: IndexFolder,
    gone: Sequence[DocumentRow],
    config: Config,
    models: Models,
    listen: Listener,
    cancel: threading.Event,
) -> BuildReport:
    """Remove these documents from an index whose writer's lock is held, and publish."""
    if not gone:
        return BuildReport()
    began = time.monotonic()
    scope = digest(["remove", sorted(row.document.id for row in gone)])
    build = Build(folder, scope, config, models, listen, cancel, only_held=True)
    build.run(lambda builder: _take_out(build, builder, gone))
    report = build.finish()
    if report.generation is not None:
        collect_garbage(folder)
    report.seconds["total"] = time.monotonic() - began
    return report


def _take_out(build: Build, builder: GenerationBuilder, gone: Sequence[DocumentRow]) -> None:
    """Remove documents. Of a file that keeps some the recipe is forgotten, so that a build reads it again."""
    ledger = build.folder.ledger
    builder.remove([row.document.id for row in gone])
    known = ledger.files(build.h)
    for file, root in sorted({(row.file, row.root) for row in gone if row.root}):
        if ledger.documents_of(file, root, build.h):
            ledger.put_file(replace(known[file], recipe=EDITED if known[file].edited else ""), build.h)
        else:
            ledger.end_files([file], build.h)
            build.log.replace_failures([file], [])


def fits(pattern: str, row: DocumentRow) -> bool:
    """Whether a document is meant by a pattern: its source, file, root or id, or a glob over sources."""
    source = row.document.source
    return pattern in (row.root, source, row.file, row.document.id) or source_matches([pattern], source)
