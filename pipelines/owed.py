"""What an index owes, by stage: pages, contexts, summaries, extractions and reports that a model was to make
and could not be asked for, and documents that could not be embedded, so that a later build has it make them.

What files and nodes owe is kept with their rows, which have their generations; of the graph, whose store may
be a server, it is noted with each generation that is published.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..indexer.owed import BUDGET_SPENT
from ..indexer.stores.ledger import Ledger
from ..indexer.stores.ledger_nodes import NodeLedger
from ..indexer.stores.ledger_runs import RunLog
from .owed_files import owed_of

EMBED = "embed"
GRAPH = "graph"
REPORTS = "graph reports"
TREE = "tree"
_NOTE = "owed"


@dataclass(frozen=True, slots=True)
class OwedNote:
    """What is noted with a generation: what it owes of its ``graph``, by stage, and the structures that are
    ``provisional``: made from nothing over chunks of which something was owed, with nothing paid for. Those
    are made from nothing again, so that they become what one build would have made."""

    graph: Mapping[str, int] = field(default_factory=dict)
    provisional: frozenset[str] = frozenset()


def owed_in(ledger: Ledger, generation: int | None) -> dict[str, int]:
    """How many items each stage owes in a generation: pages (``native``, ``ocr``), chunks (``context``,
    ``graph``), nodes (``tree``), communities (``graph reports``), documents (``embed``). Stages that owe
    nothing are left out."""
    if generation is None:
        return {}
    owed = owed_of_files(ledger, generation)
    owed.update(read_note(ledger, generation).graph)
    owed[TREE] = NodeLedger(ledger).owed(generation)
    owed[EMBED] = not_embedded(ledger)
    return {stage: count for stage, count in sorted(owed.items()) if count}


def owed_of_files(ledger: Ledger, generation: int) -> Counter[str]:
    """The same of what is read from files and situated in them."""
    owed: Counter[str] = Counter()
    for row in ledger.files(generation).values():
        owed.update(owed_of(row.recipe))
    return owed


def not_embedded(ledger: Ledger) -> int:
    """How many documents are left as they were, or out, since embedding them was not to be paid for."""
    return sum(row.reason == BUDGET_SPENT for row in RunLog(ledger).failures().values())


def owes_chunks(ledger: Ledger, generation: int) -> bool:
    """Whether other chunks are to come into a generation's place once all that is owed of files is made."""
    return bool(not_embedded(ledger) or any(owed_of_files(ledger, generation).values()))


def read_note(ledger: Ledger, generation: int | None) -> OwedNote:
    """What is noted with a generation."""
    noted = _noted(ledger).get(str(generation))
    return OwedNote(noted["graph"], frozenset(noted["provisional"])) if noted else OwedNote()


def write_note(ledger: Ledger, generation: int, note: OwedNote, kept: Collection[int]) -> None:
    """Note this with a generation, beside what is noted with the others that are ``kept``."""
    noted = {g: values for g, values in _noted(ledger).items() if int(g) in kept}
    values = {"graph": dict(note.graph), "provisional": sorted(note.provisional)}
    ledger.set_note(_NOTE, json.dumps({**noted, str(generation): values}))


def _noted(ledger: Ledger) -> dict[str, dict[str, Any]]:
    noted: dict[str, dict[str, Any]] = json.loads(ledger.note(_NOTE) or "{}")
    return noted
