"""Measure what docs/scale.md rests on, and keep it in docs/scale.json.

::

    python docs/measure_scale.py build NAME SOURCE... --work FOLDER [--stand-in]
    python docs/measure_scale.py again NAME PDF --work FOLDER [--stand-in]
    python docs/measure_scale.py held NAME --work FOLDER [--shares SHARE...]
    python docs/measure_scale.py plan NAME SOURCE... --work FOLDER
    python docs/measure_scale.py ocr NAME SOURCE... --work FOLDER

``build`` makes a new index of PDFs and keeps what each stage took; ``again`` changes a page of one of them
and builds once more. With ``--stand-in`` vectors are made by a stand-in for the model (see
pipelines/benchmark/stand_in.py): all but embedding is measured then. ``held`` loads what a build's own
process holds at once from shares of that index (docs/measure_held.py). ``plan`` counts the tokens of a build
in which a language model writes all that it can, ``ocr`` what it takes to read pages from their pictures.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import treegraph
from measure_held import held
from treegraph.indexer.context import indexed_text
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.stores.ports import Filter
from treegraph.pipelines.benchmark import one_page
from treegraph.pipelines.benchmark.documents import prepared
from treegraph.pipelines.benchmark.ocr import bench_ocr
from treegraph.pipelines.benchmark.stand_in import StandIn, fit_stand_in
from treegraph.pipelines.config import Config
from treegraph.pipelines.events import ignore_events
from treegraph.pipelines.loading_models import Models
from treegraph.pipelines.stage_clock import process_time

KEPT = Path(__file__).with_name("scale.json")
_SAMPLE = 1000
_BY_MODEL = """
version = 1
[llm]
model = "any"
base_url = "http://127.0.0.1:9/v1"
[context]
by = "model"
[tree]
summary = "model"
[graph]
extract = "model"
report = "model"
"""


def build(name: str, sources: Sequence[Path], work: Path, stand_in: bool) -> dict[str, Any]:
    """A fresh build of copies of ``sources``: what it holds, took, and left on disk, in seconds and bytes."""
    folder = work / f"{name}-manuals"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for source in sources:
        shutil.copy(source, folder)
    shutil.rmtree(work / f"{name}.index", ignore_errors=True)
    return {
        "manuals": sorted(each.stem for each in sources),
        **_built(folder, work / f"{name}.index", stand_in),
    }


def again(name: str, manual: str, work: Path, stand_in: bool) -> dict[str, Any]:
    """The same sources once more, after a page of one of them was changed."""
    folder = work / f"{name}-manuals"
    changed = one_page.change(folder / manual)
    return {"changed": f"{changed} of {manual}", **_built(folder, work / f"{name}.index", stand_in)}


def _built(folder: Path, index: Path, stand_in: bool) -> dict[str, Any]:
    embedder = _standing_in(folder) if stand_in else None
    began = process_time()
    report = treegraph.build_index([folder], index, embedder=embedder)
    total = process_time() - began
    counts = ("pages", "chunks", "nodes", "entities", "relations", "communities", "embedded")
    opened = IndexFolder.open(index)
    generation = opened.manifest().published or 1
    with (
        closing(opened),
        closing(opened.graph()) as graph,
        closing(graph.read(generation)) as snapshot,
    ):
        mentions = snapshot.counts(Filter())["mention"]
    return {
        **{count: getattr(report, count) for count in counts},
        "mentions": mentions,
        "stand_in": stand_in,
        "cpu": {stage: round(cpu, 2) for stage, cpu in report.cpu_seconds.items()},
        "total": round(total, 2),
        "wall": round(report.seconds["total"], 1),
        "peak": report.peak_memory,
        "disk": {part: _bytes(index, part) for part in ("vectors", "ledger.db*", "graph.db*", "leaves.npz")},
        "sources": sum(file.stat().st_size for file in folder.iterdir()),
    }


def _standing_in(folder: Path) -> StandIn:
    """A stand-in fitted to the beginning of the smallest manual, which no test of it changes."""
    config = Config()
    models = Models(config)
    smallest = min(folder.iterdir(), key=lambda file: (file.stat().st_size, file.name))
    found = prepared([str(smallest)], config, models, threading.Event())
    texts = [indexed_text(chunk) for document in found for chunk in document.chunks][:_SAMPLE]
    return fit_stand_in(texts, models.embedder())[0]


def _bytes(index: Path, part: str) -> int:
    files = [each for path in index.glob(part) for each in (path, *path.rglob("*"))]
    return sum(file.lstat().st_blocks * 512 for file in files)


def plan(sources: Sequence[Path], work: Path) -> dict[str, Any]:
    """The calls and tokens of a build that has a model write contexts, summaries, extractions and reports,
    as ``treegraph plan`` counts them: no model is asked."""
    settings = work / "model.toml"
    settings.write_text(_BY_MODEL, "utf-8")
    command = [sys.executable, "-m", "treegraph.pipelines.cli", "plan", "--json", "-q"]
    command += ["--config", str(settings), "-i", str(work / "planned.index"), *map(str, sources)]
    done = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    stages = {name: each for held in done["structures"].values() for name, each in held["stages"].items()}
    counts = ("calls", "tokens_in", "tokens_out")
    return {
        "pages": sum(done["pages"].values()),
        "chunks": done["chunks"],
        "stages": {name: {count: each[count] for count in counts} for name, each in stages.items()},
    }


def ocr(sources: Sequence[Path]) -> dict[str, Any]:
    """CPU seconds for each of a dozen pages of ``sources`` that are read from their pictures."""
    report = bench_ocr(sources, 12, Config(), seed=0, on_event=ignore_events, cancel=threading.Event())
    return {"pages": len(report.pages), "cpu": round(report.cpu / len(report.pages), 3)}


def main() -> None:
    """Measure, keep and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["build", "again", "held", "plan", "ocr"])
    parser.add_argument("name")
    parser.add_argument("sources", nargs="*", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--stand-in", action="store_true")
    parser.add_argument("--shares", nargs="+", type=float, default=[1.0], help="of documents, for held")
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    ways: dict[str, Callable[[], Any]] = {
        "build": lambda: build(given.name, given.sources, given.work, given.stand_in),
        "again": lambda: again(given.name, given.sources[0].name, given.work, given.stand_in),
        "held": lambda: held(given.work / f"{given.name}.index", given.shares),
        "plan": lambda: plan(given.sources, given.work),
        "ocr": lambda: ocr(given.sources),
    }
    found = ways[given.what]()
    kept = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    kept.setdefault(given.what, {})[given.name] = found
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
