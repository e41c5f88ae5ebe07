"""What was found in each chunk, kept so that a chunk is read for the graph but once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..graph.extraction import Extraction
from ..graph.extraction_json import extraction_from_json, extraction_to_json
from ..stretches import stretches
from .ledger import Ledger

_BATCH = 500


class ExtractionLedger:
    """Extractions in the ledger's file, by a key that names the chunk's row, its title and the extractor."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def known(self) -> set[str]:
        """The keys of all extractions."""
        return {row["key"] for row in self._ledger.rows("SELECT key FROM extractions")}

    def load(self, keys: Sequence[str]) -> dict[str, Extraction]:
        """Extractions by key; those that are not there are left out."""
        found: dict[str, Extraction] = {}
        for batch in stretches(keys, _BATCH):
            sql = f"SELECT key, body FROM extractions WHERE key IN ({','.join('?' * len(batch))})"
            rows = self._ledger.rows(sql, *batch)
            found.update((row["key"], extraction_from_json(row["body"])) for row in rows)
        return found

    def add(self, extractions: Mapping[str, Extraction]) -> None:
        """Keep these."""
        rows = [(key, extraction_to_json(extraction)) for key, extraction in extractions.items()]
        self._ledger.write("INSERT OR REPLACE INTO extractions VALUES (?,?)", rows)

    def copy(self, keys: Iterable[tuple[str, str]]) -> None:
        """Keep each extraction under a second key, too, where there is one under the first."""
        sql = "INSERT OR IGNORE INTO extractions SELECT ?, body FROM extractions WHERE key = ?"
        self._ledger.write(sql, [(new, old) for old, new in keys])

    def trim(self, keys: Iterable[str]) -> None:
        """Forget all but these."""
        gone = sorted(self.known().difference(keys))
        self._ledger.write("DELETE FROM extractions WHERE key = ?", [(key,) for key in gone])
