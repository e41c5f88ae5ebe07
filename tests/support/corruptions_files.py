"""Ways to damage the manifest, the pictures, and what else lies in an index's folder."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from damaged_index import Corruption, Harm, published
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.stores.manifest import Generation, Manifest, read_manifest, write_manifest


def _manifest(change: Callable[[Manifest], Manifest]) -> Harm:
    def harm(index: Path, _: random.Random) -> None:
        write_manifest(index, change(read_manifest(index)))

    return harm


def _entry(change: Callable[[Generation], Generation]) -> Harm:
    """The published generation's entry is another one."""

    def changed(manifest: Manifest) -> Manifest:
        number = manifest.published or 0
        entries = {**manifest.generations, number: change(manifest.generations[number])}
        return replace(manifest, generations=entries)

    return _manifest(changed)


def _without_published(manifest: Manifest) -> Manifest:
    kept = {n: entry for n, entry in manifest.generations.items() if n != manifest.published}
    return replace(manifest, generations=kept)


def _models(entry: Generation, **names: str) -> Generation:
    return replace(entry, models={**entry.models, **names})


def _structures(entry: Generation, **numbers: int) -> Generation:
    return replace(entry, structures={**entry.structures, **numbers})


def _picture(change: Callable[[Path], None]) -> Harm:
    def harm(index: Path, rng: random.Random) -> None:
        change(rng.choice(sorted((index / "images").glob("*.png"))))

    return harm


def _put(name: str, folder: bool = False) -> Harm:
    def harm(index: Path, rng: random.Random) -> None:
        path = index / name
        path.parent.mkdir(exist_ok=True)
        if folder:
            path.mkdir()
        else:
            path.write_bytes(rng.randbytes(20))

    return harm


def _lost_vectors(back: int) -> Harm:
    return lambda index, _: shutil.rmtree(index / "vectors" / f"g{published(index) - back}")


def _cut(index: Path, rng: random.Random) -> None:
    data = (index / "graph.db").read_bytes()
    with closing(IndexFolder.open(index)):
        (index / "graph.db").write_bytes(data[: len(data) // 3])


def _kept(index: Path, _: random.Random) -> None:
    """The copy of a vector that the index keeps is another one."""
    import numpy as np

    with np.load(index / "leaves.npz") as stored:
        rows, vectors = stored["rows"], stored["vectors"].copy()
    vectors[0] = -vectors[0]
    with (index / "leaves.npz").open("wb") as file:
        np.savez(file, rows=rows, vectors=vectors)


FILES = (
    Corruption("a manifest without what it publishes", _manifest(_without_published)),
    Corruption("the newest generation", _manifest(lambda m: replace(m, newest=1))),
    Corruption("the dimension", _entry(lambda entry: replace(entry, dimension=31))),
    Corruption("the name of the encoder", _entry(lambda entry: _models(entry, embedder="another"))),
    Corruption("a tree of the future", _entry(lambda entry: _structures(entry, tree=9))),
    Corruption("a graph that is said to be behind", _entry(lambda entry: _structures(entry, graph=1))),
    Corruption("a generation on another base", _entry(lambda entry: replace(entry, base=7))),
    Corruption("a picture dropped", _picture(lambda path: path.unlink())),
    Corruption("a picture changed", _picture(lambda path: path.write_bytes(path.read_bytes()[:-1]) and None)),
    Corruption("a picture of nothing", _put(f"images/{'ab' * 32}.png")),
    Corruption("a lease that is none", _put("leases/note.txt")),
    Corruption("a draft of the manifest", _put(".index.toml.123")),
    Corruption("a folder that was being deleted", _put("vectors/gone-1", folder=True)),
    Corruption("a generation that nobody knows", _put("vectors/g99", folder=True)),
    Corruption("the vectors before", _lost_vectors(1)),
    Corruption("the vectors", _lost_vectors(0)),
    Corruption("a graph cut short", _cut),
    Corruption("the copy of a vector", _kept, deep=True),
)
