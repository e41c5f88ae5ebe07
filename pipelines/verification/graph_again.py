"""The graph made again from what was found in the chunks, and held against the one that is stored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from ...indexer.errors import StoreError
from ...indexer.graph.assembly import ExtractedChunk, assemble
from ...indexer.graph.extraction import Extraction
from ...indexer.models.ports import Vectors
from ...indexer.owed import owed_key
from ...indexer.stores.folder import IndexFolder
from ...indexer.stores.graph_rows import ChunkPlace, GraphKind, GraphRow, MentionRow, RelationRow
from ...indexer.stores.ledger_extractions import ExtractionLedger
from ...indexer.stores.ports import Filter, VectorSnapshot
from ...indexer.stretches import stretches
from ..extracting import extraction_key
from ..graph_published import edits_of
from .damage import Damage
from .holdings import Holdings

_FETCH = 256


def check_again(folder: IndexFolder, held: Holdings, vectors: VectorSnapshot, damage: Damage) -> bool:
    """Hold the stored graph of a generation against the one that follows from what was found in its chunks.
    Where a stored row is as it was written, what was found in its chunk is what is damaged. Returns whether
    there was all that takes."""
    keys, known = extraction_keys(held), ExtractionLedger(folder.ledger)
    found = known.load(sorted(keys))
    stand_ins = known.load([owed_key(key) for key in sorted(keys.keys() - found.keys())])
    keys = {key if key in found else owed_key(key): chunk for key, chunk in keys.items()}
    found |= stand_ins
    if len(found) < len(held.places):
        return False
    chunks = list(_chunks(held, {chunk: found[key] for key, chunk in keys.items()}, vectors))
    made = assemble(chunks, folder.manifest().index_id, edits_of(folder))
    wanted: dict[GraphKind, dict[str, GraphRow]] = {
        "mention": {row.key: row for row in made.mentions},
        "relation": {row.key: row for row in made.relations},
    }
    otherwise: set[str] = set()
    try:
        with closing(folder.graph()) as store, closing(store.read(held.generation)) as snapshot:
            for kind, rows in wanted.items():
                for stored in snapshot.stored(kind):
                    row = rows.pop(stored.row.key, None)
                    if stored.row.digest == stored.digest and (row is None or row.digest != stored.digest):
                        otherwise |= _rests_on(stored.row) | (_rests_on(row) if row is not None else set())
                otherwise |= {chunk for row in rows.values() for chunk in _rests_on(row)}
    except (StoreError, ValueError):
        return False  # is reported as such
    _note(held, keys, otherwise, damage)
    return True


def extraction_keys(held: Holdings) -> dict[str, str]:
    """What the extraction of each chunk is kept under, with the chunk's id."""
    extractor = held.entry.models.get("extractor", "")
    keys: dict[str, str] = {}
    for marked in held.chunks.values():
        row = held.documents.get(marked.row.document)
        if row is not None:
            keys[extraction_key(marked.row.key, row.document, extractor)] = marked.row.id
    return keys


def _note(held: Holdings, keys: dict[str, str], chunks: set[str], damage: Damage) -> None:
    for key, chunk in keys.items():
        place = held.places.get(chunk)
        if chunk in chunks and place is not None:
            what = "what was found in a chunk is not what the graph was made of"
            source = held.source(place.document)
            damage.add("extraction altered", "ledger", chunk, what, "extract", source, place.pages)
            damage.extractions.add(key)


def _chunks(
    held: Holdings, found: dict[str, Extraction], vectors: VectorSnapshot
) -> Iterator[ExtractedChunk]:
    dense = _dense(held, vectors)
    for chunk, extraction in found.items():
        place = held.places.get(chunk)
        if place is None:
            continue
        document = held.documents[place.document].document
        yield ExtractedChunk(
            ChunkPlace(
                chunk,
                place.document,
                document.source,
                document.title,
                place.ordinal,
                place.pages,
                place.access,
            ),
            extraction,
            document.language,
            dense.get(chunk),
        )


def _dense(held: Holdings, vectors: VectorSnapshot) -> dict[str, Vectors]:
    ids = sorted(held.places)
    found: dict[str, Vectors] = {}
    for batch in stretches(ids, _FETCH):
        for row in vectors.fetch(Filter(kinds=["chunk"], ids=batch), vectors=True):
            if row.dense is not None:
                found[str(row.payload["id"])] = row.dense
    return found


def _rests_on(row: GraphRow | None) -> set[str]:
    if isinstance(row, MentionRow):
        return {row.chunk}
    return {piece.chunk for piece in row.evidence} if isinstance(row, RelationRow) else set()
