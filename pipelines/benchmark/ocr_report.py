"""What reading pages from their pictures took, and how well it was read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..evaluation.page.plots import Panel
from .tables import Table, facts, megabytes, seconds, share


@dataclass(frozen=True, slots=True)
class PageRead:
    """One page: ``seconds`` of the reader on it. Where it has a text layer, ``characters`` is the character
    error rate against that and ``words`` the share of its words that were read."""

    source: str
    page: int
    seconds: float
    lines: int
    confidence: float | None
    characters: float | None
    words: float | None


@dataclass(frozen=True, slots=True)
class OcrReport:
    """The figures of ``bench ocr``. ``wall`` and ``cpu`` are seconds for drawing and reading all pages,
    ``before`` and ``peak`` bytes of memory of the process tree."""

    reader: str
    dpi: int
    threads: int
    wall: float
    cpu: float
    before: int
    peak: int
    pages: tuple[PageRead, ...]

    def to_json(self) -> dict[str, Any]:
        """The report by the packaged schema."""
        return {"schema": 1, "kind": "ocr", **asdict(self), "pages": [asdict(page) for page in self.pages]}

    def tables(self) -> list[Table]:
        """One table of the whole, one of the files."""
        count = len(self.pages)
        whole = facts(
            "Pages read from their pictures",
            [
                ("pages", str(count)),
                ("dots an inch", str(self.dpi)),
                ("pages at once", str(self.threads)),
                ("wall seconds a page", seconds(self.wall / count)),
                ("CPU seconds a page", seconds(self.cpu / count)),
                ("memory before, MiB", megabytes(self.before)),
                ("peak memory, MiB", megabytes(self.peak)),
                ("character error, mean", _percent(page.characters for page in self.pages)),
                ("character error, median", _percent((p.characters for p in self.pages), np.median)),
                ("words found, mean", _percent(page.words for page in self.pages)),
            ],
            "Against the text layers of pages with at least 200 letters, both laid out alike.",
        )
        return [whole, self._files()]

    def panels(self) -> list[Panel]:
        """None: a table says it."""
        return []

    def _files(self) -> Table:
        files: dict[str, list[PageRead]] = {}
        for page in self.pages:
            files.setdefault(page.source, []).append(page)
        rows = tuple(
            (
                source,
                str(len(pages)),
                seconds(float(np.mean([page.seconds for page in pages]))),
                seconds(max(page.seconds for page in pages)),
                _percent(page.characters for page in pages),
                _percent(page.words for page in pages),
                _percent(page.confidence for page in pages),
            )
            for source, pages in files.items()
        )
        columns = ("file", "pages", "mean s", "most s", "character error", "words found", "confidence")
        return Table("Files", columns, rows, "Seconds of the reader on a page, others beside it.")


def _percent(values: Iterable[float | None], middle: Any = np.mean) -> str:
    known = [value for value in values if value is not None]
    return share(float(middle(known))) if known else "-"
