"""The documents that a set's labels name, as an index of them will name them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ....indexer.errors import LoadError
from ....indexer.loaders.pdf_open import open_pdf
from ....indexer.loaders.settings import LoadSettings
from ....indexer.sources import SourceFile, escape_name, parse_roots, walk


class Sources:
    """The files below some roots, found by what a label calls them.

    Raises what :func:`parse_roots` and :func:`walk` raise, SourceUnreadable above all.
    """

    def __init__(self, specs: Sequence[str]) -> None:
        self.roots = parse_roots(specs)
        self._files = {file.source: file for file in walk(self.roots).files}
        self._by_name: dict[str, list[SourceFile]] = {}
        for file in self._files.values():
            self._by_name.setdefault(file.source.rpartition("/")[2], []).append(file)
        self._counts: dict[str, int | None] = {}

    def find(self, name: str) -> list[SourceFile]:
        """The files that ``name`` may mean: the one of that source or at that place below a root, else
        all whose source ends so."""
        for spelled in dict.fromkeys((name, escape_name(name))):
            exact = (spelled, *(f"{root.name}/{spelled}" for root in self.roots))
            found = [self._files[source] for source in exact if source in self._files]
            if not found:
                beneath = self._by_name.get(spelled.rpartition("/")[2], ())
                found = [file for file in beneath if f"/{file.source}".endswith(f"/{spelled}")]
            if found:
                return found
        return []

    def page_count(self, file: SourceFile) -> int | None:
        """The pages of a PDF; None for another file, or one that cannot be opened here."""
        if file.source not in self._counts:
            self._counts[file.source] = _page_count(file.path) if is_pdf(file.path) else None
        return self._counts[file.source]


def is_pdf(path: Path) -> bool:
    """Whether a file is called a PDF."""
    return path.suffix.lower() == ".pdf"


def _page_count(path: Path) -> int | None:
    try:
        with open_pdf(path, LoadSettings(), None) as document:
            return int(document.page_count)
    except LoadError:
        # The build that reads it says what is wrong with it.
        return None
