"""Merging and splitting entities by hand: remembered by the index, so that every later build keeps to it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

from ..indexer.digests import digest
from ..indexer.errors import ConfigurationError, RouteUnavailable, StoreError
from ..indexer.graph.edits import Edits
from ..indexer.stores.folder import IndexFolder, collect_garbage
from .building import Build
from .config import Config
from .events import Listener, ignore_events
from .graph_published import EDITS, edits_of
from .graph_stage import asked
from .loading_models import Models
from .maintenance import IndexPath, writing
from .opening import index_path
from .owed import GRAPH
from .report import BuildReport
from .spending import Spending


def edit_graph(
    index: IndexPath,
    change: Callable[[Edits], Edits],
    *,
    config: Config | None = None,
    embedder: Any = None,
    llm: Any = None,
    on_event: Listener | None = None,
    cancel: threading.Event | None = None,
) -> BuildReport:
    """Remember what ``change`` makes of the merges and splits by hand, make the graph accordingly, and
    publish it. An edit that the published graph was made with publishes nothing; one that is remembered, but
    was stopped before it was published, is made now.

    Raises RouteUnavailable where the index holds no graph, ConfigurationError where ``config`` would have it
    made otherwise than it was, and what a build raises, StoreError where the graph's store fails; what was
    remembered then holds at the next build.
    """
    config = config or Config()
    with writing(index, "graph") as folder:
        began = time.monotonic()
        manifest = folder.manifest()
        entry = manifest.generations.get(manifest.published or 0)
        if entry is None or GRAPH not in entry.structures:
            raise RouteUnavailable("this index holds no graph to edit: treegraph build SOURCE... makes it")
        before = edits_of(folder)
        after = change(before)
        if entry.models.get(EDITS, Edits().to_json()) == after.to_json():
            if after != before:  # an edit that was never made is taken back
                folder.ledger.set_note(EDITS, after.to_json())
            return BuildReport()
        models = Models(config, embedder, llm, spending=Spending())
        if entry.models.get(GRAPH) != asked(config, models):
            raise ConfigurationError(
                "this graph was made with other settings of [graph]: name its configuration with --config, "
                "or make it anew first with: treegraph build SOURCE..."
            )
        folder.ledger.set_note(EDITS, after.to_json())
        scope = digest(["graph edits", after.to_json()])
        listen = on_event or ignore_events
        build = Build(folder, scope, config, models, listen, cancel or threading.Event(), only_held=True)
        report = _published(build)
        report.seconds["total"] = time.monotonic() - began
        return report


def _published(build: Build) -> BuildReport:
    """Publish the index as it is, with its graph made anew. Raises StoreError where nothing came of that."""
    build.run(lambda builder: None)
    report = build.finish()
    if report.generation is None:
        reasons = "; ".join(report.degraded) or "nothing was published"
        raise StoreError(f"the edit is remembered, and the next build makes it: {reasons}")
    collect_garbage(build.folder)
    return report


def graph_edits(index: IndexPath = None) -> Edits:
    """The merges and splits by hand that an index remembers."""
    with closing(IndexFolder.open(index_path(index))) as folder:
        return edits_of(folder)
