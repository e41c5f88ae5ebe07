"""What was found in chunks for the graph held against the chunks: all of it, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from ...indexer.owed import CALL_FAILED, owed_key
from ...indexer.stores.folder import IndexFolder
from ...indexer.stores.ledger_extractions import ExtractionLedger
from ...indexer.stretches import stretches
from .damage import Damage
from .graph_again import extraction_keys
from .holdings import Holdings
from .ledger_rows import build_of

_FETCH = 256


def check_extractions(folder: IndexFolder, held: Holdings, damage: Damage) -> None:
    """What was found in each chunk of the published generation is kept, and nothing else."""
    known = ExtractionLedger(folder.ledger)
    if not held.whole("graph"):
        return
    wanted = extraction_keys(held)
    there = known.known()
    owed = {owed_key(key): chunk for key, chunk in wanted.items() if owed_key(key) in there}
    wanted = {key: chunk for key, chunk in wanted.items() if owed_key(key) not in owed} | owed
    missing = sorted(wanted.keys() - there)
    build = build_of(folder, held.generation)
    unanswered = (build.report or {}).get("degraded", {}).get(CALL_FAILED, 0) if build else 0
    if len(missing) > unanswered:
        for key in missing:
            place = held.places.get(wanted[key])
            source, pages = (held.source(place.document), place.pages) if place else ("", None)
            what = "what was found in a chunk for the graph is gone"
            damage.add("extraction lost", "ledger", wanted[key], what, "extract", source, pages)
            damage.extractions.add(key)
    for key in sorted(there - wanted.keys()):
        damage.add("extraction", "ledger", key, "something was found in a chunk that is not there", "sweep")
        damage.tables.add(("extractions", "key", key))
    _readable(known, sorted(wanted.keys() & there), wanted, damage)


def _readable(known: ExtractionLedger, keys: Sequence[str], chunks: dict[str, str], damage: Damage) -> None:
    for batch in stretches(keys, _FETCH):
        try:
            known.load(batch)
        except (ValueError, KeyError, TypeError):
            for key in batch:
                try:
                    known.load([key])
                except (ValueError, KeyError, TypeError):
                    what = "what was found in a chunk for the graph cannot be read"
                    damage.add("extraction altered", "ledger", chunks[key], what, "extract")
                    damage.extractions.add(key)
                    damage.tables.add(("extractions", "key", key))
