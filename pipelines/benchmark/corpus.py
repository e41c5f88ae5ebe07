"""Made corpora on disk: a folder a size, each holding what it adds to the smaller ones."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...indexer.errors import Cancelled
from ..config import Config
from ..events import Event, Listener
from ..loading_models import Models
from .documents import prepared
from .recipe import Made, Passage, made_documents


class Corpora:
    """The corpora of ``sizes`` passages below ``folder``, made of ``sources`` when one is missing."""

    def __init__(
        self,
        folder: Path,
        sizes: Sequence[int],
        sources: Sequence[str],
        config: Config,
        seed: int,
        listen: Listener,
        cancel: threading.Event,
    ) -> None:
        self._folder, self._sizes, self._seed = folder, sorted(set(sizes)), seed
        self._sources, self._config = sources, config
        self._listen, self._cancel = listen, cancel
        self._stream: Iterator[tuple[int, Made]] | None = None
        self._ahead: tuple[int, Made] | None = None

    def sources(self, size: int) -> list[str]:
        """The folders that together hold the corpus of ``size``. Raises SourceUnreadable, Cancelled."""
        wanted = [each for each in self._sizes if each <= size]
        if not all(self._done(each).exists() for each in wanted):
            for each in wanted:
                self._write(each)
        return [str(self._place(each)) for each in wanted]

    def smallest_of(self, passages: int) -> int:
        """The smallest size that has that many passages; the largest there is where none has."""
        return next((size for size in self._sizes if size >= passages), self._sizes[-1])

    def _write(self, size: int) -> None:
        """Write what belongs to this size; what is written already is passed over."""
        place, done = self._place(size), self._done(size)
        writing = not done.exists()
        if writing:
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
        count = 0
        for made in self._until(size):
            if writing:
                (place / made.name).write_text(made.text, "utf-8", errors="replace")
                count += 1
        if writing:
            done.write_text(json.dumps({"documents": count}), "utf-8")

    def _until(self, size: int) -> Iterator[Made]:
        """The next documents of the stream, as long as they begin before ``size`` passages."""
        if self._stream is None:
            self._stream = self._numbered()
        while True:
            if self._cancel.is_set():
                raise Cancelled("stopped; what was measured is kept")
            start, made = self._ahead or next(self._stream)
            if start >= size:
                self._ahead = (start, made)
                return
            self._ahead = None
            yield made
            self._listen(Event("make corpus", min(start + made.passages, size), size, "passages", made.name))

    def _numbered(self) -> Iterator[tuple[int, Made]]:
        """Every document with the number of passages before it."""
        documents: list[list[Passage]] = []
        for document in prepared(self._sources, self._config, Models(self._config), self._cancel):
            self._listen(Event("read", len(documents) + 1, None, "documents", document.document.source))
            texts = [(chunk.text.strip(), chunk.section) for chunk in document.chunks]
            documents.append(
                [Passage(text, section[-1] if section else "") for text, section in texts if text]
            )
        before = 0
        for made in made_documents(documents, self._seed):
            yield before, made
            before += made.passages

    def _place(self, size: int) -> Path:
        return self._folder / self._range(size)

    def _done(self, size: int) -> Path:
        return self._folder / f"{self._range(size)}.json"

    def _range(self, size: int) -> str:
        before = max((each for each in self._sizes if each < size), default=0)
        return f"{before}-{size}"
