"""What computing on a local Ray cluster takes beside this process alone: measure_ray.py [WORKERS] SOURCE...

Builds the same index by both engines, once each in turn, and says whether they are the same; times are of one
run, so take their ratios.
"""

from __future__ import annotations

import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from treegraph import Config, build_index
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.stores.ports import Filter
from treegraph.pipelines.engines.settings import RunSettings
from treegraph.pipelines.report import BuildReport

INDEX_ID = "7b0f6f3e-8f0e-4f0b-9a52-1f3c3d1c0001"
STAGES = ("load", "chunk", "sparse", "embed", "tree embed", "graph", "store", "publish")
Content = dict[str, tuple[object, bytes, object]]


def content(index: Path) -> Content:
    """Every row of the vectors: payload, dense and sparse vector."""
    folder = IndexFolder.open(index)
    generation = folder.manifest().published
    assert generation is not None
    with closing(folder), closing(folder.vectors()) as store, closing(store.read(generation)) as snapshot:
        return {
            row.key: (row.payload, b"" if row.dense is None else row.dense.tobytes(), row.sparse)
            for row in snapshot.fetch(Filter(), vectors=True)
        }


def built(engine: str, workers: int, sources: list[str], index: Path) -> tuple[BuildReport, float]:
    """A build by an engine, and the seconds that it took."""
    began = time.monotonic()
    run = RunSettings(engine, workers=workers)  # type: ignore[arg-type]
    report = build_index(sources, index, config=Config(run=run), index_id=INDEX_ID)
    return report, time.monotonic() - began


def main(arguments: list[str]) -> None:
    workers = int(arguments.pop(0)) if arguments[0].isdecimal() else 2
    with tempfile.TemporaryDirectory() as folder:
        local, local_seconds = built("local", workers, arguments, Path(folder) / "local")
        ray, ray_seconds = built("ray", workers, arguments, Path(folder) / "ray")
        same = content(Path(folder) / "local") == content(Path(folder) / "ray")
    print(f"pages {local.pages:,}, chunks {local.chunks:,}, nodes {local.nodes:,}; workers {workers}")
    print(f"same rows: {same}; entities {local.entities:,} and {ray.entities:,}")
    print(
        f"seconds: local {local_seconds:.0f}, ray {ray_seconds:.0f}, ratio {ray_seconds / local_seconds:.2f}"
    )
    print("processor seconds     local      ray")
    for stage in STAGES:
        print(f"  {stage:14} {local.cpu_seconds.get(stage, 0):10.1f} {ray.cpu_seconds.get(stage, 0):8.1f}")


if __name__ == "__main__":
    main(sys.argv[1:])
