"""An answer in the documents' own words: sentences that were chosen, or what was counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np

from ...indexer.models.ports import Vectors
from ..deadline import Deadline, TimeUp
from ..enumeration import Enumeration
from ..models import Models
from ..result import SearchResult
from .asked import Asked
from .composing import Composer
from .counting import counted
from .evidence import Source, stated_by
from .extract import extract
from .passages import Passages


@dataclass(slots=True)
class Extracting:
    """Makes extracts of at most so many ``sentences``. ``unlike``: the embedder was late, and they are chosen
    by words alone."""

    models: Models
    sentences: int
    until: float | None
    unlike: bool = False

    def extracted(self, asked: Asked, sources: Sequence[Source], result: SearchResult) -> Composer:
        """The sentences of ``sources`` that answer best."""
        composer = Composer()
        before: Source | None = None
        chosen = extract(
            asked.without_asking(),
            sources,
            self.sentences,
            lambda texts: self._likeness(asked.text, texts),
            stated_by(result.hits),
        )
        for each in chosen:
            same = before is not None and before.citation == each.source.citation and each.prose
            composer.add(each.text, (each.source,), (), " " if same else "\n")
            before = each.source
        return composer

    def _likeness(self, asked: str, texts: Sequence[str]) -> Vectors:
        """The cosine of each text to the question, in what time is left; 0 for all where that is too late."""
        if not self.unlike:
            left = None if self.until is None else max(0.0, self.until - monotonic())
            try:
                return self.models.cosines(asked, texts, Deadline(left))
            except TimeUp:
                self.unlike = True
        return np.zeros(len(texts), np.float32)


def listed(enumeration: Enumeration, passages: Passages) -> Composer:
    """What was counted, a line a group."""
    composer = Composer()
    for line, sources in counted(enumeration, passages):
        composer.add(line, sources, (), "\n")
    return composer
