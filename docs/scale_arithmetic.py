"""How what was measured of a build grows to any number of pages: pure functions, for docs/scale.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

GROWING = ("shape", "assembly", "communities", "graph rows")
"""The steps over a whole index at once, of which exponents were measured."""
HOUR, GB = 3600, 1e9
_WHOLE = ("tree", "graph", "store", "publish", "other")
"""Stages that go over all of an index whenever something changed; of the first two what is new takes more."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What a stage takes: ``each`` CPU seconds for each of ``count`` units. On ``workers`` it divides among
    machines; else it is one process's."""

    name: str
    unit: str
    count: float
    each: float
    workers: bool
    bound: str

    @property
    def cpu(self) -> float:
        """CPU seconds in all."""
        return self.count * self.each

    def hours(self, workers: int) -> float:
        """Hours on so many cores."""
        return self.cpu / HOUR / (workers if self.workers else 1)


def unit_of(stage: str) -> str:
    """What a stage of a build is counted in."""
    return {"load": "pages", "tree": "nodes", "tree embed": "nodes"}.get(stage, "chunks")


def units(build: Mapping[str, Any]) -> dict[str, float]:
    """CPU seconds of a build's stages, for each of their units."""
    return {stage: cpu / build[unit_of(stage)] for stage, cpu in build["cpu"].items()}


def base(kept: Mapping[str, Any]) -> dict[str, Any]:
    """The build whose units are scaled: the largest, which a stand-in embedded, with what the model took for
    the same chunks, and for the nodes of a smaller one."""
    build, real, small = kept["build"]["rest"], kept["build"]["middle"], kept["build"]["small"]
    nodes = small["cpu"]["tree embed"] / small["nodes"] * build["nodes"]
    other = build["cpu"].get("other", 0.0) + build["total"] - sum(build["cpu"].values())
    cpu = {**build["cpu"], "embed": real["cpu"]["embed"], "tree embed": nodes, "other": other}
    return {**build, "cpu": cpu, "stand_in": False}


def held(kept: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What was held of parts of indexes, the smallest first. The last is of all of the largest build."""
    return sorted((share for shares in kept["held"].values() for share in shares), key=lambda s: s["chunks"])


def predicted(small: Mapping[str, Any], pages: float, chunks: float | None = None) -> dict[str, float]:
    """CPU seconds by stage of a build of so many pages, from those of ``small``; ``chunks`` where they are
    known, else as many a page."""
    size = {"pages": pages, "chunks": pages * small["chunks"] / small["pages"] if chunks is None else chunks}
    size["nodes"] = size["chunks"] * small["nodes"] / small["chunks"]
    return {stage: each * size[unit_of(stage)] for stage, each in units(small).items()}


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The slope of the least-squares line through the logarithms."""
    points = [(log(size), log(cost)) for size, cost in zip(sizes, costs, strict=True) if cost > 0]
    x, y = (sum(column) / len(points) for column in zip(*points, strict=True))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def grown(shares: Sequence[Mapping[str, Any]], step: str, of: str, chunks: float) -> tuple[float, float]:
    """What ``step`` takes (``of``: cpu, kept or peak) over so many chunks, and by which exponent: the one
    that was measured, but 1 at least, since fixed costs of small sizes look as if a cost grew more slowly."""
    sizes = [share["chunks"] for share in shares]
    costs = [share["steps"][step][of] for share in shares]
    power = max(1.0, exponent(sizes, costs)) if min(costs) > 0 else 1.0
    return costs[-1] * (chunks / sizes[-1]) ** power, power


def stages(kept: Mapping[str, Any], pages: float, scans: float = 0.0, parts: int = 1) -> list[Stage]:
    """The stages of a fresh build of so many pages, a share of which are ``scans``, into one index or into
    several ``parts`` of one size, each of which is a build of its own."""
    build, shares = base(kept), held(kept)
    whole, each = shares[-1], units(build)
    chunks = pages * build["chunks"] / build["pages"]
    nodes = chunks * build["nodes"] / build["chunks"]
    communities = chunks * build["communities"] / build["chunks"]
    extract = whole["steps"]["extract a sample"]["cpu"] / whole["sampled"]
    rows, least = (chunks + nodes) / parts, kept["hnsw"]
    links = least["cpu"] / least["vectors"] * log(rows) / log(least["vectors"])
    grow, power = {}, {}
    for step in GROWING:
        grow[step], power[step] = grown(shares, step, "cpu", chunks / parts)
    apart = parts > 1
    here = {step: whole["steps"][step]["cpu"] for step in GROWING}
    graph = sum(here[step] for step in GROWING[1:]) + extract * build["chunks"]
    report = max(0.0, build["cpu"]["graph"] - graph) / build["communities"]
    summary = max(0.0, build["cpu"]["tree"] - here["shape"]) / build["nodes"]
    return [
        Stage("read: text layer", "page", pages, each["load"], True, "CPU"),
        Stage("read: OCR", "page", pages * scans, kept["ocr"]["pages"]["cpu"], True, "CPU"),
        Stage("cut, situate by rule", "chunk", chunks, each["chunk"], True, "CPU"),
        Stage("words", "chunk", chunks, each["sparse"], True, "CPU"),
        Stage("embed", "chunk", chunks, each["embed"], True, "CPU"),
        Stage("extract by patterns", "chunk", chunks, extract, True, "CPU"),
        Stage("vectors and ledger", "chunk", chunks, each["store"], apart, "one writer"),
        Stage("tree: shape", "index", parts, grow["shape"], apart, f"memory; ^{power['shape']:.2f}"),
        Stage("tree: summaries", "node", nodes, summary, apart, "one process"),
        Stage("tree: embed", "node", nodes, each["tree embed"], True, "CPU"),
        Stage(
            "graph: resolve, assemble",
            "index",
            parts,
            grow["assembly"],
            apart,
            f"memory; ^{power['assembly']:.2f}",
        ),
        Stage(
            "graph: communities",
            "index",
            parts,
            grow["communities"],
            apart,
            f"memory; ^{power['communities']:.2f}",
        ),
        Stage(
            "graph: rows",
            "index",
            parts,
            grow["graph rows"],
            apart,
            f"one writer; ^{power['graph rows']:.2f}",
        ),
        Stage("graph: reports, rest", "community", communities, report, apart, "one process"),
        Stage("vectors: HNSW", "row", chunks + nodes, links, apart, "memory, one process"),
        Stage("publish", "chunk", chunks, each["publish"], apart, "disk, one writer"),
        Stage("other", "chunk", chunks, each["other"], apart, "one process"),
    ]


def memory(kept: Mapping[str, Any], pages: float) -> list[tuple[str, float, float, float]]:
    """What one process would hold of so many pages: step, bytes a chunk as measured, exponent, bytes then.
    The last rows are the most that one of them needs besides while it runs, and all of it as memory of the
    process, which is more than its objects by what was measured at the largest size."""
    build, shares = base(kept), held(kept)
    chunks = pages * build["chunks"] / build["pages"]
    rows = []
    for step, taken in shares[-1]["steps"].items():
        if "kept" not in taken:
            continue
        then, power = grown(shares, step, "kept", chunks)
        rows.append((step, taken["kept"] / shares[-1]["chunks"], power, then))
    besides = max(rows, key=lambda row: grown(shares, row[0], "peak", chunks)[0])[0]
    then, power = grown(shares, besides, "peak", chunks)
    most = shares[-1]["steps"][besides]["peak"] / shares[-1]["chunks"]
    rows.append((f"at most besides ({besides})", most, power, then))
    each, objects = sum(row[1] for row in rows), sum(row[3] for row in rows)
    over = shares[-1]["resident"] / (each * shares[-1]["chunks"])
    return [*rows, ("all, as the process's memory", each * over, 1.0, objects * over)]


def night(kept: Mapping[str, Any], pages: float, changed: float) -> list[tuple[str, float, float]]:
    """CPU seconds by stage of a build over an index of so many pages, a share of which are in documents that
    changed: for what is new, as a fresh build of them takes, and over everything, as the build took that one
    page was changed before."""
    build, again, each = base(kept), kept["again"]["small"], units(base(kept))
    over = {**again["cpu"], "other": again["total"] - sum(again["cpu"].values())}
    size = {unit: pages * build[unit] / build["pages"] for unit in ("pages", "chunks", "nodes")}
    rows = []
    for stage, unit_cost in each.items():
        whole = over.get(stage, 0.0) * pages / again["pages"] if stage in _WHOLE else 0.0
        new = 0.0 if stage in _WHOLE[2:] else unit_cost * size[unit_of(stage)] * changed
        rows.append((stage, new, whole))
    return rows


def fits(kept: Mapping[str, Any], room: float) -> float:
    """The pages of which one process holds everything in ``room`` bytes."""
    low, high = 1.0, 1e12
    while high / low > 1.001:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if memory(kept, middle)[-1][3] < room else (low, middle)
    return low


def money(
    plan: Mapping[str, Any], pages: float, price_in: float, price_out: float
) -> Iterator[tuple[str, float, float, float, float]]:
    """By stage: calls, tokens in and out, and what they cost at these prices a million."""
    for stage, planned in plan["stages"].items():
        times = pages / plan["pages"]
        into, out = planned["tokens_in"] * times, planned["tokens_out"] * times
        yield stage, planned["calls"] * times, into, out, (into * price_in + out * price_out) / 1e6


def vectors(rows: float, dimension: int, links: int = 16, bits: int = 32) -> tuple[float, float]:
    """Bytes of ``rows`` vectors at so many bits a number, and of the graph over them: twice ``links``
    neighbours of four bytes each on the lowest layer, and a sixteenth of that above."""
    return rows * dimension * bits / 8, rows * 4 * 2 * links * (1 + 1 / links)


def on_gpu(chunks: float, tokens: float, parameters: float, teraflops: float) -> float:
    """Hours of one GPU that does so many teraflops for a forward pass over all chunks: two operations a
    parameter and token. Arithmetic alone; nothing of it was measured."""
    return chunks * tokens * 2 * parameters / (teraflops * 1e12) / HOUR
