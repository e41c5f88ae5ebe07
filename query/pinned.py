"""An index held open: one published generation at a time, let go of when nobody uses it any more."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from ..indexer.errors import ConfigurationError
from ..indexer.stores.ports import Filter
from .answer.settings import AnswerSettings
from .graph_settings import GraphReadSettings
from .models import ModelLoaders, Models
from .opened import OpenGeneration
from .rerank import RerankLimits
from .router.settings import RouterSettings
from .routes import not_built
from .settings import SearchSettings
from .tree_settings import TreeReadSettings

if TYPE_CHECKING:
    from ..indexer.stores.folder import IndexFolder
    from ..indexer.types import Document
    from .sight import Sight


class Writer(Protocol):
    """What writes into the index that is open; the library's root hands it in."""

    def upsert(self, documents: Sequence[Any]) -> Any:
        """Add or replace documents by their ids and publish; returns the build's report."""
        ...

    def delete(self, ids: Sequence[str]) -> Any:
        """Take documents out by their ids and publish; returns the build's report."""
        ...


class PinnedIndex:
    """The folder, stores, models and settings of an open index, and the generation that it reads; with what
    moves it to another one."""

    def __init__(
        self,
        folder: IndexFolder,
        loaders: ModelLoaders,
        settings: SearchSettings | None = None,
        rerank_limits: RerankLimits | None = None,
        tree_settings: TreeReadSettings | None = None,
        graph_settings: GraphReadSettings | None = None,
        follow: bool = False,
        writer: Writer | None = None,
        router_settings: RouterSettings | None = None,
        answer_settings: AnswerSettings | None = None,
        sight: Sight | None = None,
    ) -> None:
        self._folder = folder
        self._models = Models(loaders)
        self._settings = settings or SearchSettings()
        self._limits = rerank_limits or RerankLimits()
        self._tree_settings = tree_settings or TreeReadSettings()
        self._graph_settings = graph_settings or GraphReadSettings()
        self._router_settings = router_settings or RouterSettings()
        self._answer_settings = answer_settings or AnswerSettings()
        self._sight = sight
        self._follow = follow
        self._writer = writer
        self._store = folder.vectors()
        self._lock = threading.RLock()
        self._closed = False
        self._opened: OpenGeneration | None = None
        self._seen = self._stamp()
        try:
            self.refresh()
        except BaseException:
            self.close()
            raise

    def status(self) -> dict[str, Any]:
        """What the open generation holds, as JSON values."""
        with self._current() as opened:
            if opened is None:
                return {"generation": None, "documents": 0, "pages": 0, "chunks": 0, "nodes": 0}
            documents = opened.catalogue.documents.values()
            return {
                "generation": opened.number,
                "built": opened.entry.built,
                "documents": len(documents),
                "pages": sum(document.page_count or 0 for document in documents),
                "chunks": opened.snapshot.count(Filter(kinds=("chunk",))),
                "nodes": opened.snapshot.count(Filter(kinds=("node",))),
                "languages": list(opened.catalogue.languages),
                "structures": dict(opened.catalogue.structures),
                "models": dict(opened.entry.models),
                "dimension": opened.entry.dimension,
            }

    @property
    def sees(self) -> bool:
        """Whether a model that looks at pages is configured."""
        return self._models.sees

    @property
    def generation(self) -> int | None:
        """The number of the open generation; None where nothing is published."""
        with self._lock:
            return self._opened.number if self._opened else None

    @property
    def documents(self) -> Mapping[str, Document]:
        """The documents of the open generation by id."""
        with self._current() as opened:
            return opened.catalogue.documents if opened else {}

    def refresh(self) -> bool:
        """Move to the generation that is published now; False if that is the open one."""
        with self._lock:
            self._require_open()
            stamp = self._stamp()
            published = self._folder.manifest().published
            old = self._opened
            moved = published != (old.number if old else None)
            if moved:
                new = published is not None
                self._opened = self._open() if new else None
            self._seen = stamp  # last: what failed above is tried again at the next search
            if not moved:
                return False
        if old is not None:
            old.retire()
        return True

    def upsert(self, documents: Sequence[Any]) -> Any:
        """Add or replace documents (ours or LlamaIndex's) by the ids that they came with, then refresh."""
        report = self._writing().upsert(documents)
        self.refresh()
        return report

    def delete(self, ids: Sequence[str]) -> Any:
        """Take documents out by the ids that they came with, then refresh."""
        report = self._writing().delete(ids)
        self.refresh()
        return report

    def close(self) -> None:
        """Let go of the generation, the stores and the folder. Safe to call twice."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            opened, self._opened = self._opened, None
        with ExitStack() as stack:
            stack.callback(self._folder.close)
            stack.callback(self._store.close)
            if opened is not None:
                opened.retire()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _holding(self, structure: str) -> Iterator[OpenGeneration]:
        """The open generation, if it holds this structure; else raises RouteUnavailable."""
        with self._current() as opened:
            if opened is None or structure not in opened.catalogue.structures:
                raise not_built(structure)
            yield opened

    @contextmanager
    def _current(self) -> Iterator[OpenGeneration | None]:
        """The open generation, held while it is used; moved along first where that is wanted."""
        with self._lock:
            self._require_open()
            if self._follow and self._stamp() != self._seen:
                self.refresh()
            with ExitStack() as stack:
                opened = self._opened and stack.enter_context(self._opened.held())
                released = stack.pop_all()
        with released:
            yield opened

    def _open(self) -> OpenGeneration:
        return OpenGeneration(
            self._folder, self._store, self._settings, self._tree_settings, self._graph_settings
        )

    def _writing(self) -> Writer:
        if self._writer is None:
            raise ConfigurationError("this index was opened for reading only; open it with open_index()")
        return self._writer

    def _require_open(self) -> None:
        if self._closed:
            raise ConfigurationError("this index is closed")

    def _stamp(self) -> tuple[int, int]:
        """What changes with each publish, without reading the manifest."""
        from ..indexer.stores.manifest import NAME

        try:
            stat = (self._folder.path / NAME).stat()
        except FileNotFoundError:
            return 0, 0  # reading the manifest will say what is missing
        return stat.st_mtime_ns, stat.st_ino
