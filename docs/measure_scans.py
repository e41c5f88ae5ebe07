"""What reading pages from their pictures costs in finding them: the same pages with text and as scans.

``python docs/measure_scans.py $EVAL_DATA/ohr-pdf --pages 100`` draws a sample of the pages that questions
are asked of as pictures (no text left), builds one index over the pages as they are and one over the
pictures, and asks both every question of these pages, over the hybrid route.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pymupdf
import treegraph
from treegraph.pipelines.config import Config

Page = tuple[str, int]
"""A PDF's name, and a page of the sampled file, from 1 on."""


def sampled(data: Path, pages: int, seed: int) -> tuple[dict[str, list[int]], dict[Page, list[str]]]:
    """The pages by PDF, from 0 on, in order; and the questions of each, by its place in the sampled file."""
    asked: dict[tuple[str, int], list[str]] = defaultdict(list)
    for line in (data / "queries.jsonl").read_text("utf-8").splitlines():
        question = json.loads(line)
        asked[question["pdf"], question["page0"]].append(question["text"])
    chosen: dict[str, list[int]] = defaultdict(list)
    for name, page in sorted(random.Random(seed).sample(sorted(asked), min(pages, len(asked)))):
        chosen[name].append(page)
    places = {
        (name, at): asked[name, page] for name, held in chosen.items() for at, page in enumerate(held, 1)
    }
    return dict(chosen), places


def write(data: Path, chosen: dict[str, list[int]], home: Path, dpi: int) -> None:
    """The sampled pages twice: as they are in ``text``, as pictures in ``scan``."""
    for name, held in chosen.items():
        source, text, scan = pymupdf.open(data / "pdf" / name), pymupdf.open(), pymupdf.open()
        for number in held:
            text.insert_pdf(source, from_page=number, to_page=number)
            shown = source[number]
            page = scan.new_page(width=shown.rect.width, height=shown.rect.height)
            page.insert_image(page.rect, pixmap=shown.get_pixmap(dpi=dpi))
        for kind, document in (("text", text), ("scan", scan)):
            (home / kind).mkdir(exist_ok=True)
            document.save(home / kind / Path(name).name)


def hits(home: Path, kind: str, places: dict[Page, list[str]]) -> Iterator[tuple[bool, bool]]:
    """For each question whether its page is cited first, and among the first five."""
    report = treegraph.build_index(
        [home / kind], home / f"{kind}.index", config=Config(), without=["tree", "graph"]
    )
    print(f"{kind}: {report.to_json()['read']} in {report.to_json()['seconds']['total']:.0f} s")
    with treegraph.open_index(home / f"{kind}.index") as index:
        for (name, page), questions in places.items():
            for question in questions:
                found: list[Page] = []
                for hit in index.search(question, k=20, route="hybrid"):
                    for citation in hit.citations[:1]:
                        found += [(Path(citation.source).name, number) for number in citation.pages or ()]
                first = list(dict.fromkeys(found))[:5]
                gold = (Path(name).name, page)
                yield first[:1] == [gold], gold in first


def main() -> None:
    """Measure, and print a line a kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dpi", type=int, default=150)
    options = parser.parse_args()
    chosen, places = sampled(options.data, options.pages, options.seed)
    with tempfile.TemporaryDirectory() as home:
        write(options.data, chosen, Path(home), options.dpi)
        for kind in ("text", "scan"):
            found = list(hits(Path(home), kind, places))
            first, five = (sum(column) / len(found) for column in zip(*found, strict=True))
            print(f"{kind}: {len(found)} questions, page hit@1 {first:.3f}, hit@5 {five:.3f}")


if __name__ == "__main__":
    main()
