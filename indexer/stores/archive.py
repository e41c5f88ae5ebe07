"""An index as one file: a zip of its ledger, and of what its stores hold in a form that is none of theirs.

::

    export.json         which index, which generation, how it was made; bytes and sha256 of every member
    ledger.db           the ledger, whole
    vectors/0.jsonl     rows: key, since, payload, sparse vector, and the number of their dense one in ...
    vectors/0.npy       ... this array
    graph/entity.jsonl  the rows of a kind (chunk, entity, mention, relation, community)
    images/<sha256>.png pictures that were kept
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import IO, Any, Self

import numpy as np

from ..errors import IndexIncompatible, StoreFull, WorkError
from ..models.ports import SparseVector, Vectors
from .ports import Row, Stored
from .room import is_full

FORMAT = 1
"""Version of the archive's format that this code writes, and the newest that it reads."""
_NOTE = "export.json"
_PIECE = 1 << 20
_BROKEN = (KeyError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError)
"""What unpacking raises where bytes are missing or altered; in a header they ask for what no archive has."""
_BATCH = 2048
"""Rows in one member: what is held in memory at once."""


class ArchiveWriter:
    """Writes an archive beside ``path``, which appears when :meth:`finish` says what it is of.

    As a context manager it leaves nothing behind where that is not reached. Raises StoreFull and WorkError.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._draft = path.with_name(f".{path.name}.{os.getpid()}")
        self._members: dict[str, dict[str, Any]] = {}
        if path.exists() and not path.is_file():
            raise WorkError(f"cannot write {path}: it is there, and is no file; name another")
        with self._writing():
            self._zip = zipfile.ZipFile(self._draft, "w", zipfile.ZIP_DEFLATED, compresslevel=1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._zip.close()
        self._draft.unlink(missing_ok=True)

    def add_file(self, name: str, path: Path) -> None:
        """A file as it is."""
        with path.open("rb") as stream:
            self._add(name, iter(lambda: stream.read(_PIECE), b""))

    def add_lines(self, name: str, values: Iterable[Mapping[str, Any]]) -> int:
        """Values as lines of JSON. Returns how many those were."""
        count = 0

        def lines() -> Iterator[bytes]:
            nonlocal count
            for value in values:
                count += 1
                yield json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"

        self._add(name, lines())
        return count

    def add_vectors(self, rows: Iterable[Stored]) -> int:
        """Rows with their vectors, batch by batch. Returns how many those were."""
        rows, number, done = iter(rows), 0, 0
        while batch := list(islice(rows, _BATCH)):
            dense = [each.row.dense for each in batch if each.row.dense is not None]
            self.add_lines(f"vectors/{number}.jsonl", _packed(batch))
            array = io.BytesIO()
            np.save(array, np.stack(dense) if dense else np.zeros((0, 0), np.float32), allow_pickle=False)
            self._add(f"vectors/{number}.npy", [array.getvalue()])
            number, done = number + 1, done + len(batch)
        return done

    def finish(self, note: Mapping[str, Any]) -> int:
        """Say what it is of, and make it appear. Returns its size in bytes."""
        told = {"format": FORMAT, **note, "members": self._members}
        with self._writing():
            self._zip.writestr(_NOTE, json.dumps(told, ensure_ascii=False, indent=1))
            self._zip.close()
            with self._draft.open("rb") as written:
                os.fsync(written.fileno())
            self._draft.replace(self._path)
            return self._path.stat().st_size

    def _add(self, name: str, pieces: Iterable[bytes]) -> None:
        sha256, size = hashlib.sha256(), 0
        with self._writing(), self._zip.open(name, "w", force_zip64=True) as member:
            for piece in pieces:
                member.write(piece)
                sha256.update(piece)
                size += len(piece)
        self._members[name] = {"bytes": size, "sha256": sha256.hexdigest()}

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise _unwritten(self._path, error) from error


class Archive:
    """An archive that is read. Raises WorkError where there is none or it is damaged, IndexIncompatible where
    a newer treegraph wrote it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._zip = zipfile.ZipFile(path)
            note = json.loads(self._zip.read(_NOTE))
            newer = int(note["format"]) > FORMAT
        except OSError as error:
            raise WorkError(f"cannot read {path}: {error.strerror}") from error
        except (*_BROKEN, TypeError, ValueError) as error:
            raise self._damaged(str(error)) from error
        if newer:
            raise IndexIncompatible(
                f"{path} has archive format {note['format']}, this treegraph reads up to {FORMAT}; upgrade it"
                " or build from the sources again: treegraph plan SOURCE... says what that takes"
            )
        self.note: Mapping[str, Any] = note

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def check(self) -> Iterator[int]:
        """Read it through, before anything is made of it. Gives how many bytes were found whole."""
        done = 0
        for name, told in self.note["members"].items():
            sha256 = hashlib.sha256()
            with self._member(name) as member:
                while piece := member.read(_PIECE):
                    sha256.update(piece)
                    done += len(piece)
                    yield done
            if sha256.hexdigest() != told["sha256"]:
                raise self._damaged(f"{name} is not what was written")

    @property
    def size(self) -> int:
        """How many there are in all members, unpacked."""
        return sum(int(told["bytes"]) for told in self.note["members"].values())

    def read(self, name: str) -> bytes:
        """A member as it is."""
        with self._member(name) as member:
            return member.read()

    def names(self, folder: str) -> list[str]:
        """The members of a folder."""
        return [name for name in self.note["members"] if name.startswith(f"{folder}/")]

    def extract(self, name: str, path: Path) -> None:
        """Have a file be what a member is. Raises StoreFull, too."""
        draft = path.with_name(f"{path.name}.new")
        try:
            with self._member(name) as member, draft.open("wb") as file:
                shutil.copyfileobj(member, file, _PIECE)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        except OSError as error:
            raise _unwritten(path, error) from error

    def lines(self, name: str) -> Iterator[dict[str, Any]]:
        """The values of a member of lines."""
        with self._member(name) as member:
            for line in member:
                yield json.loads(line.decode("utf-8", "surrogatepass"))

    def vectors(self) -> Iterator[list[tuple[Row, int]]]:
        """The rows with their vectors, each with the generation that wrote it, batch by batch."""
        for name in self.names("vectors"):
            if name.endswith(".jsonl"):
                yield list(_unpacked(self.lines(name), self._array(name.replace(".jsonl", ".npy"))))

    def _array(self, name: str) -> Vectors:
        with self._member(name) as member:
            array: Vectors = np.load(io.BytesIO(member.read()), allow_pickle=False)
            return array

    @contextmanager
    def _member(self, name: str) -> Iterator[IO[bytes]]:
        try:
            with self._zip.open(name) as member:
                yield member
        except _BROKEN as error:
            raise self._damaged(str(error)) from error

    def _damaged(self, cause: str) -> WorkError:
        return WorkError(
            f"{self._path} is no whole archive of an index ({cause}); take another copy, or export it anew"
        )


def _unwritten(path: Path, error: OSError) -> WorkError:
    if is_full(error.errno):
        return StoreFull(f"no room left to write {path}; free some and run again")
    return WorkError(f"cannot write {path}: {error.strerror}")


def _packed(rows: Sequence[Stored]) -> Iterator[dict[str, Any]]:
    place = 0
    for each in rows:
        row = each.row
        sparse = None if row.sparse is None else [list(row.sparse.indices), list(row.sparse.values)]
        dense = None if row.dense is None else place
        place += dense is not None
        yield {"key": row.key, "since": each.since, "payload": row.payload, "sparse": sparse, "dense": dense}


def _unpacked(lines: Iterable[Mapping[str, Any]], dense: Vectors) -> Iterator[tuple[Row, int]]:
    for line in lines:
        sparse, place = line["sparse"], line["dense"]
        row = Row(
            line["key"],
            line["payload"],
            None if place is None else dense[place],
            None if sparse is None else SparseVector(tuple(sparse[0]), tuple(sparse[1])),
        )
        yield row, line["since"]
