"""What an index owes, by name: of which documents, on which pages and in which sections."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

from ..indexer.errors import InvalidModelOutput, PictureUnreadable, StoreError
from ..indexer.owed import BUDGET_SPENT, is_owed, owed_key
from ..indexer.stores.folder import IndexFolder
from ..indexer.stores.graph_rows import CommunityRow
from ..indexer.stores.ledger_extractions import ExtractionLedger
from ..indexer.stores.ledger_nodes import NodeLedger
from ..indexer.stores.ledger_runs import RunLog
from .extracting import extraction_key
from .graph_published import extractor_of
from .leaves import kept_places
from .owed import EMBED, GRAPH, REPORTS, TREE, owed_in
from .owed_files import owed_of

_READING = ("native", "ocr")
_FOR_GOOD = (InvalidModelOutput("").reason, PictureUnreadable("").reason)


@dataclass(frozen=True, slots=True)
class OwedItem:
    """What one stage owes of the documents ``sources`` (several where a summary or a report rests on them,
    none where they are not known any more): how many items, and as far as it is known the ``pages`` and the
    ``sections`` that they stand on, of a report the names that it is about."""

    stage: str
    sources: tuple[str, ...]
    count: int
    pages: tuple[int, ...] = ()
    sections: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The item under the outside contract."""
        return {
            **asdict(self),
            **{name: list(getattr(self, name)) for name in ("sources", "pages", "sections")},
        }


def owed_items(folder: IndexFolder) -> list[OwedItem]:
    """All that the published generation owes, by stage and sources. The counts of a stage add up to those of
    :func:`.owed.owed_in`."""
    generation = folder.manifest().published
    owed = owed_in(folder.ledger, generation)
    if generation is None or not owed:
        return []
    found = [*_of_files(folder, generation)]
    for stage, items in ((EMBED, _unpaid), (TREE, _nodes), (GRAPH, _chunks), (REPORTS, _reports)):
        if stage in owed:
            found += items(folder, generation)
    told = Counter[str]()
    for item in found:
        told[item.stage] += item.count
    rest = (OwedItem(stage, (), count - told[stage]) for stage, count in owed.items() if count > told[stage])
    return sorted([*found, *rest], key=lambda item: (item.stage, item.sources))


class _Gathered:
    """Items of one stage, those of the same documents together."""

    def __init__(self, stage: str) -> None:
        self._stage = stage
        self._counts: Counter[tuple[str, ...]] = Counter()
        self._pages: defaultdict[tuple[str, ...], set[int]] = defaultdict(set)
        self._sections: defaultdict[tuple[str, ...], dict[str, None]] = defaultdict(dict)

    def add(self, sources: Iterable[str], section: str = "", pages: tuple[int, int] | None = None) -> None:
        """Count one item."""
        key = tuple(sorted(sources))
        self._counts[key] += 1
        if section:
            self._sections[key][section] = None
        if pages is not None:
            self._pages[key].update(range(pages[0], pages[1] + 1))

    def items(self) -> Iterator[OwedItem]:
        """An item for each set of documents."""
        for key, count in self._counts.items():
            yield OwedItem(
                self._stage, key, count, tuple(sorted(self._pages[key])), tuple(self._sections[key])
            )


def _of_files(folder: IndexFolder, generation: int) -> Iterator[OwedItem]:
    """Pages and contexts, which are counted by file."""
    files = {
        row.source: owed for row in folder.ledger.files(generation).values() if (owed := owed_of(row.recipe))
    }
    pages: defaultdict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    known = folder.ledger.all_pages(generation) if files else {}
    for row in folder.ledger.documents(generation) if files else ():
        for page in known[row.document.id] if row.file in files else ():
            for stage in _READING:
                if any(_again(part, stage) for part in page.why.split("; ")):
                    pages[row.file][stage].add(page.number)
    for source, owed in files.items():
        for stage, count in owed.items():
            yield OwedItem(stage, (source,), count, tuple(sorted(pages[source][stage])))


def _again(told: str, stage: str) -> bool:
    """Whether a page was not read in a way for a reason that may be over another day."""
    failed, _, reason = told.partition(": ")
    return failed == f"{stage} failed" and reason not in _FOR_GOOD


def _sources(folder: IndexFolder, generation: int) -> Mapping[str, str]:
    return {row.document.id: row.document.source for row in folder.ledger.documents(generation)}


def _unpaid(folder: IndexFolder, generation: int) -> Iterator[OwedItem]:
    """Documents that are left out, or as they were, since embedding them was not to be paid for."""
    for failure in RunLog(folder.ledger).failures().values():
        if failure.reason == BUDGET_SPENT:
            yield OwedItem(EMBED, (failure.source,), 1)


def _nodes(folder: IndexFolder, generation: int) -> Iterator[OwedItem]:
    sources, gathered = _sources(folder, generation), _Gathered(TREE)
    for node in NodeLedger(folder.ledger).nodes(generation):
        if is_owed(node.made):
            named = " > ".join(node.branch.section) or node.branch.title
            gathered.add((sources[name] for name in node.documents if name in sources), named)
    yield from gathered.items()


def _chunks(folder: IndexFolder, generation: int) -> Iterator[OwedItem]:
    """The chunks that a model is still to read for the graph."""
    extractor = extractor_of(folder.manifest().generations[generation])
    gathered, known = _Gathered(GRAPH), ExtractionLedger(folder.ledger).known()
    places = kept_places(folder.path)
    for row in folder.ledger.documents(generation) if extractor is not None else ():
        for chunk in folder.ledger.chunks(row.document.id, generation):
            key = extraction_key(chunk.key, row.document, extractor or "")
            if key not in known and owed_key(key) in known:
                section, pages = places.get(chunk.key, ((), None))
                gathered.add((row.document.source,), " > ".join(section), pages)
    yield from gathered.items()


def _reports(folder: IndexFolder, generation: int) -> Iterator[OwedItem]:
    """The reports of communities; none where the graph's store does not answer."""
    sources, gathered = _sources(folder, generation), _Gathered(REPORTS)
    try:
        with closing(folder.graph()) as store, closing(store.read(generation)) as snapshot:
            rows = [each.row for each in snapshot.stored("community")]
    except (StoreError, ValueError):
        return
    for row in rows:
        if isinstance(row, CommunityRow) and is_owed(row.made):
            gathered.add((sources[name] for name in row.documents if name in sources), row.title)
    yield from gathered.items()
