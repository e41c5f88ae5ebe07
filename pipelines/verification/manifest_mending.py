"""The manifest set to what is there, leftovers swept away, and the settings that an index was made with."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from dataclasses import fields, replace
from typing import Any, TypeVar

from ...indexer.errors import StoreError
from ...indexer.stores.folder import IndexFolder
from ...indexer.stores.ledger_runs import RunLog
from ...indexer.stores.manifest import Generation, Manifest, write_manifest
from ..config import Config
from .damage import Damage
from .holdings import stamp_of

Settings = TypeVar("Settings")


def mend_manifest(folder: IndexFolder, damage: Damage) -> None:
    """Set what the manifest says wrongly to what ledger and stores hold."""
    wrong = {one.kind for one in damage.findings.values() if one.store == "manifest" and one.derived}
    if not wrong:
        return
    manifest = folder.manifest()
    if "published" in wrong:
        there = sorted(number for number in manifest.generations if _readable(folder, number))
        manifest = replace(manifest, published=there[-1] if there else None)
    generations = {number: _entry(folder, number, manifest, wrong) for number in manifest.generations}
    newest = max([manifest.newest, RunLog(folder.ledger).newest(), *generations])
    write_manifest(folder.path, replace(manifest, newest=newest, generations=generations))


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
        try:
            with closing(folder.vectors()) as store, closing(store.read(number)) as snapshot:
                dimension, idf = snapshot.shape()
                entry = replace(entry, dimension=dimension, idf=idf)
        except StoreError:
            pass  # is reported as such
    if "models" in wrong:
        entry = _named(entry, manifest)
    return entry


def _named(entry: Generation, manifest: Manifest) -> Generation:
    """The names of the encoders, from a generation that has others."""
    for other in manifest.generations.values():
        if stamp_of(other) != stamp_of(entry):
            names = {role: other.models[role] for role in ("embedder", "sparse") if role in other.models}
            return replace(entry, models={**entry.models, **names})
    return entry


def _readable(folder: IndexFolder, number: int) -> bool:
    try:
        with closing(folder.vectors()) as store:
            store.read(number).close()
    except StoreError:
        return False
    return True


def sweep(folder: IndexFolder, damage: Damage) -> None:
    """Take away files that belong to nothing."""
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
