"""Merges and splits by hand whose names stood in documents that are purged, and nowhere else."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing

from ..indexer.graph.edits import Edits
from ..indexer.stores.folder import IndexFolder
from ..indexer.stores.ports import Filter
from .graph_stage import edits_of


def edits_without(folder: IndexFolder, published: int | None, documents: Collection[str]) -> Edits | None:
    """The index's edits but those of a name that, in the published generation, only these documents hold;
    None where all stay."""
    edits = edits_of(folder)
    names = {name for merge in edits.merges for name in (merge.first, merge.second)}
    names |= {split.name for split in edits.splits}
    if not names or published is None:
        return None
    theirs, others = set[str](), set[str]()
    with closing(folder.vectors()) as store, closing(store.read(published)) as snapshot:
        for row in snapshot.fetch(Filter(kinds=("chunk",))):
            text = f"{row.payload['text']}\n{row.payload.get('context', '')}".casefold()
            said = {name for name in names if name.casefold() in text}
            (theirs if row.payload["document"] in documents else others).update(said)
    gone = theirs - others
    if not gone:
        return None
    return Edits(
        tuple(merge for merge in edits.merges if gone.isdisjoint((merge.first, merge.second))),
        tuple(split for split in edits.splits if split.name not in gone),
    )
