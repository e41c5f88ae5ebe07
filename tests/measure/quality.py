"""How well hybrid search finds what it should, on the evaluation sets in ``$EVAL_DATA``.

::

    python tests/measure/quality.py $EVAL_DATA --work DIR [--pdfs DIR] [--sets musique-dev300,ohr-pdf]
                                    [--context none] [--chunk fixed] [--search phrase_bonus=0,weight=0.45]

An index is built once a set and configuration, and kept in ``--work``. A hit expands in order to its
records or pages, first page first; k counts distinct ones.
"""

from __future__ import annotations

import argparse
import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import treegraph
from treegraph.query.index import Index

DEPTH = 100
Ranking = list[Any]


def main() -> None:
    """Measure every set asked for; one JSON line a set."""
    arguments = _arguments()
    config = _config(arguments)
    tag = (
        "-".join(re.sub(r"\W+", "_", part) for part in (arguments.context, arguments.chunk) if part)
        or "default"
    )
    for name in arguments.sets.split(","):
        for row in MEASURES[name](arguments, config, tag):
            print(json.dumps(row), flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--pdfs", type=Path, help="the manuals of pdf-index")
    parser.add_argument("--sets", default=",".join(MEASURES))
    parser.add_argument("--context", default="")
    parser.add_argument("--chunk", default="")
    parser.add_argument("--search", default="")
    return parser.parse_args()


def _config(arguments: argparse.Namespace) -> treegraph.Config:
    config = treegraph.Config()
    if arguments.context:
        config = replace(config, context=replace(config.context, by=arguments.context))
    if arguments.chunk:
        config = replace(config, chunk=replace(config.chunk, by=arguments.chunk))
    for pair in filter(None, arguments.search.split(",")):
        key, _, value = pair.partition("=")
        config = replace(config, search=replace(config.search, **{key: float(value)}))
    return config


def _index(
    arguments: argparse.Namespace, config: treegraph.Config, tag: str, name: str, source: Path
) -> Index:
    path = arguments.work / f"{name}-{tag}"
    treegraph.build_index([source], path, config=config)
    return treegraph.open_index(path, config=config)


def records(name: str, metrics: dict[str, int]) -> Callable[..., Iterable[dict[str, Any]]]:
    """A set in BEIR layout: gold are records of corpus.jsonl."""

    def measure(
        arguments: argparse.Namespace, config: treegraph.Config, tag: str
    ) -> Iterable[dict[str, Any]]:
        folder = arguments.data / name
        queries = [json.loads(line) for line in (folder / "queries.jsonl").open()]
        gold: dict[str, dict[str, int]] = {}
        for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
            query, record, score = line.split("\t")
            gold.setdefault(query, {})[record] = int(score)
        with _index(arguments, config, tag, name, folder) as index:
            rankings = {query["_id"]: _records_of(index, query["text"]) for query in queries}
        yield _row(name, rankings, gold, metrics)

    return measure


def _records_of(index: Index, question: str) -> Ranking:
    hits = index.search(question, k=DEPTH).hits
    return _distinct(citation.source.partition("#")[2] for hit in hits for citation in hit.citations)


def pages_of_manuals(
    arguments: argparse.Namespace, config: treegraph.Config, tag: str
) -> Iterable[dict[str, Any]]:
    """ohr-pdf: all PDFs in one index, gold is one page of one of them."""
    folder = arguments.data / "ohr-pdf"
    queries = [json.loads(line) for line in (folder / "queries.jsonl").open()]
    gold = {query["_id"]: {(query["pdf"], query["page0"] + 1): 1} for query in queries}
    with _index(arguments, config, tag, "ohr-pdf", folder / "pdf") as index:
        rankings = {query["_id"]: _pages_of(index, query["text"]) for query in queries}
    yield _row("ohr-pdf", rankings, gold, {"hit": 1, "hit@5": 5})


def printed_index(
    arguments: argparse.Namespace, config: treegraph.Config, tag: str
) -> Iterable[dict[str, Any]]:
    """pdf-index: terms of a printed index to their pages, one index a manual."""
    for labels in sorted((arguments.data / "pdf-index").glob("*.jsonl")):
        pdf = arguments.pdfs / f"{labels.stem}.pdf"
        queries = [json.loads(line) for line in labels.open()]
        gold = {query["_id"]: {(pdf.name, page + 1): 1 for page in query["pages0"]} for query in queries}
        left_out = _index_pages(pdf)
        with _index(arguments, config, tag, labels.stem, pdf) as index:
            rankings = {
                query["_id"]: [place for place in _pages_of(index, query["text"]) if place[1] not in left_out]
                for query in queries
            }
        yield _row(f"pdf-index {labels.stem}", rankings, gold, {"recall@1": 1, "recall@5": 5})


def _pages_of(index: Index, question: str) -> Ranking:
    hits = index.search(question, k=DEPTH).hits
    return _distinct(
        (citation.source.rpartition("/")[2], page)
        for hit in hits
        for citation in hit.citations
        for page in citation.pages or ()
    )


def _index_pages(pdf: Path) -> set[int]:
    """The pages of the printed index: near the end, most lines ending in page numbers."""
    import pymupdf

    found = set()
    with pymupdf.open(pdf) as document:
        for number in range(int(len(document) * 0.8), len(document)):
            lines = [line.strip() for line in document[number].get_text().splitlines() if line.strip()]
            ending = sum(bool(re.search(r"(?:[,.\s]|^)\d{1,4}$", line)) for line in lines)
            if lines and ending >= 0.4 * len(lines):
                found.add(number + 1)
    return found


def _distinct(items: Iterable[Any]) -> Ranking:
    return list(dict.fromkeys(items))


def _row(
    name: str, rankings: dict[str, Ranking], gold: dict[str, dict[Any, int]], metrics: dict[str, int]
) -> dict[str, Any]:
    asked = {query: rankings[query] for query in rankings if query in gold}
    values = {
        metric: round(_mean(_metric(metric, ranking, gold[query], k) for query, ranking in asked.items()), 4)
        for metric, k in metrics.items()
    }
    return {"set": name, "queries": len(asked), **values}


def _metric(metric: str, ranking: Sequence[Any], gold: dict[Any, int], k: int) -> float:
    first = ranking[:k]
    if metric.startswith("hit"):
        return float(any(item in gold for item in first))
    if metric.startswith("recall"):
        return sum(item in gold for item in first) / len(gold)
    gain = sum(gold.get(item, 0) / math.log2(rank + 2) for rank, item in enumerate(first))
    best = sum(
        score / math.log2(rank + 2) for rank, score in enumerate(sorted(gold.values(), reverse=True)[:k])
    )
    return gain / best


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)


MEASURES: dict[str, Callable[..., Iterable[dict[str, Any]]]] = {
    "anthropic-codebase": records("anthropic-codebase", {"recall@5": 5, "recall@10": 10, "recall@20": 20}),
    "musique-dev300": records("musique-dev300", {"recall@5": 5}),
    "scifact": records("scifact", {"ndcg@10": 10}),
    "xquad-zh": records("xquad-zh", {"ndcg@10": 10}),
    "ohr-pdf": pages_of_manuals,
    "pdf-index": printed_index,
}


if __name__ == "__main__":
    main()
