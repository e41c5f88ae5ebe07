"""A build rehearsed: the pipeline itself, on a copy, with models that count what they are asked.

What is planned cannot drift from what is done, since it is done: files are read and cut, contexts, summaries,
extractions and reports asked for, with the prompts and the cache of the real index. What a model would have
answered is stood in for by the way without a model, whose texts are about as long.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ...indexer.errors import WorkError
from ...indexer.models.ports import Embedder, SparseEncoder
from ...indexer.pages import Page
from ...indexer.stores.folder import GRAPH_FILE, IndexFolder
from ...indexer.stores.ledger_readings import ReadingLedger
from ...indexer.stores.locks import writer, writer_lock
from ..building import Build
from ..events import Event, Listener
from ..leaves import FILE as LEAVES
from ..memory import PeakMemory
from ..page_reading import PagePictures
from ..report import BuildReport
from .planned_models import PlannedModels
from .planned_pages import SketchedPictures
from .scratch import ScratchFolder

Mirror = Callable[[Build], BuildReport]
"""Has a build mirror its sources."""
MakeBuild = Callable[[IndexFolder, PlannedModels, Listener], "RehearsedBuild"]
_PREFIX = "treegraph-plan-"
_BEGINNING = 600.0
"""Seconds in which a copy may be made before it is locked."""


class RehearsedBuild(Build):
    """A build whose pages are read by stand-ins."""

    sketches: SketchedPictures | None = None

    def encoders(self) -> tuple[Embedder, SparseEncoder]:
        """Both encoders, or what stands in for them; those of the index where there is one."""
        return self.models.embedder(), self.models.sparse()

    def pictures(self) -> PagePictures:
        """See :meth:`Build.pictures`."""
        known = ReadingLedger(self.folder.ledger)
        self.sketches = SketchedPictures(self.readers, known, self.clock, self.listen, self.cancel)
        return self.sketches


@dataclass(slots=True)
class Rehearsed:
    """What a rehearsal came to. ``pages`` are those of the documents that were read, by way; ``sizes`` the
    bytes that the ledger, the graph and the leaves grew by, and the vectors' rows have (``vectors``);
    ``first`` and ``last`` are the first and last count of each (stage, unit) that was told; ``peaks`` the
    most memory until a structure was done; ``anew`` says that all was embedded by other models."""

    report: BuildReport
    pages: Mapping[str, int]
    wanted: Mapping[str, int]
    sketched: int
    new_nodes: int
    sizes: Mapping[str, int]
    told: Mapping[tuple[str, str], tuple[int, int]]
    peaks: Mapping[str, int]
    anew: bool


@dataclass(slots=True)
class _Told:
    """Passes events on, and remembers the first and last of each kind, and when each stage was first told."""

    listen: Listener
    counts: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    began: dict[str, float] = field(default_factory=dict)
    start: float = field(default_factory=time.monotonic)

    def __call__(self, event: Event) -> None:
        first, _ = self.counts.get((event.stage, event.unit), (event.done, 0))
        self.counts[event.stage, event.unit] = (first, event.done)
        self.began.setdefault(event.stage, time.monotonic() - self.start)
        self.listen(event)


@contextmanager
def scratch_of(origin: IndexFolder | None, index_id: str | None = None) -> Iterator[ScratchFolder]:
    """A copy of ``origin`` to rehearse on, or an empty index with the id ``index_id``; removed after."""
    drop_killed_rehearsals()
    path = Path(tempfile.mkdtemp(prefix=_PREFIX))
    try:
        made = ScratchFolder.create(path, index_id) if origin is None else ScratchFolder.of(origin, path)
        with closing(made) as scratch, writer_lock(path):
            yield scratch
    finally:
        shutil.rmtree(path, ignore_errors=True)


def drop_killed_rehearsals() -> None:
    """Remove the copies of rehearsals that were killed: nobody holds their locks any more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError, WorkError):
            ours = folder.stat().st_uid == os.getuid()
            if ours and time.time() - folder.stat().st_mtime > _BEGINNING and writer(folder) is None:
                shutil.rmtree(folder, ignore_errors=True)


def rehearse(
    scratch: ScratchFolder, models: PlannedModels, listen: Listener, make: MakeBuild, mirror: Mirror
) -> Rehearsed:
    """Do on ``scratch`` what ``mirror`` does with the build that ``make`` makes. Raises as a build does."""
    told = _Told(listen)
    before = _sizes(scratch)
    with PeakMemory() as memory:
        build = make(scratch, models, told)
        report = mirror(build)
    after = _sizes(scratch)
    sketches = build.sketches
    return Rehearsed(
        report,
        _pages_read(build, report),
        Counter() if sketches is None else Counter(sketches.wanted),
        0 if sketches is None else sketches.sketched,
        int(scratch.ledger.rows("SELECT count(*) FROM nodes WHERE since = ?", build.h)[0][0]),
        {**{name: max(0, after[name] - before[name]) for name in after}, "vectors": scratch.written},
        told.counts,
        _peaks(memory.samples, told.began),
        build.reembeds,
    )


def _pages_read(build: Build, report: BuildReport) -> dict[str, int]:
    """The pages of the documents that were read, by way."""
    ledger = build.folder.ledger
    rows = ledger.rows("SELECT id FROM documents WHERE since = ?", build.h)
    new = {row["id"] for row in rows}
    held = ledger.all_pages(build.h) if new else {}
    counts: Counter[str] = Counter()
    for document in new & held.keys():
        counts.update(_way(page) for page in held[document])
    return dict(counts)


def _way(page: Page) -> str:
    return page.origin if page.end > page.start else "empty"


def _sizes(scratch: ScratchFolder) -> dict[str, int]:
    """Bytes of what an index keeps beside its vectors, by what it is."""
    pages = scratch.ledger.rows("SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size")
    files = {"graph": scratch.path / GRAPH_FILE, "leaves": scratch.path / LEAVES}
    return {"ledger": int(pages[0]["n"])} | {
        what: path.stat().st_size if path.exists() else 0 for what, path in files.items()
    }


def _peaks(samples: Sequence[tuple[float, int]], began: Mapping[str, float]) -> dict[str, int]:
    """The most memory while each structure was made."""
    never = float("inf")
    tree, graph = began.get("tree", never), began.get("graph", never)
    spans = {"hybrid": (0.0, min(tree, graph)), "tree": (tree, graph), "graph": (graph, never)}
    return {name: _most(samples, start, end) for name, (start, end) in spans.items()}


def _most(samples: Sequence[tuple[float, int]], start: float, end: float) -> int:
    """The most in a stretch of time; in one too short for a sample what was last seen before it. 0 for one
    that never began."""
    inside = [size for at, size in samples if start <= at < end]
    before = [size for at, size in samples if at < start][-1:] if start < float("inf") else []
    return max(inside or before, default=0)
