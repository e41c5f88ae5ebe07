"""Verifying an index: the published generation and the one that a rollback would publish."""

from __future__ import annotations

import os
import threading
import time
from contextlib import closing
from typing import Any

from ...indexer.stores.folder import IndexFolder
from ..config import Config
from ..events import Listener, ignore_events
from ..loading_models import Models
from ..opening import index_path
from ..spending import Caps, Spending
from .finding import Verification
from .look import Look

IndexPath = str | os.PathLike[str] | None


def verify(
    index: IndexPath = None,
    *,
    repair: bool = False,
    deep: bool = False,
    config: Config | None = None,
    embedder: Any = None,
    llm: Any = None,
    max_cost: float | None = None,
    max_calls: int | None = None,
    max_seconds: float | None = None,
    on_event: Listener | None = None,
    cancel: threading.Event | None = None,
) -> Verification:
    """Whether an index holds together: every link leads somewhere, every chunk and page is covered, stores
    and ledger agree, nothing is left that belongs to nothing. Looks at the published generation and at the
    one that a rollback would publish, beside whatever is built or read meanwhile.

    Payloads, places and links are held against the digests that they were written with, sparse vectors
    against their texts, dense ones against the copy that the index keeps of those of chunks. ``deep`` embeds
    every text again and holds the dense vectors against that, and resolves the graph again from what was
    found in the chunks. ``repair`` mends what can be derived, into a new generation where readers would see
    it, and verifies again: ``mended`` is what is gone by then. The configuration must be the one that the
    index was built with; ``embedder`` and ``llm`` take the place of those that it names. The three caps are
    those of :func:`.build.build_index`: at one ``deep`` leaves the rest of the vectors out, and ``repair``
    raises WorkError where it could not embed what is damaged; the same call goes on from there.

    Raises IndexNotFound, IndexIncompatible, StoreUnreachable, and StoreError where the ledger cannot be read;
    with ``repair`` IndexLocked and what a build raises.
    """
    began = time.monotonic()
    settings = config or Config()
    models = Models(settings, embedder, llm, spending=Spending(Caps(max_cost, max_calls, max_seconds)))
    models.check_paid()
    listen, stop = on_event or ignore_events, cancel or threading.Event()
    path = index_path(index)
    if repair:
        from .mending import repair as mended

        result = mended(path, settings, models, deep, listen, stop)
    else:
        with closing(IndexFolder.open(path)) as folder:
            look = Look(folder, models, deep, listen, stop)
            result = look.result(look.run())
    result.seconds = time.monotonic() - began
    return result
