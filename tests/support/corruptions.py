"""Every way to damage an index, and a seeded choice of them."""

from __future__ import annotations

import random
from pathlib import Path

from corruptions_files import FILES
from corruptions_graph import GRAPH
from corruptions_ledger import LEDGER
from corruptions_vectors import VECTORS
from damaged_index import Corruption
from folder_copies import copy_folder
from small_index import moved

STORES = {"vectors": VECTORS, "ledger": LEDGER, "graph": GRAPH, "files": FILES}
CORRUPTIONS = tuple(one for kinds in STORES.values() for one in kinds)


def seeded(count: int, seed: int) -> list[tuple[Corruption, int]]:
    """``count`` corruptions, each with a seed of its own: every kind as often as any other."""
    order = list(CORRUPTIONS)
    random.Random(seed).shuffle(order)
    return [(order[at % len(order)], seed * 1000 + at) for at in range(count)]


def damaged(yard: Path, place: Path, *harms: tuple[Corruption, int]) -> Path:
    """A copy of the yard's index in ``place`` that these were done to."""
    index = copy_folder(yard / "index", place)
    moved(index, yard / "yard")
    for corruption, seed in harms:
        corruption.harm(index, random.Random(seed))
    return index
