"""The plan of a build as a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

STAGES: Mapping[str, str] = {
    "context": "hybrid",
    "native": "hybrid",
    "embed": "hybrid",
    "tree": "tree",
    "graph": "graph",
    "graph reports": "graph",
}
"""The stages that ask models, and the structure that each is for; summaries are embedded with the chunks."""


@dataclass(frozen=True, slots=True)
class StagePlan:
    """The model calls of a stage: those to make, those that the cache answers, tokens in and out, and the
    ``price``, None where the model's prices are not known.

    ``counted`` and ``counted_in`` are calls and tokens as the rehearsal counted them, before what earlier
    builds say of second tries and of the provider's way of counting.
    """

    calls: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    price: float | None = 0.0
    counted: int = 0
    counted_in: int = 0


@dataclass(frozen=True, slots=True)
class StructurePlan:
    """What one structure takes. ``state`` is ``made``, ``kept`` (nothing to do) or ``left out``; ``items``
    what it will hold and how much of it is new; ``seconds`` of wall time, bytes on ``disk`` that are added,
    and the most bytes of ``memory`` while it is made."""

    state: str
    items: Mapping[str, int] = field(default_factory=dict)
    stages: Mapping[str, StagePlan] = field(default_factory=dict)
    seconds: float = 0.0
    disk: int = 0
    memory: int = 0

    @property
    def calls(self) -> StagePlan:
        """The calls of all stages together."""
        return total(self.stages.values())


@dataclass(frozen=True, slots=True)
class CapPlan:
    """What a cap on money lets through: ``fits`` says whether all of it does; ``calls`` and ``degraded`` by
    stage are the calls that are made and those that are not, as the plan takes them one after the other."""

    amount: float
    fits: bool | None
    calls: Mapping[str, int] = field(default_factory=dict)
    degraded: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a build would do and take.

    ``documents`` are counts of those added, changed, renamed, removed, unchanged and failed; ``pages`` counts
    the pages to read by way of reading (``empty``: nothing stands on them), ``read_before`` those of them
    whose readings are kept, or the same as another's; ``estimates`` say what was estimated and how.
    ``tokens_embedded`` are those of all texts to embed, of chunks and nodes, by our estimate.
    ``base`` is the published generation that the plan stands on, ``scope`` the digest of what was asked for,
    ``made`` when, in seconds since 1970. ``index_id`` is that of the index: the build that makes it takes the
    one that was planned, on which the order of documents rests. ``models`` names the language and vision
    models, empty for none.
    """

    documents: Mapping[str, int]
    pages: Mapping[str, int]
    read_before: Mapping[str, int]
    chunks: int
    embedded: int
    reused: int
    tokens_embedded: int
    structures: Mapping[str, StructurePlan]
    seconds: float
    disk: int
    memory: int
    estimates: Sequence[str] = ()
    warnings: Sequence[str] = ()
    cap: CapPlan | None = None
    base: int | None = None
    scope: str = ""
    index_id: str = ""
    models: Mapping[str, str] = field(default_factory=dict)
    made: float = 0.0

    @property
    def calls(self) -> StagePlan:
        """The calls of all structures together."""
        return total(structure.calls for structure in self.structures.values())

    @property
    def stages(self) -> dict[str, StagePlan]:
        """The calls of each stage."""
        return {name: stage for each in self.structures.values() for name, stage in each.stages.items()}

    def to_json(self) -> dict[str, Any]:
        """The plan under the outside contract (``"schema": 1``)."""
        whole = {each.name: getattr(self, each.name) for each in fields(self)}
        structures = {
            name: {
                "state": each.state,
                "documents": dict(self.documents),
                "pages": dict(self.pages) if name == "hybrid" else {},
                "chunks": self.chunks,
                "items": dict(each.items),
                **_money(each.calls),
                "stages": {stage: asdict(plan) for stage, plan in each.stages.items()},
                "seconds": round(each.seconds, 1),
                "disk": each.disk,
                "memory": each.memory,
            }
            for name, each in self.structures.items()
        }
        return {
            "schema": 1,
            "dry_run": True,
            **whole,
            "structures": structures,
            "seconds": round(self.seconds, 1),
            **_money(self.calls),
            "cap": None if self.cap is None else asdict(self.cap),
            "estimates": list(self.estimates),
            "warnings": list(self.warnings),
        }


def plan_from_json(document: Mapping[str, Any]) -> Plan:
    """The plan that :meth:`Plan.to_json` wrote. Raises KeyError and TypeError on anything else."""
    structures = {
        name: StructurePlan(
            each["state"],
            each["items"],
            {stage: StagePlan(**plan) for stage, plan in each["stages"].items()},
            each["seconds"],
            each["disk"],
            each["memory"],
        )
        for name, each in document["structures"].items()
    }
    cap = None if document["cap"] is None else CapPlan(**document["cap"])
    names = {each.name for each in fields(Plan)} - {"structures", "cap"}
    return Plan(**{name: document[name] for name in names}, structures=structures, cap=cap)


def total(stages: Any) -> StagePlan:
    """The sum of stages; its price is None where one of theirs is."""
    rows = list(stages)
    prices = [row.price for row in rows]
    known = [price for price in prices if price is not None]
    return StagePlan(
        calls=sum(row.calls for row in rows),
        cached=sum(row.cached for row in rows),
        tokens_in=sum(row.tokens_in for row in rows),
        tokens_out=sum(row.tokens_out for row in rows),
        price=sum(known) if len(known) == len(prices) else None,
        counted=sum(row.counted for row in rows),
        counted_in=sum(row.counted_in for row in rows),
    )


def _money(stage: StagePlan) -> dict[str, Any]:
    return {name: getattr(stage, name) for name in ("calls", "cached", "tokens_in", "tokens_out", "price")}
