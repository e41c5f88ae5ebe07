"""The ledger's rows held against each other: files and documents, pages and chunks, marks and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from ...indexer.pages import Page
from ...indexer.stores.folder import IndexFolder
from ...indexer.stores.ledger_runs import BuildRow, RunLog
from ...indexer.stores.ports import OPEN
from ...indexer.types import document_id
from ..updates import HANDED_OVER
from .damage import Damage
from .holdings import Holdings, Place

_VERSIONED = {"files": "source", "documents": "id", "chunks": "key", "nodes": "key"}


def check_ledger(folder: IndexFolder, held: Holdings, damage: Damage) -> None:
    """What the ledger says of one generation, once ``held.places`` are known."""
    _files(folder, held, damage)
    _chunk_rows(held, damage)
    places: dict[str, list[Place]] = {}
    for place in held.places.values():
        places.setdefault(place.document, []).append(place)
    hurt = {held.chunks[key].row.document for key in damage.chunks if key in held.chunks}
    for document in held.documents:
        _pages(held, document, damage)
        if document not in hurt:  # what is lost is reported as lost
            _covered(held, document, places.get(document, []), damage)
    _counts(folder, held, damage)


def check_marks(folder: IndexFolder, kept: Sequence[int], newest: int, idle: bool, damage: Damage) -> None:
    """Marks that no build can have made, and rows that no kept generation needs. ``idle``: nobody writes."""
    for table, column in _VERSIONED.items():
        odd = f"""SELECT {column} AS key, since, until FROM {table} WHERE since < 1 OR since > ?
                  OR until <= since OR (until > ? AND until <> ?)"""
        for row in folder.ledger.rows(odd, newest, newest, OPEN):
            what = f"a row of {table} is marked with a generation that never was"
            unended = 1 <= row["since"] <= newest < row["until"]
            damage.add("marks", "ledger", f"{table} {row['key']}", what, "correct" if unended else "sweep")
            (damage.unended if unended else damage.tables).add((table, column, row["key"]))
        if not (idle and kept):
            continue
        ended = f"SELECT {column} AS key FROM {table} WHERE until <= ?"  # those between go with the oldest
        for row in folder.ledger.rows(ended, min(kept)):
            what = f"a row of {table} that no kept generation needs"
            damage.add("ended row", "ledger", f"{table} {row['key']}", what, "sweep")


def _files(folder: IndexFolder, held: Holdings, damage: Damage) -> None:
    sql = "SELECT * FROM files WHERE since <= ? AND until > ?"
    rows = folder.ledger.rows(sql, held.generation, held.generation)
    for source, count in Counter(row["source"] for row in rows).items():
        if count > 1:
            damage.add("file twice", "ledger", source, "a file has two live rows", "read", source)
            damage.sources.add(source)
    files = {row["source"]: row for row in rows}
    roots = {row["name"] for row in folder.ledger.rows("SELECT name FROM roots")}
    for document, row in held.documents.items():
        if row.root == HANDED_OVER:
            continue
        file = files.get(row.file)
        if file is None or file["root"] != row.root:
            what = "the ledger lost the file of a document"
            damage.add("file lost", "ledger", row.file, what, "read", row.file)
            damage.sources.add(row.file)
            if document in damage.documents:  # it is the document that names another file
                damage.tables.add(("documents", "id", document))
        elif row.document.source == row.file and file["version"] != row.document.version:
            what = "a file has another version than the document that it gave"
            damage.add("file altered", "ledger", row.file, what, "read", row.file)
            damage.sources.add(row.file)
        if row.root not in roots:
            what = f"the ledger lost the root {row.root!r}; the next build that names it notes it again"
            damage.add("root lost", "ledger", row.root, what, "none", row.document.source)
        if not row.document.source.startswith(row.file):
            what = "a document's source is not of its file"
            damage.add("document altered", "ledger", document, what, "read", row.file)
            damage.documents.add(document)
            damage.sources.add(row.file)
    _lost(folder, held, set(files), damage)
    for source, file in files.items():
        _sane_file(source, dict(file), held, damage)


def _lost(folder: IndexFolder, held: Holdings, files: set[str], damage: Damage) -> None:
    """Documents that the ledger lost, by the files that they must have come from: a document's id follows
    from its source, unless it was renamed or is a record, and then its file has no document left."""
    index_id = folder.manifest().index_id
    there = held.documents.keys() - {key for table, _, key in damage.tables if table == "documents"}
    gone = {marked.row.document for marked in held.chunks.values()} - there
    known = {source for source in files if document_id(index_id, source) in gone}
    bare = files - {row.file for row in held.documents.values()}
    records = {source for source in files if source.endswith(".jsonl")}
    if len(known) < len(gone):
        known |= bare | records
    for source in sorted(known | (bare - records)):
        what = "a file of which no document, or not every one, is there any more"
        damage.add("document lost", "ledger", source, what, "read", source)
        damage.sources.add(source)


def _sane_file(source: str, file: dict[str, object], held: Holdings, damage: Damage) -> None:
    version = str(file["version"])
    numbers = [file[name] for name in ("size", "mtime_ns", "inode", "seen_ns")]
    whole = all(isinstance(number, int) and number >= 0 for number in numbers)
    if not whole or len(version) != 64 or set(version) - set("0123456789abcdef"):
        damage.add("file altered", "ledger", source, "a file's row cannot be right", "read", source)
        damage.sources.add(source)


def _chunk_rows(held: Holdings, damage: Damage) -> None:
    """Chunks of the ledger: one row an id, each of a document that is there."""
    ids = Counter(marked.row.id for marked in held.chunks.values())
    for key, marked in held.chunks.items():
        row = marked.row
        if ids[row.id] > 1:
            what = "a chunk has two live rows"
            damage.add("chunk twice", "ledger", key, what, "read", held.source(row.document))
            if row.id not in held.places or held.places[row.id].key != key:
                damage.tables.add(("chunks", "key", key))
        if row.document not in held.documents and key not in damage.proven:
            what = "a chunk of a document that is not there"
            damage.add("document lost", "ledger", row.document, what, "read")
            damage.documents.add(row.document)


def _pages(held: Holdings, document: str, damage: Damage) -> None:
    """Every page is counted, in order, and its text follows on that of the one before."""
    row, pages = held.documents[document], held.pages[document]
    faults = []
    if (row.document.page_count or 0) != len(pages):
        faults.append(f"it has {row.document.page_count or 0} pages, and {len(pages)} are accounted for")
    if [page.number for page in pages] != list(range(1, len(pages) + 1)):
        faults.append("its pages are not numbered from 1 on")
    if any(page.end < page.start for page in pages) or any(
        after.start < before.end for before, after in pairwise(pages)
    ):
        faults.append("its pages overlap")
    for fault in faults:
        damage.add("pages", "ledger", document, fault, "read" if row.root else "none", row.document.source)
        damage.documents.add(document)
        damage.sources.add(row.file)


def _covered(held: Holdings, document: str, places: list[Place], damage: Damage) -> None:
    """A document's chunks are counted from 0 and follow on each other, from its first page to its last."""
    row, ordered = held.documents[document], sorted(places, key=lambda place: place.ordinal)
    pages = held.pages[document]
    faults = []
    if [place.ordinal for place in ordered] != list(range(len(ordered))):
        faults.append("its chunks are not numbered from 0 on: one of them is missing or there twice")
    cut = all(place.record is None for place in ordered)
    if cut and any(a.end < b.start for a, b in pairwise(ordered)):
        faults.append("there is a gap between its chunks")
    if cut and pages and ordered and pages[-1].end > max(place.end for place in ordered):
        faults.append("its last page is in no chunk")
    if pages and not ordered and any(page.end > page.start for page in pages):
        faults.append("it has pages with text and no chunk")
    faults += [fault for place in ordered if (fault := _on_pages(place, pages))]
    for fault in faults[:1]:
        damage.add("coverage", "ledger", document, fault, "read" if row.root else "none", row.document.source)
        damage.documents.add(document)
        damage.sources.add(row.file)


def _on_pages(place: Place, pages: Sequence[Page]) -> str:
    """Whether a chunk stands on other pages than it says."""
    if not pages or place.record is not None:
        return ""
    on = [page.number for page in pages if page.start < place.ink[1] and page.end > place.ink[0]]
    told = None if place.pages is None else list(range(place.pages[0], place.pages[1] + 1))
    if on and (told is None or (told[0], told[-1]) != (on[0], on[-1])):
        return f"a chunk says that it is on pages {told}, and stands on {on}"
    return ""


def _counts(folder: IndexFolder, held: Holdings, damage: Damage) -> None:
    """What the build said that it published."""
    row = build_of(folder, held.generation)
    if row is None or row.report is None:
        return
    counted = {
        "pages": sum(each.document.page_count or 0 for each in held.documents.values()),
        "chunks": len(held.chunks),
        "nodes": len(held.nodes),
    }
    wrong = {name: count for name, count in counted.items() if row.report.get(name) not in (None, 0, count)}
    for name, count in wrong.items():
        what = f"the build said {row.report[name]} {name}, and {count} are there"
        damage.add("counter", "ledger", f"{held.generation} {name}", what, "correct")
    if wrong:
        damage.counts[held.generation] = wrong
    base = folder.manifest().generations[held.generation].base
    if row.base != base and base is not None:
        what = f"the manifest says that it stands on generation {base}, the ledger on {row.base}"
        damage.add("base", "manifest", str(held.generation), what, "correct")


def build_of(folder: IndexFolder, generation: int) -> BuildRow | None:
    """The build that published a generation, as the ledger knows it."""
    return RunLog(folder.ledger).build(generation)
