"""Merging and splitting entities by hand: remembered by the index, so that every later build keeps to it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from ..indexer.digests import digest
from ..indexer.errors import RouteUnavailable
from ..indexer.graph.edits import Edits
from ..indexer.stores.folder import collect_garbage
from .building import Build
from .config import Config
from .events import Listener, ignore_events
from .graph_stage import EDITS, GRAPH, edits_of
from .loading_models import Models
from .maintenance import IndexPath, writing
from .report import BuildReport


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
    publish it. An edit that changes nothing publishes nothing.

    Raises RouteUnavailable where the index holds no graph, and what a build raises; what was remembered then
    holds at the next build.
    """
    config = config or Config()
    with writing(index) as folder:
        began = time.monotonic()
        manifest = folder.manifest()
        entry = manifest.generations.get(manifest.published or 0)
        if entry is None or GRAPH not in entry.structures:
            raise RouteUnavailable("this index holds no graph to edit: treegraph build SOURCE... makes it")
        before = edits_of(folder)
        after = change(before)
        if after == before:
            return BuildReport()
        folder.ledger.set_note(EDITS, after.to_json())
        scope = digest(["graph edits", after.to_json()])
        models = Models(config, embedder, llm)
        listen = on_event or ignore_events
        build = Build(folder, scope, config, models, listen, cancel or threading.Event(), only_held=True)
        build.run(lambda builder: None)
        report = build.finish()
        if report.generation is not None:
            collect_garbage(folder)
        report.seconds["total"] = time.monotonic() - began
        return report


def graph_edits(index: IndexPath = None) -> Edits:
    """The merges and splits by hand that an index remembers."""
    with writing(index) as folder:
        return edits_of(folder)
