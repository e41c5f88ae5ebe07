"""What a build would remove, counted by root before anything is changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..indexer.errors import LoadError
from ..indexer.loaders.detect import detect
from ..indexer.loaders.media import JSONL
from ..indexer.loaders.records import read_records
from ..indexer.sources import Root
from ..indexer.stores.ledger import Ledger
from .survey import Change, Survey

_FREE = 3
"""So many documents of a root may always go without being asked for."""


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


def plan_removal(ledger: Ledger, survey: Survey, roots: Sequence[Root], state: int) -> Removal:
    """Documents of files that are gone, and records that are gone from files that are not.

    ``state`` is the generation whose documents count as held.
    """
    removal = Removal()
    names = {root.name for root in roots}
    gone = {row.source for row in survey.removed}
    for row in ledger.documents(state):
        if row.root in names:
            removal.held[row.root] = removal.held.get(row.root, 0) + 1
            if row.file in gone:
                removal.going.setdefault(row.root, []).append(row.document.source)
    for change in survey.changes:
        for source in _lost_records(ledger, change, state):
            removal.going.setdefault(change.file.root, []).append(source)
    return removal


def _lost_records(ledger: Ledger, change: Change, state: int) -> list[str]:
    """Records that the index holds of a changed file and that the file does not hold any more."""
    if change.previous is None:
        return []
    before = {row.document.source for row in ledger.documents_of(change.previous.source, state)}
    if not any("#" in source for source in before):
        return []
    try:
        if detect(change.file.path) != JSONL:
            return []
        now = {loaded.source for loaded in read_records(change.file.path, change.file.source)}
    except LoadError:
        return []
    renamed = {change.file.source + source.removeprefix(change.previous.source) for source in before}
    return sorted(renamed - now)
