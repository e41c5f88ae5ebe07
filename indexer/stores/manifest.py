"""The manifest, ``index.toml``: which index this is and which generation readers see.

Publishing is the atomic replacement of this one small file.
"""

from __future__ import annotations

import contextlib
import os
import tomllib
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import IndexIncompatible, IndexNotFound, WorkError
from .room import is_full, no_room

FORMAT = 1
"""Version of the folder's format that this code writes, and the newest that it reads."""
NAME = "index.toml"


@dataclass(frozen=True, slots=True)
class Generation:
    """A published state of the index.

    ``idf`` says whether the store multiplies sparse weights by IDF.
    ``models`` names what made it (embedder, sparse, tokenizer); ``structures`` says for each structure
    in which generation it was last whole (equal to this one's number unless it is behind).
    """

    base: int | None
    built: str
    dimension: int
    idf: bool = True
    models: Mapping[str, str] = field(default_factory=dict)
    structures: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of ``index.toml``. ``newest`` is the highest generation number ever used."""

    index_id: str
    published: int | None = None
    newest: int = 0
    generations: Mapping[int, Generation] = field(default_factory=dict)
    stores: Mapping[str, str] = field(default_factory=dict)
    format: int = FORMAT


def read_manifest(folder: Path) -> Manifest:
    """Read ``index.toml``. Raises IndexNotFound, IndexIncompatible, or WorkError where it is closed to us."""
    path = folder / NAME
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise IndexNotFound(
            f"no index in {folder} (there is no {NAME}); make one with: treegraph build SOURCE -i {folder}"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _damaged(path, str(error)) from error
    except OSError as error:
        raise WorkError(f"cannot read {path}: {error.strerror}; check its permissions") from error
    return _checked(path, data)


def _checked(path: Path, data: Mapping[str, Any]) -> Manifest:
    try:
        newer = _of(data, "format", int) > FORMAT
    except ValueError as error:
        raise _damaged(path, str(error)) from error
    if newer:
        raise IndexIncompatible(
            f"{path.parent} has index format {data['format']}, this treegraph reads up to {FORMAT}; "
            "upgrade treegraph, or build the index anew in another folder: treegraph plan SOURCE... -i OTHER"
            " says what that takes"
        )
    try:
        return _from_data(data)
    except ValueError as error:
        raise _damaged(path, str(error)) from error


def _damaged(path: Path, cause: str) -> IndexIncompatible:
    return IndexIncompatible(
        f"{path} is not what treegraph wrote ({cause}); restore it from a copy,"
        " or build the index anew in another folder"
    )


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace ``index.toml`` in one atomic step that survives a power cut.

    A draft that a kill left behind is never read; the next one written takes it away. Raises StoreFull,
    or WorkError where the folder is closed to us; what readers see is then as it was.
    """
    import tomli_w

    draft = folder / f".{NAME}.{os.getpid()}"
    try:
        for left in folder.glob(f".{NAME}.*"):
            left.unlink(missing_ok=True)
        with draft.open("wb") as file:
            file.write(tomli_w.dumps(_to_data(manifest)).encode())
            file.flush()
            os.fsync(file.fileno())
        draft.replace(folder / NAME)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        if is_full(error.errno):
            raise no_room(folder / NAME, folder) from error
        raise WorkError(f"cannot write {folder / NAME}: {error.strerror}; check its permissions") from error
    directory = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _from_data(data: Mapping[str, Any]) -> Manifest:
    """Raises ValueError, which says what is wrong."""
    stores = _texts(data, "stores")
    if stores.get("vectors", "edge") not in ("edge", "qdrant"):
        raise ValueError(f"vectors in an unknown store: {stores['vectors']}")
    if stores.get("vectors") == "qdrant" and "qdrant_url" not in stores:
        raise ValueError("vectors on a Qdrant server without its qdrant_url")
    if stores.get("graph", "sqlite") not in ("sqlite", "neo4j"):
        raise ValueError(f"graph in an unknown store: {stores['graph']}")
    if stores.get("graph") == "neo4j" and "neo4j_url" not in stores:
        raise ValueError("graph on a Neo4j server without its neo4j_url")
    index_id = _of(data, "index_id", str)
    uuid.UUID(index_id)
    entries = _of(data, "generations", dict, {})
    return Manifest(
        index_id=index_id,
        published=_of(data, "published", int, None),
        newest=_of(data, "newest", int, 0),
        generations={int(number): _generation(entries, number) for number in entries},
        stores=stores,
        format=_of(data, "format", int),
    )


def _generation(entries: Mapping[str, Any], number: str) -> Generation:
    entry = _of(entries, number, dict)
    structures = _of(entry, "structures", dict, {})
    return Generation(
        base=_of(entry, "base", int, None),
        built=_of(entry, "built", str),
        dimension=_of(entry, "dimension", int),
        idf=_of(entry, "idf", bool, True),
        models=_texts(entry, "models"),
        structures={name: _of(structures, name, int) for name in structures},
    )


def _texts(data: Mapping[str, Any], key: str) -> dict[str, str]:
    table = _of(data, key, dict, {})
    return {name: _of(table, name, str) for name in table}


_REQUIRED: Any = object()


def _of(data: Mapping[str, Any], key: str, kind: type[Any], default: Any = _REQUIRED) -> Any:
    """The value under ``key``. Raises ValueError where it is missing or of another kind."""
    value = data.get(key, default)
    if value is _REQUIRED:
        raise ValueError(f"{key} is missing")
    if key in data and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
        raise ValueError(f"{key} is {value!r}")
    return value


def _to_data(manifest: Manifest) -> dict[str, Any]:
    data: dict[str, Any] = {"format": manifest.format, "index_id": manifest.index_id}
    if manifest.published is not None:
        data["published"] = manifest.published
    data["newest"] = manifest.newest
    data["stores"] = dict(manifest.stores)
    data["generations"] = {
        str(number): {
            **({} if entry.base is None else {"base": entry.base}),
            "built": entry.built,
            "dimension": entry.dimension,
            "idf": entry.idf,
            "models": dict(entry.models),
            "structures": dict(entry.structures),
        }
        for number, entry in sorted(manifest.generations.items())
    }
    return data
