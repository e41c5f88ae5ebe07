"""What an index owes, by stage: pages, contexts, summaries, extractions and reports that a model was to make
and could not be asked for, so that a later build has it make them.

What files and nodes owe is kept with their rows, which have their generations; of the graph, whose store may
be a server, it is noted with each generation that is published.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping

from ..indexer.stores.ledger import Ledger
from ..indexer.stores.ledger_nodes import NodeLedger
from .owed_files import owed_of

GRAPH = "graph"
REPORTS = "graph reports"
TREE = "tree"
_NOTE = "owed of the graph"


def owed_in(ledger: Ledger, generation: int | None) -> dict[str, int]:
    """How many items each stage owes in a generation: pages (``native``, ``ocr``), chunks (``context``,
    ``graph``), nodes (``tree``), communities (``graph reports``). Stages that owe nothing are left out."""
    if generation is None:
        return {}
    owed = Counter(owed_of_graph(ledger, generation))
    for row in ledger.files(generation).values():
        owed.update(owed_of(row.recipe))
    owed[TREE] = NodeLedger(ledger).owed(generation)
    return {stage: count for stage, count in sorted(owed.items()) if count}


def owed_of_graph(ledger: Ledger, generation: int | None) -> dict[str, int]:
    """What is noted that a generation owes of its graph."""
    noted: dict[str, int] = _noted(ledger).get(str(generation), {})
    return noted


def note_graph(ledger: Ledger, generation: int, owed: Mapping[str, int], kept: Collection[int]) -> None:
    """Note what a generation owes of its graph, beside the others that are ``kept``."""
    noted = {g: counts for g, counts in _noted(ledger).items() if int(g) in kept}
    ledger.set_note(_NOTE, json.dumps({**noted, str(generation): dict(owed)}))


def _noted(ledger: Ledger) -> dict[str, dict[str, int]]:
    noted: dict[str, dict[str, int]] = json.loads(ledger.note(_NOTE) or "{}")
    return noted
