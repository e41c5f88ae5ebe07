"""``treegraph plan``: what a build would do, and what it would take."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from ...indexer.errors import IndexIncompatible, ModelUnavailable, RemovalRefused
from ...indexer.sources import walk
from ...indexer.stores.folder import IndexFolder
from ...indexer.stores.locks import writer_lock
from ..events import Event
from ..lost_readers import lost_readings, told
from ..memory import PeakMemory
from ..opening import check_models, exists, open_or_create
from ..page_readers import PageReaders
from ..recipe import limits_digest, recipes
from ..removal import plan_removal
from ..report import BuildReport
from ..survey import Survey, Surveyor
from .asked import AskedBuild
from .kept import keep_plan
from .planned_models import PlannedModels
from .planner import Planner, rehearsed_build


def plan_build(asked: AskedBuild, given: Sequence[Any]) -> BuildReport:
    """The report of a build that would be done, with its plan, which is kept for that build. Nothing else of
    the index is changed. ``given`` are embedder, LLM, reranker and vision model in place of those that the
    configuration names. Raises as the build would, but for a removal and for encoders that it would refuse:
    of those the plan warns."""
    began = time.monotonic()
    embedder, llm, reranker, vision = given
    models = PlannedModels(asked.config, embedder, llm, reranker, vision, anew=asked.reembed)
    with PeakMemory() as memory:
        report = _planned(asked, models)
    report.peak_memory = memory.peak
    report.seconds["total"] = time.monotonic() - began
    return report


def _planned(asked: AskedBuild, models: PlannedModels) -> BuildReport:
    from ..build import check_any, check_roots

    config, path = asked.config, asked.path
    asked.listen(Event("survey", 0, None, "files"))
    found = walk(asked.roots, config.ignore)
    readers = PageReaders(config, models)
    readers.check()
    recipe = recipes(config, asked.edit.name if asked.edit else None, models.llm_asked)
    limits = limits_digest(config, readers.asked)
    surveyor = Surveyor(recipe, limits, asked.listen, asked.cancel, readers.stands)
    if not exists(path):
        check_any(asked.roots, found)
        survey = surveyor.survey(asked.roots, found, {}, {})
        return _kept(Planner(asked, models, found, survey).report(None), None, asked)
    with writer_lock(path), closing(open_or_create(path, config, asked.index_id)) as folder:
        manifest = folder.manifest()
        models.base = manifest.generations.get(manifest.published or 0)
        build = rehearsed_build(asked, folder, models, asked.listen)
        if build.published is None:
            check_any(asked.roots, found)
        check_roots(folder, asked.roots, found, build.published)
        known = folder.ledger.files(build.state)
        survey = surveyor.survey(asked.roots, found, known, build.log.failures())
        warnings = [
            *_refused(folder, survey, asked, build.state),
            *([] if build.reembeds else _incompatible(folder, models)),
        ]
        if lost := lost_readings(folder.ledger, survey, config, models, build.state):
            warnings.append(told(lost))
        return _kept(Planner(asked, models, found, survey, warnings).report(folder), folder, asked)


def _kept(report: BuildReport, folder: IndexFolder | None, asked: AskedBuild) -> BuildReport:
    assert report.plan is not None
    keep_plan(report.plan, folder, asked.path)
    return report


def _incompatible(folder: IndexFolder, models: PlannedModels) -> list[str]:
    """What a build would say of other encoders than the index was made with. They are loaded only where the
    configuration names them otherwise than at the last build."""
    manifest = folder.manifest()
    entry = manifest.generations.get(manifest.published or 0)
    if entry is None or entry.models.get("configured") == models.stamp:
        return []
    try:
        check_models(manifest, *models.real_names())
    except (IndexIncompatible, ModelUnavailable) as error:
        return [f"a build would be refused: {error}"]
    return []


def _refused(folder: IndexFolder, survey: Survey, asked: AskedBuild, state: int) -> list[str]:
    """What a build would say that refuses to remove so much."""
    try:
        asked.limit.check(plan_removal(folder.ledger, survey, asked.roots, state))
    except RemovalRefused as refusal:
        return [str(refusal).partition(":\n")[0]]
    return []
