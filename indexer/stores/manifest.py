"""The manifest, ``index.toml``: which index this is and which generation readers see.

Publishing is the atomic replacement of this one small file.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import IndexIncompatible, IndexNotFound

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
    """Read ``index.toml``. Raises IndexNotFound or IndexIncompatible."""
    path = folder / NAME
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise IndexNotFound(
            f"no index in {folder} (there is no {NAME}); make one with: treegraph build SOURCE -i {folder}"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise IndexIncompatible(f"{path} cannot be read ({error}); restore it from a copy") from error
    if data.get("format", 0) > FORMAT:
        raise IndexIncompatible(
            f"{folder} has index format {data['format']}, this treegraph reads up to {FORMAT}; "
            "upgrade treegraph, or build the index anew in another folder"
        )
    return _from_data(data)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace ``index.toml`` in one atomic step that survives a power cut."""
    import tomli_w

    target = folder / NAME
    draft = folder / f".{NAME}.{os.getpid()}"
    with draft.open("wb") as file:
        file.write(tomli_w.dumps(_to_data(manifest)).encode())
        file.flush()
        os.fsync(file.fileno())
    draft.replace(target)
    directory = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _from_data(data: Mapping[str, Any]) -> Manifest:
    generations = {
        int(number): Generation(
            base=entry.get("base"),
            built=entry["built"],
            dimension=entry["dimension"],
            idf=entry.get("idf", True),
            models=entry.get("models", {}),
            structures=entry.get("structures", {}),
        )
        for number, entry in data.get("generations", {}).items()
    }
    return Manifest(
        index_id=data["index_id"],
        published=data.get("published"),
        newest=data.get("newest", 0),
        generations=generations,
        stores=data.get("stores", {}),
        format=data["format"],
    )


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
