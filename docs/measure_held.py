"""What the process of a build holds at once: see docs/scale.md.

::

    python docs/measure_held.py timed|traced SHARE INDEX
    python docs/measure_held.py reader 1 INDEX

Loads from a share of an index's documents, step by step, what the tree and the graph of a build are made of,
and prints the counts with, by step, processor seconds (``timed``) or bytes (``traced``). The index is only
read; what a step would write goes into copies. ``reader`` gives the bytes of objects that one who searches by
the tree holds for each chunk.
"""

from __future__ import annotations

import gc
import json
import random
import resource
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import treegraph
from treegraph.indexer.graph.assembly import assemble
from treegraph.indexer.graph.communities import CommunitySettings, detect
from treegraph.indexer.graph.extraction import Extraction, Extractor, Passage
from treegraph.indexer.graph.patterns import PatternExtractor
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.stores.graph_sqlite import SqliteGraphStore
from treegraph.indexer.stores.ledger import Ledger
from treegraph.indexer.stores.ledger_extractions import ExtractionLedger
from treegraph.indexer.stores.ports import Filter, Row
from treegraph.indexer.tree.shapes import load_shape
from treegraph.pipelines.config import Config
from treegraph.pipelines.events import ignore_events
from treegraph.pipelines.extracting import ChunkReader
from treegraph.pipelines.leaves import load_leaves
from treegraph.pipelines.model_counts import ModelCounts
from treegraph.pipelines.stage_clock import process_time

_ROWS = 5000
_SAMPLE = 1000
T = TypeVar("T")


def held(index: Path, shares: Sequence[float]) -> list[dict[str, Any]]:
    """What a process takes for each share of an index's documents, and holds of them: times and objects in
    processes of their own, since to count objects takes time."""
    found = []
    for share in shares:
        timed, traced = (_in_a_child(index, share, way) for way in ("timed", "traced"))
        for name, step in timed["steps"].items():
            step.update(traced["steps"].get(name, {}))
        found.append(timed)
    return found


def _in_a_child(index: Path, share: float, way: str) -> dict[str, Any]:
    command = [sys.executable, __file__, way, str(share), str(index)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


class _Steps:
    """Runs steps one after the other, whose results all stay: the processor seconds of each or, ``traced``,
    the bytes of Python's and NumPy's objects that it leaves, and those that it needed at most besides."""

    def __init__(self, traced: bool) -> None:
        self.taken: dict[str, dict[str, float]] = {}
        self._traced = traced
        if traced:
            tracemalloc.start()

    def run(self, name: str, step: Callable[[], T]) -> T:
        gc.collect()
        before, began = tracemalloc.get_traced_memory()[0], process_time()
        tracemalloc.reset_peak()
        result = step()
        cpu = process_time() - began
        peak = tracemalloc.get_traced_memory()[1]
        gc.collect()
        now = tracemalloc.get_traced_memory()[0]
        memory = {"kept": now - before, "peak": peak - now}
        self.taken[name] = dict(memory) if self._traced else {"cpu": round(cpu, 3)}
        return result


def shared(index: Path, share: float, traced: bool) -> dict[str, Any]:
    """The steps of a build's tree and graph over that share of an index's documents. Writes to copies."""
    steps, config, began = _Steps(traced), Config(), _resident()
    with closing(IndexFolder.open(index)) as folder, tempfile.TemporaryDirectory() as scratch:
        folder.ledger.copy(Path(scratch) / "ledger.db")
        manifest, copied = folder.manifest(), Ledger(Path(scratch))
        generation = manifest.published or 1
        ids = sorted(row.document.id for row in folder.ledger.documents(generation))
        random.Random(1).shuffle(ids)
        sizes = folder.ledger.chunk_counts(generation)
        chosen = _prefix(ids, sizes, share)
        documents = steps.run(
            "documents", lambda: {i: row.document for i in chosen if (row := copied.document(i, generation))}
        )
        pages = steps.run("pages", lambda: [copied.pages(i, generation) for i in chosen])
        keys = steps.run("keys", lambda: {row.key for i in chosen for row in copied.chunks(i, generation)})
        with closing(folder.vectors()) as store, closing(store.read(generation)) as snapshot:

            def fetch(wanted: Sequence[str]) -> Mapping[str, Row]:
                return {row.key: row for row in snapshot.fetch(Filter(keys=wanted), vectors=True)}

            rows = steps.run("leaves", lambda: load_leaves(Path(scratch), sorted(keys), fetch))
            shape = load_shape(config.tree.shape)
            skeleton = steps.run("shape", lambda: shape.grow(rows.leaves, config.tree.limits))
            extractor = PatternExtractor()
            known = ExtractionLedger(copied)
            reader = ChunkReader(rows, documents, known, fetch, ignore_events, _extract)
            step = max(1, len(keys) // _SAMPLE)
            passages = [] if traced else list(reader._passages(range(0, len(keys), step)))
            if passages:
                steps.run("extract a sample", lambda: [extractor.extract(each) for each in passages])
            chunks = steps.run("extractions", lambda: reader.known_by(extractor.name))
        graph = steps.run("assembly", lambda: assemble(chunks, manifest.index_id))
        places = [chunk.place for chunk in chunks]
        limits = CommunitySettings(members=config.graph.community)
        groups = steps.run("communities", lambda: detect(graph, places, manifest.index_id, limits)).groups
        with closing(SqliteGraphStore(Path(scratch) / "graph.db").write(1, None)) as writer:
            kinds: dict[Any, Sequence[Any]] = {
                "chunk": places,
                "entity": graph.entities,
                "mention": graph.mentions,
            }

            def put() -> None:
                for kind, given in (*kinds.items(), ("relation", graph.relations)):
                    for at in range(0, len(given), _ROWS):
                        writer.put(kind, given[at : at + _ROWS])

            steps.run("graph rows", put)
            live = steps.run("graph keys", lambda: dict(writer.live("mention")))
        copied.close()
    return {
        "documents": len(documents),
        "pages": sum(map(len, pages)),
        "chunks": len(keys),
        "tokens": sum(leaf.tokens for leaf in rows.leaves.items),
        "nodes": len(skeleton.branches),
        "entities": len(graph.entities),
        "mentions": len(live),
        "communities": len(groups),
        "sampled": len(passages),
        "resident": _resident() - began,
        "steps": steps.taken,
    }


def _extract(extractor: Extractor, passages: Iterable[Passage], _: ModelCounts) -> Iterator[Extraction]:
    return map(extractor.extract, passages)


def _resident() -> int:
    """The most memory that this process ever had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _prefix(ids: Sequence[str], sizes: Mapping[str, int], share: float) -> list[str]:
    """The first documents that hold about ``share`` of all chunks."""
    chosen: list[str] = []
    wanted = share * sum(sizes.values())
    for each in ids:
        if chosen and sum(sizes[i] for i in chosen) + sizes[each] / 2 > wanted:
            break
        chosen.append(each)
    return chosen


def reader(index: Path) -> float:
    """Bytes of objects a chunk that searching by the tree leaves, the models loaded before."""
    with treegraph.open_index(index) as opened:
        opened.search("loads the models", k=1, route="hybrid")
        tracemalloc.start()
        opened.search("loads the tree", k=1, route="tree")
        gc.collect()
        left = tracemalloc.get_traced_memory()[0]
    with closing(IndexFolder.open(index)) as folder:
        return left / folder.ledger.count("chunks", folder.manifest().published or 1)


if __name__ == "__main__":
    way, share, place = sys.argv[1], float(sys.argv[2]), Path(sys.argv[3])
    print(round(reader(place)) if way == "reader" else json.dumps(shared(place, share, way == "traced")))
