"""The index's folder: whether it is one, who holds it, whether it can be written, room for the next build."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from ...indexer.errors import IndexNotFound, TreegraphError
from ...indexer.stores.edge_folders import allocated
from ...indexer.stores.folder import IndexFolder
from ...indexer.stores.ledger_runs import RunLog
from ...indexer.stores.locks import claims, writer
from ...indexer.stores.manifest import Manifest, read_manifest
from ...indexer.stores.ports import Filter
from .finding import Finding, absent, doubtful, failing, fine
from .looking import Look

MIB = 2**20
_LEAST = 512 * MIB
"""What the first build of a small index may take while it writes."""


def index_folder(path: Path) -> Iterator[Look]:
    """Looks at the index in ``path``."""
    yield Look("index", partial(_index, path))
    yield Look("index lock", partial(_lock, path))
    yield Look("index writable", partial(_writable, path))
    yield Look("disk", partial(_disk, path))
    yield Look("readers", partial(_readers, path))
    yield Look("embedded stores", partial(_stores, path))


def manifest_of(path: Path) -> Manifest | None:
    """The index's manifest, None where none can be read: the look at the index tells of that."""
    try:
        return read_manifest(path)
    except TreegraphError:
        return None


def _index(path: Path) -> Finding:
    try:
        manifest = read_manifest(path)
    except IndexNotFound:
        if path.is_dir() and any(path.iterdir()):
            return failing(f"{path} is not empty, and no index", "name another folder with --index")
        return absent(f"there is none in {path}", f"treegraph build SOURCE -i {path}")
    with closing(IndexFolder.open(path)) as folder:
        running = RunLog(folder.ledger).running()
    found = f"{path}, format {manifest.format}, generation {manifest.published or 'none'}"
    if running is not None and running.generation not in manifest.generations:
        if writer(path) is not None:
            return fine(f"{found}; generation {running.generation} is being built")
        return doubtful(
            f"{found}; generation {running.generation} was begun and not finished",
            "run the same build again: it goes on from there",
        )
    if manifest.published is None:
        return doubtful(f"{found}: nothing is published yet", f"treegraph build SOURCE -i {path}")
    return fine(f"{found}, built {manifest.generations[manifest.published].built}")


def _lock(path: Path) -> Finding:
    if not path.is_dir():
        return absent("no index")
    holder = writer(path)
    if holder is None:
        return fine("nobody writes to the index")
    return doubtful(f"{holder} is writing to the index", "a build waits for nobody: run it when that is over")


def _writable(path: Path) -> Finding:
    folder = _existing(path)
    try:
        with tempfile.TemporaryFile(dir=folder, prefix=".index.toml.doctor"):
            pass
    except OSError as error:
        do = "a reader needs no more; to build, change its permissions, or run as its owner"
        return doubtful(f"{folder} cannot be written: {error.strerror}", do)
    return fine(f"{folder} can be written")


def _disk(path: Path) -> Finding:
    """Free room against what a build writes beside the index before it drops anything."""
    size = allocated(path)
    free = shutil.disk_usage(_existing(path)).free
    found = f"{free / MIB:,.0f} MiB free, the index takes {size / MIB:,.0f} MiB"
    if free < max(size, _LEAST):
        return failing(found, f"free at least {2 * max(size, _LEAST) / MIB:,.0f} MiB, or move the index")
    if free < 2 * size:
        return doubtful(found, "a build that changes all of it needs twice its size: free some")
    return fine(found)


def _existing(path: Path) -> Path:
    """The folder, or the nearest above it that is there."""
    path = path.absolute()
    return next(folder for folder in (path, *path.parents) if folder.is_dir())


def _readers(path: Path) -> Finding:
    if not path.is_dir():
        return absent("no index")
    held, dead = claims(path)
    told = [f"generation {g} by process {', '.join(map(str, pids))}" for g, pids in sorted(held.items())]
    found = f"open: {'; '.join(told)}" if told else "no process has the index open"
    if not dead:
        return fine(found)
    return fine(f"{found}; {dead} leases of processes that died hold nothing", "the next build sweeps them")


def _stores(path: Path) -> Finding:
    """The published generation opened in the stores that are files of the index."""
    manifest = manifest_of(path)
    if manifest is None or manifest.published is None:
        return absent("nothing is published in an index there")
    published = manifest.published
    told: list[str] = []
    with closing(IndexFolder.open(path)) as folder:
        if manifest.stores.get("vectors", "edge") == "edge":
            with closing(folder.vectors()) as vectors, closing(vectors.read(published)) as snapshot:
                told.append(f"{snapshot.count(Filter()):,} rows of vectors")
        if "neo4j_url" not in manifest.stores and "graph" in manifest.generations[published].structures:
            with closing(folder.graph()) as graph, closing(graph.read(published)) as view:
                told.append(f"{view.counts(Filter()).get('entity', 0):,} entities")
    return fine(f"open: {', '.join(told)}") if told else absent("all of it is on servers")
