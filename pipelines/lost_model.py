"""What a language model wrote for an index, and would be made again without one for want of any.

A configuration that was not found, or a variable that is not set, must not make an index worse without a
word, to be paid for again by the build that has the model back.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..indexer.errors import ConfigurationError
from ..indexer.stores.folder import IndexFolder
from ..indexer.stores.ledger_nodes import NodeLedger
from .graph_counts import graph_counts
from .owed import GRAPH, REPORTS, TREE, owed_in
from .owed_files import owed_of

if TYPE_CHECKING:
    from .building import Build
    from .config import Config
    from .loading_models import Models
    from .survey import Survey

_SITUATED = "situated by a model"
"""The note that names the roots whose last build had a model situate chunks."""
_CALLED = {"context": "contexts", TREE: "summaries", GRAPH: "extractions", REPORTS: "reports"}


def lost_writings(
    folder: IndexFolder,
    published: int | None,
    survey: Survey,
    config: Config,
    models: Models,
    without: Collection[str],
) -> dict[str, int]:
    """How many items of each stage a model made for generation ``published`` that a build would make again
    without one, since it has no model at all. With one whatever its settings say is meant; and so is
    ``[context] by = "none"``."""
    if models.llm_asked or published is None:
        return {}
    lost = {"context": _contexts(folder, published, survey) if config.context.by != "none" else 0}
    if TREE not in without and _asked(folder, published, TREE).get("summary") == "model":
        nodes = NodeLedger(folder.ledger).nodes(published)
        lost[TREE] = sum(node.by.startswith("model(") for node in nodes)
    if GRAPH not in without:
        lost |= _of_graph(folder, published)
    return {stage: count for stage, count in lost.items() if count > 0}


def _contexts(folder: IndexFolder, published: int, survey: Survey) -> int:
    """The chunks of files that are to be read again, where a model situated them."""
    again = {change.previous.source for change in survey.changes if change.previous is not None}
    roots = _situated(folder) if again else set()
    held = folder.ledger.documents(published) if roots else ()
    documents = {row.document.id for row in held if row.file in again and row.root in roots}
    if not documents:
        return 0
    files = folder.ledger.files(published).values()
    owed = sum(owed_of(row.recipe).get("context", 0) for row in files if row.source in again)
    return sum(document in documents for _, document in folder.ledger.reading_order(published)) - owed


def _of_graph(folder: IndexFolder, published: int) -> dict[str, int]:
    """The chunks that a model read and the reports that it wrote; of these none where the graph's store does
    not answer, which leaves the graph unmade."""
    asked = _asked(folder, published, GRAPH)
    if "model" not in (asked.get("extract"), asked.get("report")):
        return {}
    owed = owed_in(folder.ledger, published)
    lost: dict[str, int] = {}
    if asked.get("extract") == "model":
        lost[GRAPH] = len(folder.ledger.live_keys(published, "chunks")) - owed.get(GRAPH, 0)
    if asked.get("report") == "model":
        lost[REPORTS] = (graph_counts(folder, published)["communities"] or 0) - owed.get(REPORTS, 0)
    return lost


def _asked(folder: IndexFolder, published: int, structure: str) -> Mapping[str, Any]:
    """The settings that a structure was made with: JSON, and after it the model's name where one was
    asked."""
    made = folder.manifest().generations[published].models.get(structure, "{}")
    settings: Mapping[str, Any] = json.JSONDecoder().raw_decode(made)[0]
    return settings


def told(lost: Mapping[str, int]) -> str:
    """What is to be said of what is lost so, with the ways out."""
    named = ", ".join(f"{count:,} {_CALLED[stage]}" for stage, count in lost.items())
    return (
        "what a language model made of this index would be made again without one, since none is configured: "
        f"{named}. Name the configuration with --config, set its variables, or give --llm MODEL@URL (llm=). "
        "Or say with --yes that no model is to make them"
    )


def check_model(build: Build, survey: Survey, yes: bool, without: Collection[str]) -> None:
    """Count what is made again without the model that made it as degraded. Raises ConfigurationError without
    ``yes``."""
    lost = lost_writings(build.folder, build.published, survey, build.config, build.models, without)
    if lost and not yes:
        raise ConfigurationError(told(lost))
    counts = {f"{_CALLED[stage]} not by a model any more": count for stage, count in lost.items()}
    build.report.add(counts, "degraded")


def note_contexts(build: Build, roots: Iterable[str]) -> None:
    """A build situated all of these roots: remember whether by a model."""
    noted = _situated(build.folder)
    asked = build.config.context.by == "model" and build.models.llm_asked
    now = noted.union(roots) if asked else noted.difference(roots)
    build.folder.ledger.set_note(_SITUATED, json.dumps(sorted(now)))


def _situated(folder: IndexFolder) -> set[str]:
    return set(json.loads(folder.ledger.note(_SITUATED) or "[]"))
