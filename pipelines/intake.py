"""From a changed file to what stands in it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..indexer.errors import EncryptedFile, FileChanged, LoadError, NoText, PagesUnread
from ..indexer.loaders.child import ParserPool
from ..indexer.loaders.detect import detect
from ..indexer.loaders.loaded import Loaded
from ..indexer.loaders.media import JSONL
from ..indexer.loaders.records import read_records
from ..indexer.pages import PageImage, PageReading, Wanted
from ..indexer.redaction.content import redact_content, redact_loaded
from ..indexer.sources import SourceFile, read_stable
from ..indexer.types import Content
from .config import Config
from .passwords import password_of, password_variable
from .survey import Change

if TYPE_CHECKING:
    from ..indexer.redaction.finder import Redactor
    from .image_keeping import Images
    from .page_readers import Eye
    from .page_reading import PagePictures


class FileReader:
    """Reads files: records in this process, line by line; everything else in a child that can be killed."""

    def __init__(
        self,
        config: Config,
        pool: ParserPool,
        pictures: PagePictures | None = None,
        images: Images | None = None,
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
