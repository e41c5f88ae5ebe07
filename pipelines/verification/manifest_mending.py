"""The manifest set to what is there, leftovers swept away, and the settings that an index was made with."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from ...indexer.errors import GenerationGone, StoreError
from ...indexer.stores.folder import IndexFolder
from ...indexer.stores.ledger_runs import RunLog
from ...indexer.stores.manifest import Generation, Manifest, write_manifest
from ..config import Config
from ..leaves import FILE as LEAVES
from ..rows import encoders_digest
from .damage import Damage

Settings = TypeVar("Settings")


def mend_manifest(folder: IndexFolder, damage: Damage) -> bool:
    """Set what the manifest says wrongly to what ledger and stores hold; returns whether anything was."""
    wrong = {one.kind for one in damage.findings.values() if one.store == "manifest" and one.derived}
    if not wrong:
        return False
    manifest = folder.manifest()
    if "published" in wrong:
        manifest = _published(folder, manifest)
    generations = {number: _entry(folder, number, manifest, wrong) for number in manifest.generations}
    newest = max([manifest.newest, RunLog(folder.ledger).newest(), *generations])
    write_manifest(folder.path, replace(manifest, newest=newest, generations=generations))
    return True


def _published(folder: IndexFolder, manifest: Manifest) -> Manifest:
    """What the published generation holds, as build, stores and the other generations say it; where its
    vectors are gone too, the newest other is published."""
    number = manifest.published or 0
    others = [manifest.generations[each] for each in sorted(manifest.generations)]
    shape, build = _shape(folder, number), RunLog(folder.ledger).build(number)
    if shape is None or build is None or not others:
        there = sorted(each for each in manifest.generations if _shape(folder, each) is not None)
        return replace(manifest, published=there[-1] if there else None)
    report, last = build.report or {}, others[-1]
    held = ["hybrid"]
    held += ["tree"] if folder.ledger.count("nodes", number) else []
    held += ["graph"] if report.get("entities") or "graph" in last.structures else []
    structures = {**dict.fromkeys(held, number), **dict(report.get("behind") or {})}
    built = datetime.fromtimestamp(build.finished or build.started, UTC).isoformat(timespec="seconds")
    entry = Generation(build.base, built, *shape, models=last.models, structures=structures)
    return replace(manifest, generations={**manifest.generations, number: entry})


def _entry(folder: IndexFolder, number: int, manifest: Manifest, wrong: set[str]) -> Generation:
    entry = manifest.generations[number]
    build = RunLog(folder.ledger).build(number)
    if "base" in wrong and build is not None:
        entry = replace(entry, base=build.base)
    if "structure" in wrong:
        behind = dict((build.report or {}).get("behind") or {}) if build is not None else {}
        held = {"hybrid": number, **dict.fromkeys(entry.structures, number), **behind}
        entry = replace(entry, structures=held)
    if "shape" in wrong:
        dimension, idf = _shape(folder, number) or (entry.dimension, entry.idf)
        entry = replace(entry, dimension=dimension, idf=idf)
    if "models" in wrong:
        entry = _named(entry, manifest)
    return entry


def _named(entry: Generation, manifest: Manifest) -> Generation:
    """The names of the encoders, from a generation that has others."""
    for other in manifest.generations.values():
        if encoders_digest(other.models) != encoders_digest(entry.models):
            names = {role: other.models[role] for role in ("embedder", "sparse") if role in other.models}
            return replace(entry, models={**entry.models, **names})
    return entry


def _shape(folder: IndexFolder, number: int) -> tuple[int, bool] | None:
    """The shape of a generation's vectors, None where they cannot be read."""
    try:
        with closing(folder.vectors()) as store, closing(store.read(number)) as snapshot:
            return snapshot.shape()
    except (StoreError, GenerationGone):
        return None


def sweep(folder: IndexFolder, damage: Damage) -> None:
    """Take away files that belong to nothing, and those that are to be made again."""
    for one in damage.findings.values():
        if one.kind == "picture":
            folder.images.file(one.id).unlink(missing_ok=True)
        elif one.kind == "copy":
            (folder.path / LEAVES).unlink(missing_ok=True)
    places = {"lease": folder.path / "leases", "left over": folder.path, "stray picture": folder.images.path}
    for one in damage.findings.values():
        if one.kind in places and one.mend == "sweep":
            path = places[one.kind] / one.id
            if one.kind == "stray picture" and not path.suffix:
                path = folder.images.file(one.id)
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def config_of(folder: IndexFolder, config: Config) -> Config:
    """The configuration with the settings of tree and graph that the published generation was made with."""
    manifest = folder.manifest()
    entry = manifest.generations.get(manifest.published or 0)
    if entry is None:
        return config
    tree = _settings(config.tree, entry.models.get("tree"))
    graph = _settings(config.graph, entry.models.get("graph"))
    return replace(config, tree=tree, graph=graph)


def _settings(now: Settings, then: str | None) -> Settings:
    try:
        made: dict[str, Any] = json.JSONDecoder().raw_decode(then or "")[0]
        names = {field.name for field in fields(now)}  # type: ignore[arg-type]
        kept = {k: tuple(v) if isinstance(v, list) else v for k, v in made.items() if k in names}
        return replace(now, **kept)  # type: ignore[type-var]
    except (ValueError, AttributeError, TypeError):
        return now
