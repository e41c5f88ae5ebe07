"""How many of the passages of two-hop questions are found. As a command, recall@5 of manuals by seed:
``python tests/support/linked_manual_report.py 21 22 23`` (200 questions each, hybrid and graph)."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import treegraph
from linked_manual import LinkedManual, Place, linked_manual
from treegraph.query.index import Index
from treegraph.query.result import Hit

K = 5


def place(hit: Hit) -> Place:
    """The file and the section that a hit is from."""
    citation = hit.citations[0]
    return Path(citation.source).name, citation.section[-1]


def search(manual: LinkedManual, index: Index, route: str) -> list[Sequence[Hit]]:
    """The first ``K`` hits of every question by one route."""
    return [index.search(asked.text, k=K, route=route).hits for asked in manual.questions]


def recall(manual: LinkedManual, found: Iterable[Sequence[Hit]]) -> float:
    """The mean share of a question's two sections among its hits."""
    held = [
        len({asked.first, asked.second} & set(map(place, hits))) / 2
        for asked, hits in zip(manual.questions, found, strict=True)
    ]
    return sum(held) / len(held)


def build(manual: LinkedManual, home: Path) -> Path:
    """Writes the manual and builds an index of it without a tree, by the default models."""
    manual.write(home / "manual")
    assert not treegraph.build_index([home / "manual"], home / "index", without=("tree",)).failed
    return home / "index"


def main(seeds: Sequence[int], count: int = 200) -> None:
    """Prints a line for each seed."""
    for seed in seeds:
        manual = linked_manual(seed, count)
        with TemporaryDirectory() as home, treegraph.open_index(build(manual, Path(home))) as index:
            by_route = {route: recall(manual, search(manual, index, route)) for route in ("hybrid", "graph")}
        print(f"seed {seed}", *(f"{route} {value:.3f}" for route, value in by_route.items()), flush=True)


if __name__ == "__main__":
    main([int(seed) for seed in sys.argv[1:]])
