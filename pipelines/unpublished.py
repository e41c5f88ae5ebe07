"""Work that was never published, or was rolled back."""

from __future__ import annotations

from contextlib import closing

from ..indexer.errors import WorkError
from ..indexer.stores.folder import IndexFolder
from ..indexer.stores.locks import leased_generations


def erase_unpublished(folder: IndexFolder, published: int) -> None:
    """Erase every generation after the ``published`` one (0: all). Raises WorkError while somebody reads
    one."""
    for generation, pids in leased_generations(folder.path).items():
        if generation > published:
            raise WorkError(
                f"generation {generation} was rolled back, but process {pids[0]} still reads it; "
                "close or refresh that index first"
            )
    with closing(folder.vectors()) as store:
        store.forget([number for number in folder.manifest().generations if number <= published], published)
    folder.ledger.erase_after(published)
    folder.drop_generations_after(published)
