"""Sets that are labels alone: a JSONL file, or a folder of them, over PDFs that lie elsewhere."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ....indexer.errors import BadSet, LoadError
from ....indexer.sources import SourceFile, escape_name
from ..places import page_place
from ..printed.index import printed_index
from ..questions import EvaluationSet, Part
from .lines import Faults
from .pages import Labels, named_files
from .queries import Query, read_queries
from .sources import Sources, is_pdf


@dataclass(frozen=True, slots=True)
class _File:
    """A file of labels; ``found`` are the documents that they name, by the name of each."""

    path: Path
    queries: list[Query]
    found: dict[str, list[SourceFile]]

    @property
    def documents(self) -> list[SourceFile]:
        """The documents, each once, that are named clearly."""
        clear = {found[0].source: found[0] for found in self.found.values() if len(found) == 1}
        return list(clear.values())


def read_labels(files: list[Path], folder: Path, path: Path) -> EvaluationSet:
    """The set of label files over the documents in ``folder``: one part a file, named by its stem.

    A label without a file means ``<stem>.pdf``. A file whose documents are all missing is left out if
    another's are there. The pages of a printed index are left out of the rankings: labels of this kind
    come from it.

    Raises BadSet for faults, and where no document is in ``folder``.
    """
    faults = Faults()
    sources = _sources(folder)
    read = [_read(file, sources, faults) for file in files]
    some = any(any(file.found.values()) for file in read)
    kept = [file for file in read if any(file.found.values()) or not some]
    missing = f"is not in {escape_name(str(folder))}; say where the PDFs are with --pdfs DIR"
    notes = [
        f"{escape_name(file.path.name)} is left out: none of its documents {missing}"
        for file in read
        if file not in kept
    ]
    parts = [_part(file, sources, faults, missing) for file in kept]
    faults.check()
    parts = [
        _without_index(part, file, notes) for part, file in zip(parts, kept, strict=True) if part.questions
    ]
    if not parts:
        raise BadSet(f"{escape_name(str(path))}: no label in it")
    name = path.stem if path.is_file() else path.name
    return EvaluationSet(name, tuple(parts), path, tuple(notes))


def _sources(folder: Path) -> Sources:
    return Sources([str(folder)] if folder.exists() else [])


def _read(path: Path, sources: Sources, faults: Faults) -> _File:
    queries = read_queries(path, faults)
    names = {name for query in queries for name in named_files(query, f"{path.stem}.pdf")}
    return _File(path, queries, {name: sources.find(name) for name in sorted(names)})


def _part(file: _File, sources: Sources, faults: Faults, missing: str) -> Part:
    specs = _specs(file.documents)
    labels = Labels(
        sources,
        faults,
        lambda name: f"{name} {missing}",
        lambda document: specs[document.source][0],
        f"{file.path.stem}.pdf",
    )
    questions = tuple(labels.questions(file.queries))
    return Part(file.path.stem, tuple(spec for _, spec in specs.values()), questions, "page")


def _without_index(part: Part, file: _File, notes: list[str]) -> Part:
    """The part, the pages of its documents' printed indexes left out."""
    left_out: set[str] = set()
    specs = _specs(file.documents)
    for document in file.documents:
        if is_pdf(document.path):
            left_out |= _index_places(specs[document.source][0], document.path, notes)
    return replace(part, left_out=frozenset(left_out))


def _specs(documents: Sequence[SourceFile]) -> dict[str, tuple[str, str]]:
    """For each document what an index of these files alone calls it, and how a build is told so."""
    often = Counter(escape_name(document.path.name) for document in documents)
    specs = {}
    for document in documents:
        name, path = escape_name(document.path.name), os.path.abspath(document.path)
        if often[name] > 1:
            name = document.source.replace("/", "-").replace("=", "-")
            specs[document.source] = (name, f"{name}={path}")
        else:
            specs[document.source] = (name, path)
    return specs


def _index_places(source: str, path: Path, notes: list[str]) -> set[str]:
    try:
        index = printed_index(path)
    except LoadError as error:
        notes.append(f"{source}: no printed index was looked for: {error}")
        return set()
    return {page_place(source, page) for page in index.pages} if index else set()
