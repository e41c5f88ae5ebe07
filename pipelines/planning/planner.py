"""The plan of a build out of its rehearsal: estimated, and held against the cap."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...indexer.sources import Walk
from ...indexer.stores.edge_folders import allocated
from ...indexer.stores.folder import IndexFolder
from ..asked import AskedBuild
from ..building import Build
from ..defaults import STRUCTURES
from ..events import Listener
from ..mirroring import Mirroring
from ..owed import EMBED
from ..report import BuildReport
from ..survey import Survey
from .estimates import Answering, EmbeddingPrice, Estimator
from .history import History, history
from .kept import plan_scope
from .plan import CapPlan, Plan, StagePlan, StructurePlan
from .planned_models import PlannedModels
from .rehearsal import Rehearsed, RehearsedBuild, rehearse, scratch_of
from .told import told


@dataclass(frozen=True, slots=True)
class Planner:
    """Plans what the build that is ``asked`` for does about what a walk ``found`` and a ``survey`` of it told
    apart. ``models`` count for it, so there is one set for each plan."""

    asked: AskedBuild
    models: PlannedModels
    found: Walk
    survey: Survey
    warnings: Sequence[str] = ()

    def report(self, folder: IndexFolder | None) -> BuildReport:
        """What the build over ``folder`` (None: of a new index) would report, with its plan. Nothing of the
        index is changed; the caller holds its writer's lock. Raises as the build would."""
        published = folder.manifest().published if folder is not None else None
        known = history(folder.ledger, self._named, self.models.stamp) if folder is not None else History()
        with scratch_of(folder, self.asked.index_id) as scratch:
            rehearsed = rehearse(scratch, self.models, self.asked.listen, self._build, self._mirror)
            whole, own = _structures(scratch), scratch.manifest().index_id
        estimator = Estimator(
            rehearsed,
            self.models.tally,
            known,
            self._answering(),
            self.asked.config.embed.model,
            0 if rehearsed.anew else held_bytes(folder),
            self._states(rehearsed, whole),
        )
        return _as_dry(rehearsed.report, self._plan(rehearsed, estimator, published, own))

    def _build(self, folder: IndexFolder, models: PlannedModels, listen: Listener) -> RehearsedBuild:
        return rehearsed_build(self.asked, folder, models, listen)

    def _mirror(self, build: Build) -> BuildReport:
        return Mirroring(build, self.asked.roots, self.survey, self.found, self.asked.edit).run()

    @property
    def _named(self) -> dict[str, str]:
        return {"llm": self.models.llm_asked, "vision": self.models.vision_asked}

    def _answering(self) -> dict[str, Answering | None]:
        llm, vision = self.models.llm(), self.models.vision()
        embedding = EmbeddingPrice(self.asked.config.embed.price_in or 0.0)
        return {
            EMBED: embedding,
            "context": llm,
            "tree": llm,
            "graph": llm,
            "graph reports": llm,
            "native": vision,
        }

    def _states(self, rehearsed: Rehearsed, whole: Mapping[str, int]) -> dict[str, str]:
        """Whether each structure is made, kept as it is, or left out."""
        made = rehearsed.report.generation is not None
        states = {"hybrid": "made" if made else "kept"}
        for name in STRUCTURES:
            left = name in self.asked.without or (made and whole.get(name) != rehearsed.report.generation)
            states[name] = "left out" if left else "made" if made else "kept"
        return states

    def _plan(self, rehearsed: Rehearsed, estimator: Estimator, base: int | None, index_id: str) -> Plan:
        report, structures = rehearsed.report, estimator.structures()
        documents = {
            name: len(getattr(report, name))
            for name in ("added", "changed", "renamed", "removed", "unchanged", "failed")
        }
        read = {way: count - self.models.tally.asked[way].calls for way, count in rehearsed.wanted.items()}
        asked, cap = self.asked, self.asked.caps.cost
        semantic = self.asked.config.chunk.by == "semantic"
        return Plan(
            documents=documents,
            pages=rehearsed.pages,
            read_before={way: count for way, count in read.items() if count > 0},
            chunks=report.chunks,
            embedded=report.embedded,
            reused=report.reused,
            tokens_embedded=self.models.tally.tokens_embedded,
            structures=structures,
            seconds=sum(each.seconds for each in structures.values()),
            disk=sum(each.disk for each in structures.values()),
            memory=max(each.memory for each in structures.values()),
            estimates=told(estimator, rehearsed.sketched, semantic),
            warnings=[*self.warnings, *_unknown_prices(structures)],
            cap=None if cap is None else capped(structures, cap),
            base=base,
            scope=plan_scope(asked.roots, asked.config, self.models, asked.without, asked.edit),
            index_id=index_id,
            models=self._named,
            made=time.time(),
        )


def rehearsed_build(
    asked: AskedBuild, folder: IndexFolder, models: PlannedModels, listen: Listener
) -> RehearsedBuild:
    """The build that is ``asked``, over ``folder``, as a plan does it."""
    return RehearsedBuild(
        folder,
        asked.scope,
        asked.config,
        models,
        listen,
        asked.cancel,
        asked.without,
        reembed=asked.reembed,
    )


def capped(structures: Mapping[str, StructurePlan], amount: float) -> CapPlan:
    """What ``amount`` pays for: the calls of one stage after the other, as they are made."""
    left, fits = amount, True
    made: dict[str, int] = {}
    degraded: dict[str, int] = {}
    stages = [(name, stage) for each in structures.values() for name, stage in each.stages.items()]
    if any(stage.price is None for _, stage in stages):
        return CapPlan(amount, None)
    for name, stage in sorted(stages, key=lambda item: item[0] != "native"):
        share = min(1.0, left / stage.price) if stage.price else 1.0
        made[name] = int(stage.calls * share)
        left -= (stage.price or 0.0) * share
        if made[name] < stage.calls:
            degraded[name] = stage.calls - made[name]
            fits = False
    return CapPlan(amount, fits, made, degraded)


def held_bytes(folder: IndexFolder | None) -> int:
    """Bytes of the embedded vectors of the published generation; 0 where there are none in the folder."""
    published = folder.manifest().published if folder is not None else None
    if folder is None or published is None:
        return 0
    return allocated(folder.path / "vectors" / f"g{published}")


def _structures(scratch: IndexFolder) -> Mapping[str, int]:
    """The structures of what a rehearsal published, with the generations that they are whole in."""
    manifest = scratch.manifest()
    entry = manifest.generations.get(manifest.published or 0)
    return entry.structures if entry is not None else {}


def _unknown_prices(structures: Mapping[str, StructurePlan]) -> list[str]:
    unknown: list[tuple[str, StagePlan]] = [
        (name, stage)
        for each in structures.values()
        for name, stage in each.stages.items()
        if stage.price is None
    ]
    named = {"native": "[vision]", EMBED: "[embed]"}
    tables = sorted({named.get(name, "[llm]") for name, _ in unknown})
    return [f"price unknown: set price_in and price_out of {' and '.join(tables)}"] if tables else []


def _as_dry(report: BuildReport, plan: Plan) -> BuildReport:
    """A rehearsal's report as that of a build which only says what it would do."""
    report.generation = None
    report.dry_run = True
    report.tokens, report.cost, report.degraded, report.behind = {}, {}, {}, {}
    report.plan = plan
    return report
