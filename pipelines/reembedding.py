"""Embedding an index anew, by other models: chunks, contexts, summaries and extractions stay as they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..indexer.errors import BudgetSpent, Cancelled, WorkError
from ..indexer.stores.ledger_extractions import ExtractionLedger
from ..indexer.stores.ledger_rows import DocumentRow
from .events import Event
from .extracting import extraction_key
from .generation import GenerationBuilder, Staged
from .graph_published import extractor_of
from .leaves import rows_lost
from .preparation import Prepared
from .verification.texts import stored_chunk

if TYPE_CHECKING:
    from .building import Build


def reembed(build: Build, builder: GenerationBuilder) -> None:
    """Have the generation being built hold every chunk of the published one, embedded by the models of this
    build. Raises Cancelled; what was embedded is kept.

    Nodes follow with the tree, which finds their summaries made and their vectors not.
    """
    documents = build.folder.ledger.documents(builder.h)
    for done, row in enumerate(documents):
        build.listen(Event("reembed", done, len(documents), "documents", row.document.source))
        if build.cancel.is_set():
            raise Cancelled("stopped; what was embedded is kept, and the same command goes on from there")
        _note(build, builder.put(_prepared(build, builder, row)), len(documents))
    _note(build, builder.drain(), len(documents))
    build.listen(Event("reembed", len(documents), len(documents), "documents"))
    _keep_extractions(build, builder)


def _note(build: Build, staged: Iterable[Staged], documents: int) -> None:
    """Note failures. Raises WorkError at a cap: half of an index in other vectors is none."""
    seen = list(staged)
    build.accounts.note_failures(seen)
    if refused := next((one.error for one in seen if isinstance(one.error, BudgetSpent)), None):
        raise WorkError(
            f"embedding {documents:,} documents anew is not done: {refused}. Readers keep the generation "
            "that they have; what was embedded is kept, and the same command goes on from there"
        )


def _prepared(build: Build, builder: GenerationBuilder, row: DocumentRow) -> Prepared:
    """A document as its rows hold it."""
    ledger, h = build.folder.ledger, builder.h
    keys = [chunk.key for chunk in ledger.chunks(row.document.id, h)]
    stored = builder.store.fetch(keys)
    if len(stored) < len(keys):
        raise rows_lost(len(keys) - len(stored))
    chunks = sorted((stored_chunk(each.payload) for each in stored.values()), key=lambda one: one.ordinal)
    return Prepared(row.document, row.file, row.root, chunks, ledger.pages(row.document.id, h))


def _keep_extractions(build: Build, builder: GenerationBuilder) -> None:
    """What was found in a chunk is kept under its row, which is another one now."""
    ledger, base = build.folder.ledger, builder.base
    extractor = extractor_of(build.folder.manifest().generations[base]) if base is not None else None
    if extractor is None or base is None:
        return
    pairs: list[tuple[str, str]] = []
    for row in ledger.documents(builder.h):
        before = {chunk.id: chunk.key for chunk in ledger.chunks(row.document.id, base)}
        for chunk in ledger.chunks(row.document.id, builder.h):
            if chunk.id in before:
                keys = (before[chunk.id], chunk.key)
                old, new = (extraction_key(key, row.document, extractor) for key in keys)
                pairs.append((old, new))
    ExtractionLedger(ledger).copy(pairs)
