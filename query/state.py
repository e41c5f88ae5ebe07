"""Which state of which index is open, and what is let go of when that is another."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from ..indexer.stores.folder import IndexFolder
    from ..indexer.stores.manifest import Manifest
    from ..indexer.stores.ports import VectorStore
    from .opened import OpenGeneration


@dataclass(frozen=True, slots=True)
class State:
    """What tells one published state from every other, also from that of another index in the same folder:
    which index it is, its generation (None: nothing is published) and when that was built."""

    index_id: str
    generation: int | None = None
    built: str = ""


@dataclass(frozen=True, slots=True)
class Parts:
    """What was open until now, and the folder and store that go with it, where they do."""

    opened: OpenGeneration | None
    folder: IndexFolder | None
    store: VectorStore | None

    def let_go(self) -> None:
        """Close them, as soon as nobody uses them."""
        if self.opened is not None:
            self.opened.retire(self._close)
        else:
            self._close()

    def _close(self) -> None:
        with ExitStack() as stack:
            if self.folder is not None:
                stack.callback(self.folder.close)
            if self.store is not None:
                stack.callback(self.store.close)


def state_of(manifest: Manifest) -> State:
    """The state that a manifest publishes."""
    number = manifest.published
    entry = manifest.generations.get(number) if number is not None else None
    return State(manifest.index_id, number, entry.built if entry else "")


def ledger_file(folder: Path) -> int:
    """Which file the ledger in ``folder`` is: another one where the folder's content was replaced."""
    from ..indexer.stores.ledger import NAME

    try:
        return (folder / NAME).stat().st_ino
    except FileNotFoundError:
        return 0
