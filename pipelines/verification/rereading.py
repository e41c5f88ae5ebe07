"""Documents into the generation of a repair: from what their rows still prove, else from their files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from typing import Any

from ...indexer.digests import digest
from ...indexer.errors import GenerationGone, LoadError, StoreError, TreegraphError, WorkError
from ...indexer.owed import BUDGET_SPENT
from ...indexer.sources import SourceFile, Walk, parse_roots, read_stable, walk
from ...indexer.stores.ledger_rows import DocumentRow
from ...indexer.stores.ports import Filter, Row, VectorSnapshot
from ...indexer.stretches import stretches
from ..building import Build
from ..generation import GenerationBuilder
from ..mirroring import Mirroring
from ..preparation import Prepared
from ..recipe import recipes
from ..rows import encoders_digest, row_key
from ..survey import Change, Survey
from .damage import Damage
from .texts import embedded_text, stored_chunk

_FETCH = 256


class Rereading:
    """Puts what is damaged of an index's documents into the generation that is being built.

    A document whose ledger row is sound and each of whose chunks some generation still proves is made of
    those; any other is read from its file, if that is there unchanged and would be read the same. Of what is
    neither, the damaged chunks end, and the file is marked to be read by the next build.
    """

    def __init__(self, build: Build, damage: Damage, published: int) -> None:
        self._build = build
        self._damage = damage
        self._published = published
        self._ledger = build.folder.ledger
        entry = build.folder.manifest().generations[published]
        self._stamp = encoders_digest(entry.models)

    def run(self, builder: GenerationBuilder) -> None:
        """Do it, and mark what cannot be done."""
        if self._lost_store():
            builder.store.start_empty()
        builder.store.end_strays(sorted(self._damage.strays))
        damaged = self._documents()
        proven = {name for name in damaged if self._from_rows(builder, name)}
        self._build.accounts.note_failures(builder.drain() if proven else [])
        files = {row.file for name, row in damaged.items() if name not in proven}
        files |= self._damage.sources
        read = self._from_files(builder, files) if files else set()
        self._require_paid()
        for file in sorted(files - read):
            self._mark(builder, file)

    def _require_paid(self) -> None:
        """Raise WorkError where a cap left no room to embed what is damaged: it would stay so."""
        left = [one for one in self._build.report.failed if one.reason == BUDGET_SPENT]
        if left:
            raise WorkError(
                f"the repair is not done, {len(left):,} documents could not be embedded: {left[0].message}. "
                "Readers keep the generation that they have; what was embedded is kept, and the same command "
                "goes on from there"
            )

    def _lost_store(self) -> bool:
        return any(
            one.kind == "vectors unreadable" and one.id == str(self._published)
            for one in self._damage.findings.values()
        )

    def _documents(self) -> dict[str, DocumentRow]:
        """The documents with chunks that must be written again, or that are damaged themselves."""
        names = set(self._damage.documents)
        for row in self._ledger.rows("SELECT key, document FROM chunks"):
            if row["key"] in self._damage.chunks:
                names.add(row["document"])
        held = {row.document.id: row for row in self._ledger.documents(self._build.h)}
        return {name: held[name] for name in sorted(names) if name in held}

    def _from_rows(self, builder: GenerationBuilder, name: str) -> bool:
        """Put a document made of its own rows; returns whether each of them is proven."""
        row = self._ledger.document(name, self._build.h)
        if row is None or name in self._damage.documents or row.file in self._damage.sources:
            return False
        keys = {chunk.key: chunk.id for chunk in self._ledger.chunks(name, self._build.h)}
        found = self._proven(list(keys), keys)
        if len(found) < len(keys):
            return False
        chunks = sorted((stored_chunk(payload) for payload in found.values()), key=lambda one: one.ordinal)
        pages = self._ledger.pages(name, self._build.h)
        self._build.accounts.note_failures(
            builder.put(Prepared(row.document, row.file, row.root, chunks, pages))
        )
        return True

    def _proven(self, keys: Sequence[str], ids: Mapping[str, str]) -> dict[str, Mapping[str, Any]]:
        """The payloads that some kept generation proves, by key."""
        found: dict[str, Mapping[str, Any]] = {}
        with ExitStack() as stack:
            for snapshot in self._snapshots(stack):
                missing = [key for key in keys if key not in found]
                for batch in stretches(missing, _FETCH):
                    for row in snapshot.fetch(Filter(keys=batch)):
                        if self._proves(row, ids[row.key]):
                            found[row.key] = row.payload
        return found

    def _snapshots(self, stack: ExitStack) -> Iterator[VectorSnapshot]:
        """The generations that are kept, newest first, as far as they can be read."""
        folder = self._build.folder
        store = stack.enter_context(closing(folder.vectors()))
        for number in sorted(folder.manifest().generations, reverse=True):
            try:
                yield stack.enter_context(closing(store.read(number)))
            except (StoreError, GenerationGone):
                continue

    def _proves(self, row: Row, name: str) -> bool:
        payload = row.payload
        if payload.get("id") != name or payload.get("kind") != "chunk":
            return False
        try:
            embedded = digest([self._stamp, payload["language"], embedded_text(payload)])
        except (KeyError, TypeError, ValueError, IndexError):
            return False
        whole = digest([payload, embedded])
        sql = "SELECT since FROM chunks WHERE key = ?"
        return any(row_key(name, each["since"], whole) == row.key for each in self._ledger.rows(sql, row.key))

    def _from_files(self, builder: GenerationBuilder, files: set[str]) -> set[str]:
        """Read those of these files that are there unchanged; returns them."""
        changes = [change for file in self._found(files) if (change := self._change(file)) is not None]
        if changes:
            Mirroring(self._build, [], Survey(), Walk([])).read(builder, changes)
        failed = {failure.source for failure in self._build.report.failed}
        return {change.file.source for change in changes} - failed

    def _found(self, files: set[str]) -> list[SourceFile]:
        specs = [(row["name"], row["spec"]) for row in self._ledger.rows("SELECT name, spec FROM roots")]
        found: list[SourceFile] = []
        for name, spec in specs:
            try:
                roots = parse_roots([spec])
                roots = roots if roots[0].name == name else parse_roots([f"{name}={spec}"])
                found += [
                    file for file in walk(roots, self._build.config.ignore).files if file.source in files
                ]
            except TreegraphError:
                continue  # the root is not there, and neither are its files
        return found

    def _change(self, file: SourceFile) -> Change | None:
        """A file as a change, None where it is not what the index was made of."""
        recipe = recipes(self._build.config, None, self._build.models.llm_asked)(file)
        row = self._ledger.files(self._build.h).get(file.source)
        try:
            version = read_stable(file.path, file)
        except LoadError:
            return None
        rows = self._ledger.documents_of(file.source, file.root, self._build.h)
        versions = {row.version} if row and row.version else set()
        versions |= {each.document.version for each in rows if each.document.source == file.source}
        unread = row is None or file.source in self._damage.sources
        if version not in versions and versions:
            return None
        if row is not None and not unread and not self._build.readers.stands(row.recipe, recipe):
            return None
        return Change(file, version, recipe, file.mtime_ns, row)

    def _mark(self, builder: GenerationBuilder, file: str) -> None:
        """A file that cannot be read now: what is damaged of it ends, and the next build reads it."""
        h = self._build.h
        self._ledger.write("UPDATE files SET recipe = '' WHERE source = ?", [(file,)])
        for row in self._ledger.documents(h):
            if row.file == file:
                gone = [
                    c.key for c in self._ledger.chunks(row.document.id, h) if c.key in self._damage.chunks
                ]
                self._ledger.end_chunks(gone, h)
