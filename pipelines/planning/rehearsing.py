"""``treegraph plan``: what a build would do, and what it would take."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from ...indexer.errors import IndexIncompatible, ModelUnavailable, RemovalRefused
from ...indexer.stores.folder import IndexFolder
from ...indexer.stores.locks import writer_lock
from ..asked import AskedBuild
from ..found_sources import FoundSources
from ..lost_model import lost_writings
from ..lost_model import told as told_written
from ..lost_readers import lost_readings, told
from ..memory import PeakMemory
from ..opening import check_models, exists, open_or_create
from ..removal import plan_removal
from ..report import BuildReport
from ..survey import Survey
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
    config, path = asked.config, asked.path
    sources = FoundSources.of(asked, models)
    if not exists(path):
        sources.require_any()
        survey = sources.surveyor.survey(asked.roots, sources.found, {}, {})
        return _kept(Planner(asked, models, sources.found, survey).report(None), None, asked)
    with writer_lock(path), closing(open_or_create(path, config, asked.index_id)) as folder:
        manifest = folder.manifest()
        models.base = manifest.generations.get(manifest.published or 0)
        build = rehearsed_build(asked, folder, models, asked.listen)
        sources.require_known(folder, build.published)
        survey = sources.survey(folder, build.state, build.log)
        warnings = [
            *_refused(folder, survey, asked, build.state),
            *([] if build.reembeds else _incompatible(folder, models)),
        ]
        if lost := lost_readings(folder.ledger, survey, config, models, build.state):
            warnings.append(told(lost))
        if lost := lost_writings(folder, build.published, survey, config, models, asked.without):
            warnings.append(told_written(lost))
        return _kept(Planner(asked, models, sources.found, survey, warnings).report(folder), folder, asked)


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
