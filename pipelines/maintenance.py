"""Keeping an index: drop ended generations, go back one, say how it stands."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from typing import Any

from ..indexer.errors import GenerationGone, WorkError
from ..indexer.models.usage import known_cost
from ..indexer.pages import Page
from ..indexer.stores.folder import IndexFolder, collect_garbage
from ..indexer.stores.ledger_batches import BatchLedger
from ..indexer.stores.ledger_history import RunHistory
from ..indexer.stores.ledger_rows import DocumentRow
from ..indexer.stores.ledger_runs import RunLog
from ..indexer.stores.locks import leased_generations, writer_lock
from ..indexer.stores.manifest import Generation, write_manifest
from ..indexer.types import Document
from .coverage import coverage_of
from .graph_counts import graph_counts
from .opening import index_path
from .owed import owed_in
from .owed_items import owed_items
from .planning.beside import plan_beside
from .recording import note_published, recorded
from .runs import last_build

IndexPath = str | os.PathLike[str] | None


def gc(index: IndexPath = None) -> dict[str, Any]:
    """Drop what no kept generation needs. Returns how many generations and rows went."""
    with writing(index, "gc") as folder:
        return {"schema": 1, **collect_garbage(folder), "published": folder.manifest().published}


def rollback(index: IndexPath = None) -> dict[str, Any]:
    """Publish the generation before the published one. Raises GenerationGone where there is none."""
    with writing(index, "rollback") as folder:
        manifest = folder.manifest()
        now = manifest.published
        entry = manifest.generations.get(now) if now is not None else None
        before = entry.base if entry else None
        if before is None or before not in manifest.generations:
            raise GenerationGone(f"there is no generation before {now} to go back to")
        write_manifest(folder.path, replace(manifest, published=before))
        note_published(before)
        return {"schema": 1, "published": before, "rolled_back": now}


def status(index: IndexPath = None, failed_only: bool = False, owed_only: bool = False) -> dict[str, Any]:
    """What the index holds, how it was made, what failed and why, what models owe it, what it cost."""
    folder = IndexFolder.open(index_path(index))
    try:
        owing = [item.to_json() for item in owed_items(folder)] if not failed_only else []
        if owed_only:
            return {"schema": 1, "owing": owing}
        log = RunLog(folder.ledger)
        failures = [_failure(asdict(row)) for row in log.failures().values()]
        if failed_only:
            return {"schema": 1, "failed": failures}
        return {
            "schema": 1,
            "index": str(folder.path),
            **_holdings(folder, log),
            "owing": owing,
            "failed": failures,
        }
    finally:
        folder.close()


def _holdings(folder: IndexFolder, log: RunLog) -> dict[str, Any]:
    manifest = folder.manifest()
    published = manifest.published
    entry = manifest.generations.get(published) if published is not None else None
    rows = folder.ledger.documents(published) if published is not None else []
    running = log.running()
    return {
        "index_id": manifest.index_id,
        "format": manifest.format,
        "generation": published,
        "generations": {str(n): {"built": g.built, "base": g.base} for n, g in manifest.generations.items()},
        "unfinished": running.generation if running else None,
        "readers": {str(g): pids for g, pids in leased_generations(folder.path).items()},
        "built": entry.built if entry else None,
        "models": dict(entry.models) if entry else {},
        "dimension": entry.dimension if entry else None,
        "structures": {
            name: {"generation": g, "behind": g != published} for name, g in entry.structures.items()
        }
        if entry
        else {},
        "stores": dict(manifest.stores),
        "lost": _lost(folder, published),
        "sources": _sources(folder, rows),
        "documents": _documents(folder, rows, published or 0),
        "redacted": _redacted(rows),
        "pages": sum(row.document.page_count or 0 for row in rows),
        "chunks": folder.ledger.count("chunks", published) if published is not None else 0,
        "nodes": _nodes(folder, published, entry),
        **graph_counts(folder, published),
        "owed": owed_in(folder.ledger, published),
        "waiting": BatchLedger(folder.ledger).counts()[0],
        "spend": {stage: _spend(counts) for stage, counts in log.spent().items()},
        "last_build": last_build(RunHistory(folder.ledger)),
        "plan": plan_beside(folder.ledger),
    }


def _lost(folder: IndexFolder, published: int | None) -> str | None:
    """What of the embedded vectors of the published generation is not there any more, and what to do. A
    server is not asked: it may be away."""
    from ..indexer.stores.edge import EdgeVectorStore

    if published is None or "qdrant_url" in folder.manifest().stores:
        return None
    with closing(folder.vectors()) as store:
        assert isinstance(store, EdgeVectorStore)
        try:
            store.require(published)
        except WorkError as error:
            return str(error)
    return None


def _spend(counts: Mapping[str, float]) -> dict[str, float | None]:
    """What a stage spent; its cost is None where prices are not known."""
    if "cost" not in counts:
        return dict(counts)
    tokens = counts.get("tokens_in", 0) + counts.get("tokens_out", 0)
    return {**counts, "cost": known_cost(counts["cost"], tokens)}


def _nodes(folder: IndexFolder, published: int | None, entry: Generation | None) -> int:
    """How many summaries the tree has; an older ledger knows of none."""
    held = published is not None and entry is not None and "tree" in entry.structures
    return folder.ledger.count("nodes", published) if held and published is not None else 0


def _redacted(rows: Sequence[DocumentRow]) -> dict[str, int]:
    """How many secrets placeholders stand for in these documents, by kind."""
    return dict(sorted(sum((Counter(row.document.redacted) for row in rows), Counter[str]()).items()))


def _sources(folder: IndexFolder, rows: Sequence[DocumentRow]) -> dict[str, Any]:
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.root] = counts.get(row.root, 0) + 1
    specs = {row["name"]: row["spec"] for row in folder.ledger.rows("SELECT name, spec FROM roots")}
    return {name: {"documents": count, "spec": specs.get(name)} for name, count in sorted(counts.items())}


def _documents(folder: IndexFolder, rows: Sequence[DocumentRow], generation: int) -> list[dict[str, Any]]:
    pages, chunks = folder.ledger.all_pages(generation), folder.ledger.chunk_counts(generation)
    return [_document(row.document, pages[row.document.id], chunks.get(row.document.id, 0)) for row in rows]


def _document(document: Document, pages: Sequence[Page], chunks: int) -> dict[str, Any]:
    """A document with its coverage: pages by way of reading and why, and those that gave nothing."""
    coverage = coverage_of(pages)
    return {
        "id": document.id,
        "source": document.source,
        "title": document.title,
        "language": document.language,
        "labels": list(document.labels),
        "pages": document.page_count,
        "read": dict(coverage.read),
        "why": dict(coverage.why),
        "empty_pages": [page.number for page in pages if page.end == page.start],
        "unreadable_pages": list(coverage.unreadable),
        "images": sum(len(page.figures) for page in pages),
        "redacted": dict(document.redacted),
        "withheld_pages": list(document.withheld),
        "chunks": chunks,
    }


def _failure(row: Mapping[str, Any]) -> dict[str, Any]:
    told = {key: row[key] for key in ("source", "reason", "message", "stale", "first_seen")}
    return {**told, "known": row["reported"]}


@contextmanager
def writing(index: IndexPath, command: str) -> Iterator[IndexFolder]:
    """The index's folder under its writer's lock, for a run of ``command``, which the history of runs then
    has. Raises IndexNotFound, IndexLocked and IndexIncompatible."""
    path = index_path(index)
    with recorded(path, command) as run:
        IndexFolder.open(path).close()
        with writer_lock(path), closing(IndexFolder.open(path)) as folder:
            run.begin(folder)
            yield folder
