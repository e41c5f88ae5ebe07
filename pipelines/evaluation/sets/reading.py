"""Reading sets of labelled questions, told apart by what is in their folder; and saving them."""

from __future__ import annotations

import os
from pathlib import Path

from ....indexer.errors import BadSet
from ....indexer.sources_names import escape_name
from ..questions import EvaluationSet, Part
from .file import SETTINGS, check_folder, read_saved, write_set
from .labels import read_labels
from .lines import Faults
from .pages import Labels
from .queries import read_queries
from .records import CORPUS, JUDGEMENTS, QUERIES, read_records
from .sources import Sources

__all__ = ["check_folder", "read_set", "write_set"]

_FORMS = (
    "a set is a folder with corpus.jsonl, queries.jsonl and qrels.tsv; or one with PDFs in pdf/ (or --pdfs "
    "DIR) and queries.jsonl with a pdf and its page0 for each; or a .jsonl file, or a folder of them, with "
    "such labels"
)


def read_set(path: Path, pdfs: Path | None = None) -> EvaluationSet:
    """The set at ``path``: a folder in the BEIR layout; one with PDFs and questions whose gold are pages;
    one that was saved (``set.toml``); or labels alone, a JSONL file or a folder of them.

    ``pdfs`` is where the PDFs of labels are; by default ``pdf`` beside them. Pages in files are counted
    from 0; in the set, as everywhere, from 1.

    Raises BadSet, with file and line, for what is missing or contradicts itself; SourceUnreadable where
    documents cannot be read.
    """
    path = Path(os.path.abspath(path.expanduser()))
    pdfs = Path(os.path.abspath(pdfs.expanduser())) if pdfs else None
    if pdfs is not None and not pdfs.exists():
        raise BadSet(f"{escape_name(str(pdfs))}: there is no such folder of PDFs")
    if path.is_file():
        if path.suffix != ".jsonl":
            raise BadSet(f"{escape_name(str(path))}: is not a set: {_FORMS}")
        return read_labels([path], pdfs or path.parent / "pdf", path)
    if not path.is_dir():
        raise BadSet(f"{escape_name(str(path))}: there is no such set: {_FORMS}")
    return _read_folder(path, pdfs)


def _read_folder(path: Path, pdfs: Path | None) -> EvaluationSet:
    names = {entry.name for entry in path.iterdir()}
    if SETTINGS in names:
        return read_saved(path, path)
    if CORPUS in names or any((path / judgements).exists() for judgements in JUDGEMENTS):
        return read_records(path, path)
    if QUERIES in names:
        return _read_pages(path, pdfs)
    labels = sorted(path / name for name in names if name.endswith(".jsonl"))
    if not labels:
        raise BadSet(f"{escape_name(str(path))}: is not a set: {_FORMS}")
    return read_labels(labels, pdfs or path / "pdf", path)


def _read_pages(path: Path, pdfs: Path | None) -> EvaluationSet:
    """Questions whose gold are pages of PDFs that are all in one index."""
    folder = pdfs or path / "pdf"
    shown = escape_name(str(folder))
    if not folder.exists():
        raise BadSet(f"{shown}: there is no such folder; say where the PDFs are with --pdfs DIR")
    faults = Faults()
    labels = Labels(
        Sources([str(folder)]),
        faults,
        lambda name: f"{name} is not in {shown}; say where the PDFs are with --pdfs DIR",
        lambda file: file.source,
    )
    questions = tuple(labels.questions(read_queries(path / QUERIES, faults)))
    faults.check()
    if not questions:
        raise BadSet(f"{escape_name(str(path / QUERIES))}: holds no question")
    return EvaluationSet(path.name, (Part(path.name, (str(folder),), questions, "page"),), path)
