"""How the costs of an index grow: fresh builds of made corpora, small to large."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from ...indexer.digests import digest
from ...indexer.errors import ConfigurationError
from ..code_version import code_digest
from ..config import Config
from ..events import Listener, ignore_events
from ..loading_models import Models
from ..recipe import shared_recipe
from .approximate import Approximation
from .corpus import Corpora
from .documents import found
from .journal import Journal
from .recipe import VERSION
from .resources import own_folder
from .scale_measuring import SizeMeasuring
from .scale_report import STAND_IN, ScaleBench, SizeResult, exponents
from .stand_in import Likeness

SIZES = (1_000, 5_000, 20_000, 50_000, 100_000, 200_000)
EMBED_AT_MOST = 5_000
"""The largest size that the model itself embeds, by default."""
BUILDS = 50
_FOLDER = "bench-scale"
_GROWTH = 1.3
"""How many times as long, for its size, a size may take as the one before it did."""
_COPIES = 4
"""Rooms of an index that measuring it may take: itself, a generation being written, the vectors apart."""


def bench_scale(
    sources: Sequence[str],
    sizes: Sequence[int] = SIZES,
    config: Config | None = None,
    *,
    work: Path,
    seed: int = 0,
    embed_at_most: int = EMBED_AT_MOST,
    builds: int = BUILDS,
    max_seconds: float | None = None,
    embedder: Any = None,
    on_event: Listener | None = None,
    cancel: threading.Event | None = None,
) -> ScaleBench:
    """Build indexes of made corpora of ``sizes`` chunks and measure each: see :mod:`.recipe`.

    Sizes above ``embed_at_most`` are embedded by a stand-in (:mod:`.stand_in`). From 10,000 chunks on,
    approximate search is compared with exact search, fresh and after ``builds`` incremental builds. What
    was measured is kept in ``work``; a later call with the same sources, configuration, seed and code of
    treegraph measures only what is missing. A size that would not be done within ``max_seconds`` of this
    call, or for which the disk has no room, is left out. Raises ConfigurationError, Cancelled, and what a
    build raises.
    """
    if not sizes or min(sizes) < 1 or embed_at_most < 0 or builds < 0:
        raise ConfigurationError("sizes are numbers from 1 on; builds and embed_at_most are not negative")
    config, cancel = config or Config(), cancel or threading.Event()
    embedding = Models(config, embedder).embedder()
    key = _key(sources, config, seed, embedding.name)
    folder = own_folder(work, _FOLDER, anew=False) / key
    folder.mkdir(exist_ok=True)
    listen = on_event or ignore_events
    code = code_digest("indexer", "query", "pipelines")[:16]  # other code has other costs
    journal = Journal(folder / f"journal-{code}.json")
    corpora = Corpora(folder / "corpora", sizes, sources, config, seed, listen, cancel)
    measuring = SizeMeasuring(
        folder, journal, corpora, config, embedding, embed_at_most, builds, seed, listen, cancel
    )
    measured, left_out = _run(measuring, journal, folder, sorted(set(sizes)), max_seconds)
    return ScaleBench(
        sources=tuple(sources),
        embedder=embedding.name,
        seed=seed,
        sizes=tuple(measured),
        exponents=exponents(measured),
        likeness=measuring.likeness(),
        left_out=left_out,
        notes=_notes(measured, embedding.name),
    )


def _run(
    measuring: SizeMeasuring, journal: Journal, folder: Path, sizes: Sequence[int], max_seconds: float | None
) -> tuple[list[SizeResult], dict[str, str]]:
    """Every size that is known or can be measured, and why the others were left out."""
    began = time.monotonic()
    measured: list[SizeResult] = []
    left_out: dict[str, str] = {}
    pace = 0.0  # seconds a chunk that the last size took, all its measuring included
    for size in sizes:
        name = measuring.name(size)
        if name not in journal:
            spent = time.monotonic() - began
            if why := _no_room(folder, size, measured) or _no_time(size, spent, pace, max_seconds):
                left_out[f"{size:,}"] = why
                continue
            journal.keep(name, asdict(measuring.measure(size)))
            pace = (time.monotonic() - began - spent) / size
        measured.append(SizeResult.from_json(journal[name]))
    return measured, left_out


def _no_room(folder: Path, size: int, measured: Sequence[SizeResult]) -> str:
    if not measured:
        return ""
    last = measured[-1]
    needed = round(_COPIES * last.disk.whole / last.size * size)
    free = shutil.disk_usage(folder).free
    return "" if needed < free else f"it needs {needed >> 20:,} MiB of disk, {free >> 20:,} MiB are free"


def _no_time(size: int, spent: float, pace: float, max_seconds: float | None) -> str:
    if max_seconds is None:
        return ""
    expected = spent + _GROWTH * pace * size
    return (
        "" if expected <= max_seconds else f"it would take until second {expected:,.0f} of {max_seconds:,.0f}"
    )


def _key(sources: Sequence[str], config: Config, seed: int, embedder: str) -> str:
    """What all sizes of one benchmark share, the shape of what is kept of them included."""
    files = [[file.source, file.size, file.mtime_ns] for file in found(sources, config).files]
    recipe: Mapping[str, Any] = shared_recipe(config)
    shape = [field.name for kept in (SizeResult, Approximation, Likeness) for field in fields(kept)]
    return digest([VERSION, shape, files, recipe, asdict(config.search), seed, embedder])[:16]


def _notes(measured: Sequence[SizeResult], embedder: str) -> tuple[str, ...]:
    notes = ["Corpora are Markdown files made of the sources' passages: loading PDFs is no part of this"]
    replaced = [f"{size.size:,}" for size in measured if size.embedding == STAND_IN]
    if replaced:
        notes.append(f"The vectors at {', '.join(replaced)} were made by a stand-in for {embedder}")
    return tuple(notes)
