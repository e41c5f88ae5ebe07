"""How long builds and searches take, as ratios of one run.

::

    python tests/measure/speed.py build PDFS --work DIR [--change avr-libc.pdf]
    python tests/measure/speed.py search INDEX QUESTIONS.jsonl

``build``: the first build against embedding its texts alone (half of them before it, half after), the
same build again, and the build after one page of one manual changed. ``search``: hybrid search, the
embedding of the question apart.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import treegraph
from treegraph.indexer.chunking import cut
from treegraph.indexer.context import indexed_text, situate
from treegraph.indexer.loaders import load_file
from treegraph.indexer.models.ports import Embedder
from treegraph.indexer.models.tokenizer import load_tokenizer
from treegraph.indexer.types import Document, document_id
from treegraph.pipelines.loading_models import Models
from treegraph.pipelines.memory import PeakMemory


def main() -> None:
    """Print one JSON document."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    build = commands.add_parser("build")
    build.add_argument("pdfs", type=Path)
    build.add_argument("--work", type=Path, required=True)
    build.add_argument("--change", default="")
    build.set_defaults(run=measure_build)
    search = commands.add_parser("search")
    search.add_argument("index", type=Path)
    search.add_argument("questions", type=Path)
    search.set_defaults(run=measure_search)
    arguments = parser.parse_args()
    print(json.dumps(arguments.run(arguments), indent=1))


def measure_build(arguments: argparse.Namespace) -> dict[str, Any]:
    """Seconds and ratios of the builds, peak memory in bytes (sampled every 100 ms)."""
    source, index = arguments.work / "manuals", arguments.work / "index"
    shutil.rmtree(arguments.work, ignore_errors=True)
    shutil.copytree(arguments.pdfs, source)
    config = treegraph.Config()
    embedder = Models(config).embedder()
    texts = _texts(source, config)
    before = _embed(embedder, texts[::2], config.embed.batch)
    with PeakMemory(0.1) as memory:
        began = time.monotonic()
        report = treegraph.build_index([source], index, config=config, embedder=embedder)
        first = time.monotonic() - began
    after = _embed(embedder, texts[1::2], config.embed.batch)
    result: dict[str, Any] = {
        "pages": report.pages,
        "chunks": report.chunks,
        "embedded": report.embedded,
        "texts": len(texts),
        "stages": report.seconds,
        "first": first,
        "embedding_alone": before + after,
        "ratio": first / (before + after),
        "peak_memory": memory.peak,
    }
    time.sleep(2.5)  # clocks this young prove nothing, and the builds would hash every file
    result["again"] = _timed(source, index, config, embedder) / first
    if arguments.change:
        _change_a_page(source / arguments.change)
        result["one_page"] = _timed(source, index, config, embedder) / first
    return result


def measure_search(arguments: argparse.Namespace) -> dict[str, Any]:
    """Milliseconds a question."""
    questions = [json.loads(line)["text"] for line in arguments.questions.open()]
    with treegraph.open_index(arguments.index) as index:
        for question in questions[:20]:
            index.search(question)
        seconds = [index.search(question).seconds for question in questions]
        chunks = index.status()["chunks"]
    retrieve = [1000 * each["retrieve"] for each in seconds]
    total = [1000 * each["total"] for each in seconds]
    p50, p95 = np.percentile(retrieve, [50, 95])
    all50, all95 = np.percentile(total, [50, 95])
    return {"chunks": chunks, "retrieve_ms": [p50, p95], "total_ms": [all50, all95]}


def _texts(source: Path, config: treegraph.Config) -> list[str]:
    tokenizer = load_tokenizer(config.chunk.tokenizer)
    texts = []
    for path in sorted(source.iterdir()):
        content = load_file(path, "application/pdf", config.load)
        title = content.title or path.name
        name = document_id("00000000-0000-0000-0000-000000000000", path.name)
        document = Document(name, path.name, title, content=content)
        chunks = situate(document, cut(document, tokenizer, config.chunk), config.context, tokenizer)
        texts += [indexed_text(chunk) for chunk in chunks]
    return texts


def _embed(embedder: Embedder, texts: Sequence[str], batch: int) -> float:
    began = time.monotonic()
    with ThreadPoolExecutor(embedder.concurrency) as pool:
        list(pool.map(embedder.embed, [texts[at : at + batch] for at in range(0, len(texts), batch)]))
    return time.monotonic() - began


def _timed(source: Path, index: Path, config: treegraph.Config, embedder: Embedder) -> float:
    began = time.monotonic()
    treegraph.build_index([source], index, config=config, embedder=embedder)
    return time.monotonic() - began


def _change_a_page(path: Path) -> None:
    import pymupdf

    changed = path.with_suffix(".new")
    with pymupdf.open(path) as pdf:
        pdf[len(pdf) // 2].insert_text((72, 72), "This page was changed: the limit is now 47 volts.")
        pdf.save(changed)
    changed.replace(path)


if __name__ == "__main__":
    main()
