"""What a build would remove, counted by root before anything is changed, and how much it may."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..indexer.errors import ConfigurationError, LoadError, RemovalRefused
from ..indexer.loaders.detect import detect
from ..indexer.loaders.media import JSONL
from ..indexer.loaders.records import read_records
from ..indexer.sources import Root
from ..indexer.stores.ledger import Ledger
from ..indexer.stores.ledger_rows import DocumentRow
from .defaults import MAX_REMOVED
from .survey import Change, Survey

_FREE = 3
"""So many documents of a root may always go without being asked for."""
_LISTED = 50


@dataclass(slots=True)
class Removal:
    """Sources that would go and how many documents there are, by the name of their root."""

    held: dict[str, int] = field(default_factory=dict)
    going: dict[str, list[str]] = field(default_factory=dict)

    def excess(self, share: float) -> list[str]:
        """The sources of every root that would lose more than ``share`` of its documents."""
        return [
            source
            for root, sources in sorted(self.going.items())
            if len(sources) > _FREE and len(sources) > share * self.held[root]
            for source in sorted(sources)
        ]


@dataclass(frozen=True, slots=True)
class RemovalLimit:
    """How much may go: ``max_removed`` is a share of a root's documents; ``yes`` allows any."""

    max_removed: float = MAX_REMOVED
    yes: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.max_removed <= 1:
            raise ConfigurationError(f"--max-removed is a share between 0 and 1, not {self.max_removed}")

    def check(self, removal: Removal) -> None:
        """Raise RemovalRefused where more would go than allowed."""
        excess = [] if self.yes else removal.excess(self.max_removed)
        if not excess:
            return
        listed = "\n".join(f"  {source}" for source in excess[:_LISTED])
        more = f"\n  and {len(excess) - _LISTED} more" if len(excess) > _LISTED else ""
        raise RemovalRefused(
            f"this would remove {len(excess)} documents, more than --max-removed {self.max_removed:.0%} of a "
            f"source allows; nothing was changed. Run it with --yes to remove:\n{listed}{more}"
        )


def removal_of(rows: Sequence[DocumentRow], gone: Sequence[DocumentRow]) -> Removal:
    """The removal of the documents ``gone`` from ``rows``."""
    removal = Removal()
    for row in rows:
        removal.held[row.root] = removal.held.get(row.root, 0) + 1
    for row in gone:
        removal.going.setdefault(row.root, []).append(row.document.source)
    return removal


def plan_removal(ledger: Ledger, survey: Survey, roots: Sequence[Root], state: int) -> Removal:
    """Documents of files that are gone, and records that are gone from files that are not.

    ``state`` is the generation whose documents count as held.
    """
    names = {root.name for root in roots}
    files = {row.source for row in survey.removed}
    rows = [row for row in ledger.documents(state) if row.root in names]
    removal = removal_of(rows, [row for row in rows if row.file in files])
    for change in survey.changes:
        lost = _lost_records(ledger, change, state)
        if lost:
            removal.going.setdefault(change.file.root, []).extend(lost)
    return removal


def _lost_records(ledger: Ledger, change: Change, state: int) -> list[str]:
    """Records that the index holds of a changed file and that the file does not hold any more."""
    before = change.previous
    if before is None:
        return []
    rows = ledger.documents_of(before.source, before.root, state)
    records = {row.document.source for row in rows} - {before.source}
    if not records:
        return []
    renamed = {change.file.source + source.removeprefix(before.source) for source in records}
    try:
        if detect(change.file.path) == JSONL:
            renamed -= {loaded.source for loaded in read_records(change.file.path, change.file.source)}
    except LoadError:
        return []  # a file that cannot be read keeps its last good version
    return sorted(renamed)
