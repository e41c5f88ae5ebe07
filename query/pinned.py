"""An index held open: one published generation at a time, let go of when nobody uses it any more."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from ..indexer.errors import ConfigurationError
from ..indexer.stores.ports import Filter
from .deadline import Lanes
from .models import ModelLoaders, Models
from .opened import OpenGeneration
from .read_settings import ReadSettings
from .routes import not_built
from .state import Parts, State, ledger_file, state_of

if TYPE_CHECKING:
    from ..indexer.stores.folder import IndexFolder
    from ..indexer.stores.manifest import Manifest
    from ..indexer.stores.ports import VectorStore
    from ..indexer.types import Document
    from .sight import PagePictures, Sight


class Writer(Protocol):
    """What writes into the index that is open; the library's root hands it in."""

    def upsert(
        self,
        documents: Sequence[Any],
        max_cost: float | None,
        max_calls: int | None,
        max_seconds: float | None,
    ) -> Any:
        """Add or replace documents by their ids and publish, under caps; returns the build's report."""
        ...

    def delete(self, ids: Sequence[str]) -> Any:
        """Take documents out by their ids and publish; returns the build's report."""
        ...


log = logging.getLogger(__name__)


class PinnedIndex:
    """The folder, stores, models and settings of an open index, and the generation that it reads; with what
    moves it to another one."""

    def __init__(
        self,
        folder: IndexFolder,
        loaders: ModelLoaders,
        settings: ReadSettings,
        follow: bool = False,
        writer: Writer | None = None,
        sight: Sight | None = None,
    ) -> None:
        self._folder = folder
        self._models = Models(loaders)
        self._settings = settings.search
        self._limits = settings.rerank
        self._tree_settings = settings.tree
        self._graph_settings = settings.graph
        self._router_settings = settings.router
        self._answer_settings = settings.answer
        self._sight = sight
        self._follow = follow
        self._writer = writer
        self._store = folder.vectors()
        self._ledger = ledger_file(folder.path)
        self._state: State | None = None
        self._lanes = Lanes()
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
    def state(self) -> State | None:
        """The open state."""
        with self._lock:
            return self._state

    @property
    def documents(self) -> Mapping[str, Document]:
        """The documents of the open generation by id."""
        with self._current() as opened:
            return opened.catalogue.documents if opened else {}

    def refresh(self) -> bool:
        """Move to what is published now, also where another index took the place of this one in its folder;
        False if that is open."""
        with self._lock:
            self._require_open()
            stamp = self._stamp()
            manifest = self._folder.manifest()
            moved = state_of(manifest) != self._state
            if moved:
                let_go = self._move(manifest)
            self._seen = stamp  # last: what failed above is tried again at the next search
        if moved:
            let_go()
        return moved

    def upsert(
        self,
        documents: Sequence[Any],
        *,
        max_cost: float | None = None,
        max_calls: int | None = None,
        max_seconds: float | None = None,
    ) -> Any:
        """Add or replace documents (ours or LlamaIndex's) by the ids that they came with, then refresh. The
        caps are those of a build: documents that could not be embedded under them are in ``failed``, as they
        were before."""
        report = self._writing().upsert(documents, max_cost, max_calls, max_seconds)
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
                self._go_along()
            with ExitStack() as stack:
                opened = self._opened and stack.enter_context(self._opened.held())
                released = stack.pop_all()
        with released:
            yield opened

    def _go_along(self) -> None:
        """Move to what was published, unless other models embedded it than this index was opened with: then
        what is open stays, until :meth:`refresh`."""
        stamp, manifest = self._stamp(), self._folder.manifest()
        entry = manifest.generations.get(manifest.published or 0)
        if self._opened is not None and entry is not None and not self._models.serve(entry):
            log.warning(
                "generation %s was embedded by %s: open the index anew with that; generation %s is read on",
                manifest.published,
                entry.models.get("embedder"),
                self._opened.number,
            )
            self._seen = stamp
        else:
            self.refresh()

    def _move(self, manifest: Manifest) -> Callable[[], None]:
        """Open what is published now; returns what lets go of what was open."""
        folder, store = self._folder, self._store
        inode = ledger_file(folder.path)
        replaced = inode != self._ledger or (self._state and self._state.index_id != manifest.index_id)
        with ExitStack() as stack:
            if replaced:
                folder = type(folder).open(folder.path)
                stack.callback(folder.close)
                store = folder.vectors()
                stack.callback(store.close)
            new = self._open(folder, store) if manifest.published is not None else None
            stack.pop_all()
        before = Parts(self._opened, *((self._folder, self._store) if replaced else (None, None)))
        self._folder, self._store, self._opened, self._ledger = folder, store, new, inode
        self._state = State(manifest.index_id, *((new.number, new.entry.built) if new else ()))
        return before.let_go

    def _open(self, folder: IndexFolder, store: VectorStore) -> OpenGeneration:
        return OpenGeneration(
            folder,
            store,
            self._settings,
            self._tree_settings,
            self._graph_settings,
            self._lanes,
        )

    def _writing(self) -> Writer:
        if self._writer is None:
            raise ConfigurationError("this index was opened for reading only; open it with open_index()")
        return self._writer

    def _pictures(self) -> PagePictures:
        if self._sight is None:
            raise ConfigurationError("this index was opened without its sources; open it with open_index()")
        return self._sight.pictures

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
