"""The index that a part's questions are asked of: built once for all that shapes it, and kept."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...indexer.digests import digest
from ...indexer.tree.settings import TreeSettings
from ..build import build_index
from ..code_version import code_digest
from ..config import Config
from ..defaults import STRUCTURES
from ..events import Listener
from ..recipe import shared_recipe
from ..report import BuildReport
from .questions import Part
from .withholding import Withholding


@dataclass(frozen=True, slots=True)
class BuiltIndex:
    """An index with what building it took: ``seconds`` of all builds that it needed, model ``tokens``
    and ``cost`` by stage. ``failed`` are the sources that are not in it, with the reason. ``key`` says
    all that shaped it."""

    path: Path
    key: str
    seconds: float
    tokens: Mapping[str, Mapping[str, int]]
    cost: Mapping[str, float]
    failed: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class GivenModels:
    """Models that take the place of those that the configuration names; None: the configuration's."""

    embedder: Any = None
    llm: Any = None
    reranker: Any = None

    @property
    def names(self) -> tuple[str | None, ...]:
        """What was handed in to embed, to write and to rerank with."""
        models = (self.embedder, self.llm, self.reranker)
        return tuple(None if model is None else str(getattr(model, "name", model)) for model in models)


def built_index(
    part: Part,
    config: Config,
    work: Path,
    *,
    structures: Collection[str] = (),
    models: GivenModels,
    titles: bool,
    on_event: Listener,
    cancel: threading.Event,
) -> BuiltIndex:
    """The index of ``part`` under ``config``, in ``work``: reused where it stands, mended where a file
    changed, built where there is none. ``titles``: nothing is withheld, questions may stand in the index.
    ``structures`` are those that are needed beside the hybrid layer; others are not built.

    Raises what a build raises; what was finished is kept, and the same call goes on.
    """
    edit = Withholding(part.withheld) if part.withheld and not titles else None
    key = _key(part, config, models, edit, structures)
    path = work / "indexes" / f"{re.sub(r'[^A-Za-z0-9]+', '-', part.name)[:40]}-{key[:12]}"
    spent = _Spent(path.with_suffix(".json"))
    began = time.monotonic()
    report: BuildReport | None = None
    try:
        report = build_index(
            part.sources,
            path,
            config=config,
            yes=True,
            without=sorted(set(STRUCTURES) - set(structures)),
            embedder=models.embedder,
            llm=models.llm,
            edit=edit,
            on_event=on_event,
            cancel=cancel,
        )
    finally:
        if report is None or report.generation is not None:
            spent.add(time.monotonic() - began, report)
    failed = {failure.source: f"{failure.reason}: {failure.message}" for failure in report.failed}
    return BuiltIndex(path, key, spent.seconds, spent.tokens, spent.cost, failed)


class _Spent:
    """What builds of one index took so far, kept in a file beside it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # What an index took that was since removed is no cost of the one that takes its place.
        stands = path.exists() and path.with_suffix("").exists()
        known = json.loads(path.read_text("utf-8")) if stands else {}
        self.seconds: float = known.get("seconds", 0.0)
        self.tokens: dict[str, dict[str, int]] = known.get("tokens", {})
        self.cost: dict[str, float] = known.get("cost", {})

    def add(self, seconds: float, report: BuildReport | None) -> None:
        """Add a build; None for one that did not come to its end."""
        self.seconds += seconds
        for stage, tokens in (report.tokens if report else {}).items():
            known = self.tokens.setdefault(stage, {})
            for name, count in tokens.items():
                known[name] = known.get(name, 0) + count
        for stage, cost in (report.cost if report else {}).items():
            self.cost[stage] = self.cost.get(stage, 0.0) + cost
        state = {"seconds": self.seconds, "tokens": self.tokens, "cost": self.cost}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        written = self._path.with_suffix(".new")
        written.write_text(json.dumps(state), "utf-8")
        written.replace(self._path)


def _key(
    part: Part,
    config: Config,
    models: GivenModels,
    edit: Withholding | None,
    structures: Collection[str],
) -> str:
    """A digest of everything that decides what the index holds, the code of the write side included.

    The sources' content is not in it: a build looks at that itself. Nor are structures made as they are by
    default: they are added to an index that stands.
    """
    embedder, _, _ = models.names
    tree = asdict(config.tree) if "tree" in structures and config.tree != TreeSettings() else None
    return digest(
        [
            list(part.sources),
            edit.name if edit else None,
            shared_recipe(config),
            asdict(config.embed),
            embedder,
            list(config.ignore),
            [str(asdict(rule)) for rule in config.documents],
            config.stores.qdrant,
            tree,
            code_digest("indexer"),
        ]
    )
