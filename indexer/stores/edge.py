"""Embedded vectors: the Qdrant engine in this process, a folder a generation.

::

    vectors/
      g3/         a published generation; never written again
      work-4/     the one being written: a copy of the base, renamed to g4 by the seal
      copy-4/     a copy not yet whole, made anew when found
      gone-2/     being deleted
      pure-3/     g3 written anew, whole, about to take its place

Readers open ``g<N>`` through a view (a temporary folder with a log of its own), so any number of
processes read it at once. A kill at any instant leaves either the last commit of ``work-4`` or, in the
middle of a rename, one of its two names; a later writer goes on from either.

Up to 100,000 rows a search is exact (6 ms over 384 dimensions); from there on the seal builds an HNSW
graph, and dense results become approximate.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from ..errors import GenerationGone, IndexIncompatible
from ..stretches import stretches
from .edge_engine import schema, stored_schema
from .edge_errors import engine_errors
from .edge_files import base_of, note_generation, require_files
from .edge_folders import allocated, copy_shard, require_room, sync, sync_tree
from .edge_snapshot import EdgeSnapshot
from .edge_writer import EdgeWriter
from .ports import Filter

_ROWS = 1024
_NUMBERED = re.compile(r"(g|work-|copy-|gone-|pure-)(\d+)")


class EdgeVectorStore:
    """The vectors of one index in ``folder``, made by the first write. The caller holds the index's
    writer lock around :meth:`write` and :meth:`forget`; the engine refuses a second writer besides.

    ``hnsw_from`` is the number of rows from which the seal builds an HNSW graph.
    """

    def __init__(self, folder: Path, hnsw_from: int = 100_000) -> None:
        self._folder = folder
        self._hnsw_from = hnsw_from

    def read(self, generation: int) -> EdgeSnapshot:
        """Open a published generation. Raises GenerationGone, and StoreInconsistent where files of it are not
        there any more."""
        return EdgeSnapshot(self._published(generation), generation)

    def write(self, generation: int, base: int | None, dimension: int, idf: bool) -> EdgeWriter:
        """Start a generation on top of ``base``, or go on with it.

        Work found on another base than asked for is begun anew. Raises GenerationGone without the
        base, StoreInconsistent without all of its files, IndexIncompatible on another dimension or modifier,
        StoreFull, IndexLocked.
        """
        below = None if base is None else self._published(base)
        work, sealed = self._folder / f"work-{generation}", self._folder / f"g{generation}"
        with engine_errors("start a generation", self._folder):
            if below is not None:
                _require_schema(below, dimension, idf)
            self._folder.mkdir(parents=True, exist_ok=True)
            if sealed.exists():  # sealed, then killed before it was published
                sealed.rename(work)
            if work.exists() and base_of(work) != base:
                self._erase(work)
            if not work.exists():
                self._prepare(work, base, dimension, idf)
            _require_schema(work, dimension, idf)
        return EdgeWriter(generation, work, sealed, below, dimension, self._hnsw_from)

    def require(self, generation: int) -> None:
        """Look for the files of a published generation. Raises as :meth:`read`, and opens none."""
        self._published(generation)

    def unfinished(self, generation: int) -> Path | None:
        """The folder of a generation that was begun and not published, None where there is none."""
        folder = self._folder / f"work-{generation}"
        return folder if folder.is_dir() else None

    def forget(self, keep: Sequence[int], newest: int | None) -> int:
        """See :class:`VectorStore`. Returns how many generations went, unfinished ones included.

        Readers that still hold one of them open are not disturbed.
        """
        gone = 0
        with engine_errors("delete old generations", self._folder):
            for kind, number, path in list(self._numbered()):
                kept = number in keep and (newest is None or number <= newest)
                if kind in ("copy-", "gone-"):
                    shutil.rmtree(path)
                elif not kept:
                    self._erase(path)
                    gone += 1
        return gone

    def leftovers(self, keep: Sequence[int]) -> Iterator[tuple[str, int]]:
        """See :class:`VectorStore`."""
        return iter(())

    def others(self) -> list[str]:
        """See :class:`VectorStore`."""
        return []

    def empty(self) -> bool:
        """See :class:`VectorStore`."""
        return not any(self._numbered())

    def purge(self, generation: int) -> None:
        """See :class:`VectorStore`. A kill leaves the generation in one of two folders, either of which is
        read, and the next call goes on."""
        sealed, pure = self._folder / f"g{generation}", self._folder / f"pure-{generation}"
        with engine_errors("write the vectors anew", self._folder):
            if sealed.exists():
                shutil.rmtree(pure, ignore_errors=True)
                self._write_anew(sealed, pure, generation)
                self._erase(sealed)
            if pure.exists():
                pure.rename(sealed)
                sync(self._folder)

    def _write_anew(self, sealed: Path, pure: Path, generation: int) -> None:
        copy = self._folder / f"copy-{generation}"
        shutil.rmtree(copy, ignore_errors=True)
        dimension, idf = stored_schema(sealed)
        self._create(copy, dimension, idf, None)
        writer = EdgeWriter(generation, copy, pure, None, dimension, self._hnsw_from)
        with closing(writer), closing(EdgeSnapshot(sealed, generation)) as before:
            keys = [row.key for row in before.fetch(Filter(), payload=False)]
            for some in stretches(keys, _ROWS):
                writer.adopt(before.originals(some))
            writer.commit()
            writer.seal(len(keys))

    def close(self) -> None:
        """Nothing is held open between calls."""

    def _published(self, generation: int) -> Path:
        folder = self._folder / f"g{generation}"
        if not folder.is_dir() and (pure := self._folder / f"pure-{generation}").is_dir():
            folder = pure  # a purge was killed between two renames
        if not folder.is_dir():
            raise GenerationGone(
                f"the vectors of generation {generation} are not in {self._folder}; open the index anew; if"
                " that does not help they were lost: treegraph verify --repair makes them again from the"
                " source files, or restore the index from a copy"
            )
        with engine_errors("open the vectors", self._folder):
            require_files(folder)
        return folder

    def _prepare(self, work: Path, base: int | None, dimension: int, idf: bool) -> None:
        """Make ``work`` appear whole: everything is done under another name first."""
        copy = work.with_name(work.name.replace("work-", "copy-"))
        shutil.rmtree(copy, ignore_errors=True)
        if base is None:
            self._create(copy, dimension, idf, None)
        else:
            require_room(self._folder, allocated(self._published(base)))
            copy_shard(self._published(base), copy)
            note_generation(copy, base)
        sync_tree(copy)
        copy.rename(work)
        sync(self._folder)

    def _create(self, folder: Path, dimension: int, idf: bool, base: int | None) -> None:
        import qdrant_edge as engine

        require_room(self._folder, 0)
        folder.mkdir()
        engine.EdgeShard.create(str(folder), schema(dimension, idf)).close()
        note_generation(folder, base)

    def _numbered(self) -> Iterator[tuple[str, int, Path]]:
        for path in sorted(self._folder.glob("*")):
            if match := _NUMBERED.fullmatch(path.name):
                yield match[1], int(match[2]), path

    def _erase(self, path: Path) -> None:
        """Delete a folder so that no half of it is ever taken for a whole."""
        gone = self._folder / re.sub(r"^(g|work-)", "gone-", path.name)
        shutil.rmtree(gone, ignore_errors=True)
        path.rename(gone)
        shutil.rmtree(gone)


def _require_schema(folder: Path, dimension: int, idf: bool) -> None:
    found = stored_schema(folder)
    if found != (dimension, idf):
        raise IndexIncompatible(
            f"{folder} keeps vectors of {found[0]} dimensions (IDF: {found[1]}), asked were {dimension}"
            f" (IDF: {idf}); build a new index for other models"
        )
