"""From what was read of a file to named documents with situated chunks."""

from __future__ import annotations

import threading
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..indexer.chunking import cut
from ..indexer.context import situate
from ..indexer.errors import LoadError
from ..indexer.language import detect_language
from ..indexer.loaders.loaded import Loaded
from ..indexer.metadata import describe, read_sidecar
from ..indexer.models.call_cache import CallCache
from ..indexer.models.ports import Tokenizer
from ..indexer.redaction.content import redact_document
from ..indexer.stores.ledger import Ledger
from ..indexer.types import Chunk, Document, document_id
from .config import Config
from .loading_models import Models
from .model_counts import ModelCounts
from .preparation import FileOrder, Prepared
from .survey import Change

if TYPE_CHECKING:
    from ..indexer.redaction.finder import Redactor


@dataclass(slots=True)
class Situating:
    """Cuts documents and situates their chunks; ``counts`` are the model calls that this took."""

    config: Config
    tokenizer: Tokenizer
    models: Models
    cache: CallCache
    cancel: threading.Event
    redactor: Redactor | None = None
    counts: ModelCounts = field(default_factory=ModelCounts)

    def prepare(self, loaded: Loaded, place: Place) -> Prepared:
        """Raises BadMetadata where rules or sidecar say what cannot be."""
        content = loaded.content
        assert content is not None
        if content.language is None:
            content = replace(content, language=detect_language(content.text))
        document = self._described(replace(loaded, content=content), place)
        chunks, owed = self._chunks(document)
        bare = replace(document, content=None)
        return Prepared(bare, place.file, place.root, chunks, content.pages, owed)

    def _described(self, loaded: Loaded, place: Place) -> Document:
        try:
            document = describe(
                loaded,
                id=place.id,
                rules=self.config.documents,
                sidecar=read_sidecar(place.sidecar),
                unlabelled=self.config.access.unlabelled,
            )
        except LoadError as error:
            if self.redactor is not None:
                self.redactor.silence(error)
            raise
        return document if self.redactor is None else redact_document(document, self.redactor)

    def _chunks(self, document: Document) -> tuple[list[Chunk], int]:
        """The chunks of a document, and of how many the context is owed."""
        settings = self.config
        embedder = self.models.embedder() if settings.chunk.by == "semantic" else None
        chunks = cut(document, self.tokenizer, settings.chunk, embedder)
        chunks = situate(document, chunks, settings.context, self.tokenizer)
        llm = self.models.llm() if settings.context.by == "model" else None
        if llm is None:
            return chunks, 0
        from ..indexer.contextual import write_contexts

        outcome = write_contexts(document, chunks, llm, self.cache, settings.context, self.cancel)
        self.counts.add(
            calls=outcome.calls,
            cached=outcome.cached_calls,
            tokens_in=outcome.tokens_in,
            tokens_out=outcome.tokens_out,
            cost=outcome.cost,
            estimated=outcome.estimated,
            fallen_back=outcome.failures,
        )
        return list(outcome.chunks), outcome.owed


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document belongs: its id, its file and root, and the sidecar that describes it."""

    id: str
    file: str
    root: str
    sidecar: Path | None = None


class FileSituating:
    """Situates the documents of files, each under the id that it has or comes to have in the index
    ``index_id``. ``moved`` are the ids of documents that go by another source than the one they were made
    of."""

    def __init__(self, situating: Situating, index_id: str, moved: Collection[str] = ()) -> None:
        self._situating = situating
        self._index_id = index_id
        self._moved = moved
        self._file = ""
        self._new: set[str] = set()

    def __call__(self, order: FileOrder, loaded: Loaded) -> Prepared:
        """Raises BadMetadata where rules or sidecar say what cannot be."""
        file = order.change.file
        if self._file != file.source:
            self._file, self._new = file.source, set()
        own = order.ids.get(loaded.source) or self._new_id(loaded.source)
        place = Place(own, file.source, file.root, file.sidecar)
        return self._situating.prepare(loaded, place)

    def _new_id(self, source: str) -> str:
        """The id of a first source; where a renamed document took it along, the next free one."""
        candidate, number = document_id(self._index_id, source), 2
        while candidate in self._moved or candidate in self._new:
            candidate = document_id(self._index_id, f"{source}\n{number}")
            number += 1
        self._new.add(candidate)
        return candidate


class DocumentIds:
    """The ids of the documents that generation ``h`` of an index holds, as far as new ones depend on them."""

    def __init__(self, ledger: Ledger, index_id: str, h: int) -> None:
        self._ledger = ledger
        self._h = h
        documents = (row.document for row in ledger.documents(h))
        self.moved = frozenset(d.id for d in documents if d.id != document_id(index_id, d.source))

    def order(self, change: Change) -> FileOrder:
        """The order to read a changed file, whose documents keep the ids that they have."""
        now = change.file.source
        places = {(now, change.file.root)}
        if change.previous is not None:
            places.add((change.previous.source, change.previous.root))
        ids = {
            now + row.document.source.removeprefix(then): row.document.id
            for then, root in sorted(places)
            for row in self._ledger.documents_of(then, root, self._h)
        }
        return FileOrder(change, ids)
