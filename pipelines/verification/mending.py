"""Mending what a verification found: rows of the ledger where they lie, all else into a new generation.

Nothing of what is published is changed under its readers. What a reader sees of a damaged generation stays as
damaged as it is until it moves on; the new generation stands on none before it, so that no rollback leads
back.
"""

from __future__ import annotations

import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from ...indexer.digests import digest
from ...indexer.errors import ConfigurationError
from ...indexer.stores.folder import IndexFolder, collect_garbage
from ...indexer.stores.manifest import write_manifest
from ..building import Build
from ..config import Config
from ..events import Listener
from ..graph_damage import erase
from ..graph_stage import COMMUNITIES
from ..loading_models import Models
from ..maintenance import writing
from ..recording import note_published
from .damage import Damage
from .finding import Verification
from .graph_rows import HIERARCHY
from .ledger_mending import distrust, mend_ledger
from .look import Look
from .manifest_mending import config_of, mend_manifest, sweep
from .rereading import Rereading

_HYBRID, _TREE, _GRAPH = "hybrid", "tree", "graph"


def repair(
    path: Path, config: Config, models: Models, deep: bool, listen: Listener, cancel: threading.Event
) -> Verification:
    """Verify an index, mend what can be derived, and verify it again. Raises IndexLocked, and what a build
    raises; what was mended by then stays so."""
    with writing(path, "verify") as folder:
        first = Look(folder, models, deep, listen, cancel, alone=True)
        damage = first.run()
        if not damage.findings:
            return first.result(damage)
        before = first.result(damage)
        if mend_manifest(folder, damage):  # what is held against it looks otherwise by now
            damage = Look(folder, models, deep, listen, cancel, alone=True).run()
        generation = _mend(folder, config, models, damage, listen, cancel)
        if generation is not None:
            note_published(generation)
        again = Look(folder, models, deep, listen, cancel, alone=True)
        result = again.result(again.run())
    left = {(one.kind, one.store, one.id) for one in result.findings}
    result.mended = [one for one in before.findings if (one.kind, one.store, one.id) not in left]
    result.generation = generation
    return result


def _mend(
    folder: IndexFolder,
    config: Config,
    models: Models,
    damage: Damage,
    listen: Listener,
    cancel: threading.Event,
) -> int | None:
    """Returns the generation that was published, None where none was needed."""
    published = folder.manifest().published
    sweep(folder, damage)
    if published is None:
        return None
    mend_ledger(folder, damage, published)
    generation = None
    if _needs_build(damage, published):
        generation = _build(folder, config, models, damage, published, listen, cancel)
    if generation is not None or _older_hurt(damage, published):
        _stand_alone(folder)
    collect_garbage(folder)
    return generation


def _needs_build(damage: Damage, published: int) -> bool:
    """Whether readers of the published generation would see any of it."""
    seen = [
        one for one in damage.findings.values() if one.mend in ("embed", "read", "grow", "graph", "extract")
    ]
    stray = damage.strays and any(
        published in one.generations for one in damage.findings.values() if one.kind == "stray row"
    )
    return bool(stray) or any(not one.generations or published in one.generations for one in seen)


def _older_hurt(damage: Damage, published: int) -> bool:
    """Whether the generation that a rollback would publish is damaged."""
    return any(set(one.generations) - {published} for one in damage.findings.values())


def _stand_alone(folder: IndexFolder) -> None:
    """Have the published generation stand on none before it: nothing leads back to a damaged one."""
    manifest = folder.manifest()
    assert manifest.published is not None
    entry = manifest.generations[manifest.published]
    generations = {**manifest.generations, manifest.published: replace(entry, base=None)}
    write_manifest(folder.path, replace(manifest, generations=generations))


def _build(
    folder: IndexFolder,
    config: Config,
    models: Models,
    damage: Damage,
    published: int,
    listen: Listener,
    cancel: threading.Event,
) -> int | None:
    again = {_HYBRID}
    structures = folder.manifest().generations[published].structures
    held = {_GRAPH} if damage.graph_lost else set(structures)
    if _TREE in held | set(structures) and damage.regrow:
        again.add(_TREE)
    if _GRAPH in held and (damage.graph or damage.graph_lost or damage.extractions):
        again.add(_GRAPH)
    if any(slip.kind == "community" and slip.what in HIERARCHY for slip in damage.graph):
        again.add(COMMUNITIES)
    settings = config_of(folder, config)
    scope = digest(["repair"])
    build = Build(folder, scope, settings, models, listen, cancel, only_held=True, again=again)
    if build.foreign:
        raise ConfigurationError(
            f"the {' and the '.join(build.foreign)} of this index cannot be mended as it was made: this "
            "configuration names another model, or none. Name the one that the index is built with: --config"
        )
    distrust(folder, damage)
    _distrust_graph(folder, damage, published)
    rereading = Rereading(build, damage, published)
    build.run(rereading.run)
    return build.finish().generation


def _distrust_graph(folder: IndexFolder, damage: Damage, published: int) -> None:
    """Have the graph's writer put anew what is not what was written."""
    if damage.graph_lost:
        erase(folder, published)
    elif damage.graph:
        with closing(folder.graph()) as store:
            store.distrust(damage.graph)
