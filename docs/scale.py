"""The arithmetic of docs/scale.md: from what was measured (docs/scale.json) to any number of pages.

::

    python docs/scale.py check                     a larger build predicted from a smaller one
    python docs/scale.py stages --pages 10M        CPU seconds, bytes and hours by stage
    python docs/scale.py memory --pages 10M        what one process would hold at once
    python docs/scale.py money --pages 10M         tokens and their price
    python docs/scale.py stores --pages 10M        servers: vectors in memory, graph on disk
    python docs/scale.py night --pages 20k         a nightly build of which 1 % of the pages changed
    python docs/scale.py gpu --pages 10M           larger models on a GPU

A cost grows with its unit, but for steps that were measured at three sizes, which grow by the exponent
through them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scale_arithmetic import (
    GB,
    HOUR,
    base,
    fits,
    held,
    memory,
    money,
    night,
    on_gpu,
    predicted,
    stages,
    vectors,
)

KEPT = Path(__file__).with_name("scale.json")
Row = Sequence[str]


def _check(kept: Mapping[str, Any], given: argparse.Namespace) -> list[Row]:
    small, large = kept["build"]["small"], base(kept)
    rows: list[Row] = [["CPU seconds", "predicted", "measured", "ratio"]]
    for stage, (guess, found) in _compared(small, large).items():
        rows.append([stage, f"{guess:,.1f}", f"{found:,.1f}", f"{guess / found:.2f}" if found else "-"])
    return rows


def _compared(small: Mapping[str, Any], large: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """By stage what is predicted from a smaller build, and what was measured."""
    known = predicted(small, large["pages"], large["chunks"])
    left = ("tree embed",)  # which is not the larger build's own
    rows = {stage: (known.get(stage, 0.0), cpu) for stage, cpu in large["cpu"].items() if stage not in left}
    total = sum(found for _, found in rows.values())
    blind = sum(cost for stage, cost in predicted(small, large["pages"]).items() if stage not in left)
    rows["all, of its chunks"] = (sum(guess for guess, _ in rows.values()), total)
    rows["all, of its pages"] = (blind, total)
    return rows


def _stages(kept: Mapping[str, Any], given: argparse.Namespace) -> list[Row]:
    found = stages(kept, given.pages, given.scans, given.parts)
    rows: list[Row] = [
        ["stage", "unit", "count", "CPU ms each", "CPU hours", "on cores", "hours", "bounded by"]
    ]
    for stage in found:
        figures = f"{stage.count:,.0f}", f"{stage.each * 1000:,.2f}", _hours(stage.cpu / HOUR)
        cores = str(given.workers if stage.workers else 1)
        rows.append(
            [stage.name, stage.unit, *figures, cores, _hours(stage.hours(given.workers)), stage.bound]
        )
    cpu = sum(stage.cpu for stage in found) / HOUR
    alone = sum(stage.hours(given.workers) for stage in found if not stage.workers)
    hours = sum(stage.hours(given.workers) for stage in found)
    rows.append(["all", "", "", "", f"{cpu:,.2f}", "", f"{hours:,.2f}"])
    rows.append(["of these, one process", "", "", "", f"{alone:,.2f}", "1", f"{alone:,.2f}"])
    rows.append([f"money at {given.core_hour} a core-hour", "", "", "", f"{cpu * given.core_hour:,.2f}"])
    build = base(kept)
    for part, size in build["disk"].items():
        each = size / build["pages"]
        rows.append(
            [
                f"disk: {part}",
                "page",
                f"{given.pages:,.0f}",
                f"{each:,.0f} B",
                f"{each * given.pages / GB:,.2f} GB",
            ]
        )
    return rows


def _hours(hours: float) -> str:
    return f"{hours:,.2f}" if hours >= 1 else f"{hours:.4f}"


def _gpu(kept: Mapping[str, Any], given: argparse.Namespace) -> list[Row]:
    build, whole = base(kept), held(kept)[-1]
    chunks = given.pages * build["chunks"] / build["pages"]
    tokens = whole["tokens"] / whole["chunks"]
    rows: list[Row] = [["embedding, arithmetic alone", f"hours at {given.teraflops:g} TFLOPS"]]
    for name, parameters in (("22 million parameters", 22e6), ("110 million", 110e6), ("568 million", 568e6)):
        rows.append([name, f"{on_gpu(chunks, tokens, parameters, given.teraflops):,.1f}"])
    return [*rows, ["tokens a chunk", f"{tokens:,.0f}"]]


def _night(kept: Mapping[str, Any], given: argparse.Namespace) -> list[Row]:
    rows: list[Row] = [["CPU seconds", f"{given.changed:.0%} of pages", "over everything", "all"]]
    found = night(kept, given.pages, given.changed)
    for stage, new, whole in [*found, ("all", *(sum(row[at] for row in found) for at in (1, 2)))]:
        rows.append([stage, f"{new:,.1f}", f"{whole:,.1f}", f"{new + whole:,.1f}"])
    return rows


def _memory(kept: Mapping[str, Any], given: argparse.Namespace) -> list[Row]:
    rows: list[Row] = [["held by one process", "bytes a chunk", "exponent", "GB then"]]
    found = memory(kept, given.pages)
    for step, each, power, then in found:
        rows.append([step, f"{each:,.0f}", f"{power:.2f}", f"{then / GB:,.2f}"])
    rows += [[f"pages in {room} GB", "", "", f"{fits(kept, room * GB):,.0f}"] for room in (8, 32, 128, 512)]
    return rows


def _money(kept: Mapping[str, Any], given: argparse.Namespace) -> list[Row]:
    rows: list[Row] = [
        ["stage", "calls", "M tokens in", "M tokens out", f"at {given.price_in} and {given.price_out}"]
    ]
    found = list(money(kept["plan"]["small"], given.pages, given.price_in, given.price_out))
    for name, *values in [*found, ("all", *map(sum, zip(*(row[1:] for row in found), strict=True)))]:
        calls, into, out, price = values
        rows.append([name, f"{calls:,.0f}", f"{into / 1e6:,.1f}", f"{out / 1e6:,.1f}", f"{price:,.2f}"])
    return rows


def _stores(kept: Mapping[str, Any], given: argparse.Namespace) -> list[Row]:
    build, small, neo4j = base(kept), kept["build"]["small"], kept["neo4j"]["small"]
    times = given.pages / build["pages"]
    count = (build["chunks"] + build["nodes"]) * times
    rows: list[Row] = [["", "count", "GB"], ["rows with vectors", f"{count:,.0f}", ""]]
    for dimension in (384, 1024):
        for name, bits in (("float32", 32), ("int8", 8)):
            size = vectors(count, dimension, bits=bits)[0]
            rows.append([f"{dimension:,} numbers each, {name}", "", f"{size / GB:,.1f}"])
    rows.append(["HNSW graph, m = 16", "", f"{vectors(count, 384)[1] / GB:,.1f}"])
    kinds = ("entities", "relations", "mentions", "communities")
    rows += [[kind, f"{build[kind] * times:,.0f}", ""] for kind in kinds]
    mentions = build["mentions"] * times
    for name, size in (
        ("graph.db", small["disk"]["graph.db*"]),
        ("Neo4j, its indexes included", neo4j["bytes"]),
    ):
        rows.append([name, "", f"{size / small['mentions'] * mentions / GB:,.1f}"])
    return rows


def _million(text: str) -> float:
    for ending, times in (("M", 1e6), ("k", 1e3)):
        if text.endswith(ending):
            return float(text.removesuffix(ending)) * times
    return float(text)


def _print(rows: Sequence[Row]) -> None:
    columns = max(map(len, rows))
    full = [[*row, *[""] * (columns - len(row))] for row in rows]
    width = [max(len(row[at]) for row in full) for at in range(columns)]
    for row in full:
        first, *others = row
        cells = [first.ljust(width[0]), *(cell.rjust(w) for cell, w in zip(others, width[1:], strict=True))]
        print("  ".join(cells).rstrip())


_TABLES = {
    "check": _check,
    "stages": _stages,
    "memory": _memory,
    "money": _money,
    "stores": _stores,
    "night": _night,
    "gpu": _gpu,
}


def show(kept: Mapping[str, Any], words: Sequence[str]) -> None:
    """Print the table that a command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", choices=list(_TABLES))
    parser.add_argument("--pages", type=_million, default=10e6)
    parser.add_argument("--workers", type=int, default=64, help="cores that stages are divided among")
    parser.add_argument("--parts", type=int, default=1, help="indexes that the pages are divided among")
    parser.add_argument("--scans", type=float, default=0.0, help="the share of pages that are scanned")
    parser.add_argument("--changed", type=float, default=0.01, help="the share of pages that a night changes")
    parser.add_argument("--teraflops", type=float, default=100, help="that a GPU really does")
    parser.add_argument("--core-hour", type=float, default=0.04)
    parser.add_argument("--price-in", type=float, default=0.1, help="for a million tokens")
    parser.add_argument("--price-out", type=float, default=0.4)
    given = parser.parse_args(words)
    _print(_TABLES[given.table](kept, given))


if __name__ == "__main__":
    show(json.loads(KEPT.read_text("utf-8")), sys.argv[1:])
