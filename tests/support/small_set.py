"""Small evaluation sets on disk: records with qrels, and a PDF with pages as gold."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pymupdf

TEXTS = {
    "pump": "The pump controller is reset by holding the green key for five seconds.",
    "filter": "Replace the membrane filter every 400 hours of operation.",
    "valve": "Open the drain valve VX-12 before transport.",
    "warranty": "The warranty ends after two years, or after 9000 hours.",
    "noise": "Bearings that sing at low speed want grease.",
    "frost": "Below zero degrees the housing must be drained completely.",
}
QUESTIONS = {
    "q1": ("How is the pump controller reset?", ("pump",), "procedure"),
    "q2": ("How often is the membrane filter replaced?", ("filter",), "fact"),
    "q3": ("VX-12", ("valve",), "fact"),
    "q4": ("When does the warranty end, and what must happen in frost?", ("warranty", "frost"), "fact"),
}


def write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")


def write_records(folder: Path) -> Path:
    """A set of records: corpus.jsonl, queries.jsonl, qrels.tsv."""
    folder.mkdir(parents=True)
    write_lines(
        folder / "corpus.jsonl",
        ({"_id": name, "title": name.title(), "text": text} for name, text in TEXTS.items()),
    )
    write_lines(
        folder / "queries.jsonl",
        ({"_id": name, "text": text, "type": kind} for name, (text, _, kind) in QUESTIONS.items()),
    )
    pairs = (f"{name}\t{gold}\t1\n" for name, (_, golds, _) in QUESTIONS.items() for gold in golds)
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(pairs), "utf-8")
    return folder


def write_pages(folder: Path) -> Path:
    """A set of one PDF, a page a text, with gold pages."""
    (folder / "pdf").mkdir(parents=True)
    document = pymupdf.open()
    for text in TEXTS.values():
        document.new_page().insert_textbox((50, 50, 500, 700), text, fontsize=11)
    document.save(folder / "pdf" / "manual.pdf")
    document.close()
    order = list(TEXTS)
    write_lines(
        folder / "queries.jsonl",
        (
            {"_id": name, "text": text, "pdf": "manual.pdf", "pages0": [order.index(gold) for gold in golds]}
            for name, (text, golds, _) in QUESTIONS.items()
        ),
    )
    return folder
