"""From a changed file to named documents with situated chunks."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..indexer.chunking import cut
from ..indexer.context import situate
from ..indexer.errors import EncryptedFile, FileChanged, LoadError, NoText, PagesUnread
from ..indexer.language import detect_language
from ..indexer.loaders.child import ParserPool
from ..indexer.loaders.detect import detect
from ..indexer.loaders.loaded import Loaded
from ..indexer.loaders.media import JSONL
from ..indexer.loaders.records import read_records
from ..indexer.metadata import describe, read_sidecar
from ..indexer.models.call_cache import CallCache
from ..indexer.models.ports import Tokenizer
from ..indexer.pages import PageImage, PageReading, Wanted
from ..indexer.redaction.content import redact_content, redact_document, redact_loaded
from ..indexer.sources import SourceFile, read_stable
from ..indexer.stores.images import ImageFolder
from ..indexer.stores.ledger import Ledger
from ..indexer.types import Chunk, Content, Document, document_id
from .config import Config
from .loading_models import Models
from .model_counts import ModelCounts
from .passwords import password_of, password_variable
from .preparation import Prepared
from .survey import Change

if TYPE_CHECKING:
    from ..indexer.redaction.finder import Redactor
    from .page_readers import Eye
    from .page_reading import PagePictures


class FileReader:
    """Reads files: records in this process, line by line; everything else in a child that can be killed."""

    def __init__(
        self,
        config: Config,
        pool: ParserPool,
        pictures: PagePictures | None = None,
        images: ImageFolder | None = None,
        redactor: Redactor | None = None,
    ) -> None:
        """``pictures`` reads the pages that their text layers do not give; None: they stay as they are.
        ``images`` is where pictures are kept, where the configuration asks for it. ``redactor`` takes secrets
        out before anything is passed on or kept."""
        self._config = config
        self._pool = pool
        self._pictures = pictures
        self._images = images
        self._redactor = redactor

    def read(self, change: Change) -> Iterator[Loaded]:
        """The documents of a file, or the errors in their places.

        A file that changes while it is read is an error of the file: nothing torn is passed on. Records
        are passed on one by one, so there the error comes last, and the next build reads them again.
        """
        file = change.file
        try:
            media_type = detect(file.path)
            if media_type == JSONL:
                self._require_same(change)
                yield from map(self._without_secrets, read_records(file.path, file.source))
                self._require_same(change)
            else:
                content = self._with_images(file, self._parse(file, media_type))
                self._require_same(change)
                yield Loaded(file.source, change.version, content)
        except LoadError as error:
            yield self._without_secrets(Loaded(file.source, change.version, None, {}, error))

    def _without_secrets(self, loaded: Loaded) -> Loaded:
        return loaded if self._redactor is None else redact_loaded(loaded, self._redactor)

    def _require_same(self, change: Change) -> None:
        if read_stable(change.file.path, change.file) != change.version:
            raise FileChanged(f"{change.file.source} changed while it was read; build again")

    def _parse(self, file: SourceFile, media_type: str) -> Content:
        name = password_variable(self._config.load, file.source)
        try:
            content = self._pool.parse(file.path, media_type, self.password(file.source))
        except EncryptedFile as error:
            if name and name not in os.environ:
                raise EncryptedFile(f"its password is to be in ${name}, which is not set") from error
            raise
        readings: Sequence[PageReading] = ()
        if content.wanted and self._pictures is not None:
            content, readings = self._pictured(file, media_type, content.wanted, self._pictures)
        return content if self._redactor is None else redact_content(content, self._redactor, readings)

    def _pictured(
        self, file: SourceFile, media_type: str, wanted: Sequence[Wanted], pictures: PagePictures
    ) -> tuple[Content, Sequence[PageReading]]:
        """The content with the pages that are ``wanted`` read by their pictures, and these readings."""
        path, password = file.path, self.password(file.source)

        def draw(number: int, eye: Eye) -> PageImage:
            return self._pool.draw(path, media_type, number, eye.dpi, password, eye.max_pixels)

        read = pictures.read(file.source, draw, wanted)
        try:
            content = self._pool.parse(path, media_type, password, read.readings)
        except NoText as error:
            if read.left:
                raise PagesUnread(f"{error}; build again to have it tried again") from error
            raise
        return replace(content, wanted=read.left), read.readings

    def _with_images(self, file: SourceFile, content: Content) -> Content:
        if self._images is None or not any(page.figures for page in content.pages):
            return content
        from .image_keeping import keep_images

        password = self.password(file.source)
        return keep_images(self._pool, self._images, file.path, content, self._config.load, password)

    def password(self, source: str) -> str | None:
        """The password of a file, where one is configured and its environment variable is set."""
        return password_of(self._config.load, source)


@dataclass(slots=True)
class Situating:
    """Cuts documents and situates their chunks. ``taken`` are the ids of the index's documents."""

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


@dataclass(slots=True)
class ChangeSituating:
    """Situates the documents of changed files, each under the id that it has or comes to have."""

    situating: Situating
    index_id: str
    ledger: Ledger
    h: int
    taken: set[str]
    _known: tuple[str, Mapping[str, str]] = ("", {})

    def __call__(self, change: Change, loaded: Loaded) -> Prepared:
        """Raises BadMetadata where rules or sidecar say what cannot be."""
        file = change.file
        own = self._ids(change).get(loaded.source) or self._new_id(loaded.source)
        place = Place(own, file.source, file.root, file.sidecar)
        return self.situating.prepare(loaded, place)

    def _ids(self, change: Change) -> Mapping[str, str]:
        """Ids of the file's known documents, by the source that each has now."""
        now = change.file.source
        if self._known[0] != now:
            places = {(now, change.file.root)}
            if change.previous is not None:
                places.add((change.previous.source, change.previous.root))
            ids = {
                now + row.document.source.removeprefix(then): row.document.id
                for then, root in sorted(places)
                for row in self.ledger.documents_of(then, root, self.h)
            }
            self._known = (now, ids)
        return self._known[1]

    def _new_id(self, source: str) -> str:
        """The id of a first source; where a renamed document took it along, the next free one."""
        candidate, number = document_id(self.index_id, source), 2
        while candidate in self.taken:
            candidate = document_id(self.index_id, f"{source}\n{number}")
            number += 1
        self.taken.add(candidate)
        return candidate
