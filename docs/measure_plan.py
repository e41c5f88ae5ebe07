"""Measure plans against the builds that follow them: ten builds with different settings, by stage.

::

    python docs/measure_plan.py SOURCE... [--work FOLDER] [--only NUMBER,...] [--json FILE]

SOURCE are files, of which some are edited between builds (Markdown and text alone). The language model is
``tests/support/fake_writer.py``, the vision model ``tests/support/fake_vision.py``, both behind real HTTP
servers that report their usage; embeddings are the default model's.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import treegraph
from treegraph.indexer.chunking import ChunkSettings
from treegraph.indexer.context import ContextSettings
from treegraph.indexer.graph.settings import GraphSettings
from treegraph.indexer.loaders.settings import LoadSettings
from treegraph.indexer.models.settings import LLMSettings, VisionSettings
from treegraph.indexer.tree.settings import TreeSettings

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))
from fake_openai import FakeOpenAIServer  # type: ignore[import-not-found]
from fake_vision import MODEL, FakeVisionServer  # type: ignore[import-not-found]
from fake_writer import writer  # type: ignore[import-not-found]

WRONG = 0.03
"""The share of the language model's answers that are of no use."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A build: its ``name``, the index it is on, what is edited before, and how it is configured."""

    name: str
    index: str
    config: treegraph.Config
    edit: Callable[[Path], None] = lambda folder: None
    without: tuple[str, ...] = ()


def main() -> None:
    """Plan and build one after the other, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sources", nargs="+", type=Path)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    chosen = {int(number) for number in given.only.split(",") if number}
    with workplace(given.work) as work, servers() as (llm, vision):
        folder = work / "manuals"
        folder.mkdir()
        for source in given.sources:
            shutil.copy(source, folder)
        rows = []
        print(f"{'build':34} {'stage':14} {'calls':>13} {'tokens in':>19} {'tokens out':>17} {'seconds':>13}")
        for number, trial in enumerate(trials(llm, vision), 1):
            trial.edit(folder)
            if not chosen or number in chosen:
                rows.append(measured(number, trial, folder, work))
    overall(rows)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


def measured(number: int, trial: Trial, folder: Path, work: Path) -> dict[str, Any]:
    """One plan and the build that follows it; prints a line a stage."""
    options: dict[str, Any] = {"config": trial.config, "without": trial.without}
    plan = treegraph.build_index([folder], work / trial.index, dry_run=True, **options)
    built = treegraph.build_index([folder], work / trial.index, **options)
    assert plan.plan is not None
    assert built.plan is not None
    assert built.plan.made == plan.plan.made
    stages: dict[str, Any] = {}
    for stage in sorted({*plan.plan.stages, *built.tokens}):
        planned = plan.plan.stages.get(stage)
        taken = built.tokens.get(stage, {"calls": 0, "in": 0, "out": 0})
        stages[stage] = {
            "calls": [planned.calls if planned else 0, taken["calls"]],
            "tokens_in": [planned.tokens_in if planned else 0, taken["in"]],
            "tokens_out": [planned.tokens_out if planned else 0, taken["out"]],
        }
    names = ("calls", "tokens_in", "tokens_out")
    total = {name: [sum(s[name][side] for s in stages.values()) for side in (0, 1)] for name in names}
    row = {
        "number": number,
        "name": trial.name,
        "stages": stages,
        "total": total,
        "seconds": [plan.plan.seconds, built.seconds["total"]],
        "planning": plan.seconds["total"],
        "memory": [plan.plan.memory, built.peak_memory],
        "chunks": [plan.plan.chunks, built.chunks],
        "nodes": [plan.nodes, built.nodes],
        "communities": [plan.communities, built.communities],
        "degraded": built.degraded,
    }
    show(row)
    return row


def show(row: dict[str, Any]) -> None:
    """Print a build's lines."""
    for stage, counts in {**row["stages"], "all": row["total"]}.items():
        cells = [f"{p:,} / {a:,}" for p, a in (counts[n] for n in ("calls", "tokens_in", "tokens_out"))]
        seconds = "{:.0f} / {:.0f}".format(*row["seconds"]) if stage == "all" else ""
        name = f"{row['number']} {row['name']}" if stage == "all" else ""
        print(f"{name:34} {stage:14} {cells[0]:>13} {cells[1]:>19} {cells[2]:>17} {seconds:>13}", flush=True)


def overall(rows: Sequence[dict[str, Any]]) -> None:
    """Print how far plans were off, over all builds and at worst."""
    for row in rows:
        both = (row["total"]["tokens_in"], row["total"]["tokens_out"])
        row["total"]["tokens"] = [sum(counts[side] for counts in both) for side in (0, 1)]
    for name in ("calls", "tokens", "tokens_in", "tokens_out"):
        pairs = [row["total"][name] for row in rows]
        off = [abs(planned - actual) / actual if actual else float(planned > 0) for planned, actual in pairs]
        whole = sum(p for p, _ in pairs) / max(1, sum(a for _, a in pairs)) - 1
        within = sum(each <= 0.15 for each in off)
        print(
            f"{name}: {within} of {len(off)} builds within 15 %, at worst {max(off):.1%}, in all {whole:+.1%}"
        )


def trials(llm: FakeOpenAIServer, vision: FakeVisionServer) -> list[Trial]:
    """The ten builds."""
    prices: dict[str, Any] = {"price_in": 1.0, "price_out": 4.0}
    plain = treegraph.Config(
        chunk=ChunkSettings(tokenizer="words"),
        llm=LLMSettings(base_url=llm.base_url, model="fake-1", window=8192, **prices),
    )
    seeing = VisionSettings(base_url=vision.base_url, model=MODEL, **prices)
    context = replace(plain, context=ContextSettings(by="model"))
    tree = replace(plain, tree=TreeSettings(summary="model"))
    graph = replace(plain, graph=GraphSettings(extract="model", report="model"))
    every = replace(
        plain,
        context=ContextSettings(by="model"),
        tree=TreeSettings(summary="model"),
        graph=GraphSettings(extract="model", report="model"),
    )
    native = replace(every, load=LoadSettings(pdf="native"), vision=seeing)
    return [
        Trial("nothing by a model", "a", plain),
        Trial("contexts", "b", context, without=("tree", "graph")),
        Trial("summaries", "c", tree, without=("graph",)),
        Trial("extraction and reports", "d", graph, without=("tree",)),
        Trial("everything", "e", every),
        Trial("everything, two pages edited", "e", every, edited),
        Trial("everything, a document gone", "e", every, taken_out),
        Trial("everything, a document new", "e", every, put_back),
        Trial("summaries, partly cached", "c", every, edited),
        Trial("pages by a vision model", "f", native),
    ]


def edited(folder: Path) -> None:
    """Change a paragraph in each of two text files, and add one."""
    for path in sorted([*folder.glob("*.md"), *folder.glob("*.txt")])[:2]:
        text = path.read_text(encoding="utf-8")
        middle = text.find("\n\n", len(text) // 2)
        added = f"\n\nThe Revision of {path.stem} asks for one more Inspection of every Gauge before its use."
        path.write_text(text[:middle] + added + text[middle:], encoding="utf-8")


def taken_out(folder: Path) -> None:
    """Take the last of the text files out."""
    path = sorted([*folder.glob("*.md"), *folder.glob("*.txt")])[-1]
    path.rename(folder.parent / path.name)


def put_back(folder: Path) -> None:
    """Put back a text file that was taken out."""
    for path in [*folder.parent.glob("*.md"), *folder.parent.glob("*.txt")]:
        path.rename(folder / path.name)


@contextmanager
def workplace(folder: Path | None) -> Iterator[Path]:
    """A folder to work in, removed after unless it was named."""
    if folder is not None:
        folder.mkdir(parents=True)
        yield folder
        return
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


@contextmanager
def servers() -> Iterator[tuple[FakeOpenAIServer, FakeVisionServer]]:
    """Both fakes, listening."""
    with FakeOpenAIServer(writer(WRONG)) as llm, FakeVisionServer() as vision:
        yield llm, vision


if __name__ == "__main__":
    main()
