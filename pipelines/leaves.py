"""The chunks of the generation being built, as the tree sees them.

Fetching all vectors from a store takes seconds, so what was fetched is kept in a file of the index's
folder, by the keys of rows, which never change what they hold. Losing that file loses nothing.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..indexer.errors import StoreError, StoreInconsistent
from ..indexer.models.ports import Vectors
from ..indexer.stores.ports import Row
from ..indexer.stores.room import is_full, no_room
from ..indexer.stretches import stretches
from ..indexer.tree.skeleton import Leaf, Leaves

FILE = "leaves.npz"
_PART = f".{FILE}.part"
_Known = dict[str, tuple[list[Any], Vectors]]

Fetch = Callable[[Sequence[str]], Mapping[str, Row]]
FETCH = 512
"""Keys of rows that are fetched at once."""


@dataclass(frozen=True, slots=True)
class LeafRows:
    """The leaves, and by chunk id each one's row key and its first and last page (None: no pages)."""

    leaves: Leaves
    keys: Mapping[str, str]
    pages: Mapping[str, tuple[int, int] | None]

    @property
    def ordinals(self) -> dict[str, int]:
        """The place of each row's chunk in its document, by the row's key."""
        return {self.keys[leaf.id]: leaf.ordinal for leaf in self.leaves.items}


def load_leaves(folder: Path, keys: Sequence[str], fetch: Fetch) -> LeafRows:
    """The leaves behind the rows ``keys``; ``fetch`` gets those that ``folder`` does not know yet. Raises
    StoreInconsistent where the store does not hold all of them, each with its vector, and StoreFull."""
    known = _read(folder / FILE)
    missing = [key for key in keys if key not in known]
    for some in stretches(missing, FETCH):
        for key, row in fetch(some).items():
            if row.dense is not None:
                known[key] = (_facts(row.payload), row.dense)
    wanted = {key: known[key] for key in keys if key in known}
    if len(wanted) < len(keys):
        raise rows_lost(len(keys) - len(wanted))
    if missing or len(wanted) < len(known):
        _write(folder / FILE, wanted)
    return _rows(wanted)


def rows_lost(count: int) -> StoreInconsistent:
    """What to raise where the store does not hold what the ledger says it does."""
    return StoreInconsistent(
        f"the vector store lost {count} rows, or their vectors, that the tree rests on; restore the index "
        "from a copy, or build it anew elsewhere"
    )


def on_pages(source: str, pages: tuple[int, int] | None) -> str:
    """Where a passage is from, as in ``manuals/a.pdf p. 3-4``; ``pages`` are its first and last."""
    if pages is None:
        return source
    first, last = pages
    return f"{source} p. {first}" if first == last else f"{source} p. {first}-{last}"


def trim_leaves(folder: Path, keys: Collection[str]) -> None:
    """Forget what ``folder`` keeps of other rows than ``keys``."""
    known = _read(folder / FILE)
    kept = {key: value for key, value in known.items() if key in keys}
    if len(kept) < len(known):
        _write(folder / FILE, kept)


def kept_vectors(folder: Path) -> Mapping[str, Vectors]:
    """The dense vectors that ``folder`` keeps of chunks, by the keys of their rows."""
    return {key: vector for key, (_, vector) in _read(folder / FILE).items()}


def kept_places(folder: Path) -> Mapping[str, tuple[tuple[str, ...], tuple[int, int] | None]]:
    """The section and the first and last page (None: no pages) of the chunks that ``folder`` keeps, by the
    keys of their rows."""
    facts = {key: known for key, (known, _) in _read(folder / FILE).items()}
    return {
        key: (tuple(section), None if first is None else (first, last))
        for key, (_, _, _, section, _, first, last) in facts.items()
    }


def drop_leaves(folder: Path) -> None:
    """Forget all of it, and what a kill left of its writing."""
    for path in (folder / FILE, folder / _PART):
        path.unlink(missing_ok=True)


def _facts(payload: Mapping[str, Any]) -> list[Any]:
    names = ("id", "document", "ordinal", "section", "token_count", "first_page", "last_page")
    return [payload[name] for name in names]


def _rows(known: _Known) -> LeafRows:
    ordered = sorted(known.items(), key=lambda item: (item[1][0][1], item[1][0][2]))
    items: list[Leaf] = []
    keys: dict[str, str] = {}
    pages: dict[str, tuple[int, int] | None] = {}
    for key, ((name, document, ordinal, section, tokens, first, last), _) in ordered:
        items.append(Leaf(name, document, ordinal, tuple(section), tokens))
        keys[name] = key
        pages[name] = None if first is None else (first, last)
    vectors = np.array([vector for _, (_, vector) in ordered], dtype=np.float32)
    return LeafRows(Leaves(items, vectors), keys, pages)


def _read(path: Path) -> _Known:
    try:
        with np.load(path, allow_pickle=False) as stored:
            rows = json.loads(stored["rows"].tobytes())
            vectors = stored["vectors"]
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
        return {}  # it is not there, or was cut short: everything is fetched
    if len(rows) != len(vectors):
        return {}
    return {key: (facts, vector) for (key, facts), vector in zip(rows, vectors, strict=True)}


def _write(path: Path, known: _Known) -> None:
    rows = json.dumps([[key, facts] for key, (facts, _) in known.items()]).encode("utf-8")
    vectors = np.array([vector for _, vector in known.values()], dtype=np.float32)
    part = path.with_name(_PART)
    try:
        with part.open("wb") as file:
            np.savez(file, rows=np.frombuffer(rows, dtype=np.uint8), vectors=vectors)
        os.replace(part, path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        if is_full(error.errno):
            raise no_room(path, path.parent) from error
        raise StoreError(f"cannot write {path}: {error.strerror}; check its permissions") from error
