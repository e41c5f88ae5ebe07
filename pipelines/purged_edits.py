"""Merges and splits by hand whose names stood in documents that are purged, and nowhere else."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing

from ..indexer.graph.edits import Edits
from ..indexer.stores.folder import IndexFolder
from ..indexer.stores.ports import Filter
from .graph_published import edits_of


def edits_without(folder: IndexFolder, documents: Collection[str]) -> Edits | None:
    """The index's edits but those of a name that, of all documents in the generations that are kept, these
    hold, and no other one of the published generation; None where all stay."""
    edits = edits_of(folder)
    names = {name for merge in edits.merges for name in (merge.first, merge.second)}
    names |= {split.name for split in edits.splits}
    if not names:
        return None
    manifest = folder.manifest()
    theirs, others = set[str](), set[str]()
    with closing(folder.vectors()) as store:
        for generation in manifest.generations:
            with closing(store.read(generation)) as snapshot:
                for row in snapshot.fetch(Filter(kinds=("chunk",))):
                    text = _plain(f"{row.payload['text']}\n{row.payload.get('context', '')}")
                    said = {name for name in names if _plain(name) in text}
                    if row.payload["document"] in documents:
                        theirs |= said
                    elif generation == manifest.published:
                        others |= said
    gone = theirs - others
    if not gone:
        return None
    return Edits(
        tuple(merge for merge in edits.merges if gone.isdisjoint((merge.first, merge.second))),
        tuple(split for split in edits.splits if split.name not in gone),
    )


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
