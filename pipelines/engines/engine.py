"""The port of what computes the stages of a build."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from ...indexer.graph.extraction import Extraction, Extractor, Passage
from ...indexer.models.ports import Embedder, SparseEncoder
from ..editing import Edit
from ..model_counts import ModelCounts
from ..preparation import FileOrder, FileRead, Prepared

if TYPE_CHECKING:
    from ..building import Build
    from ..page_reading import PagePictures


@dataclass(frozen=True, slots=True)
class FileTerms:
    """How files are prepared for the index ``index_id``: ``moved`` are the ids that no new document may take,
    ``edit`` changes what was read before it is cut."""

    index_id: str
    moved: frozenset[str] = frozenset()
    edit: Edit | None = None

    @property
    def keeps_images(self) -> bool:
        """Whether pictures may be kept: they would show what an edit takes out."""
        return self.edit is None


@dataclass(slots=True)
class PreparationWork:
    """What preparing files took: model calls of contexts and of pages read natively; ``failed`` counts the
    pages that were not read as wanted, by reason."""

    contexts: ModelCounts = field(default_factory=ModelCounts)
    native: ModelCounts = field(default_factory=ModelCounts)
    failed: Counter[str] = field(default_factory=Counter)

    def add(self, other: PreparationWork) -> None:
        """Add what was taken elsewhere."""
        self.contexts.take(other.contexts)
        self.native.take(other.native)
        self.failed += other.failed

    def take(self, contexts: ModelCounts, pictures: PagePictures) -> None:
        """Add what situating and reading pages took."""
        self.contexts.take(contexts)
        self.native.take(pictures.spent("native"))
        self.failed += pictures.failed


class Engine(Protocol):
    """Computes the stages of builds, by the same functions wherever that is. Stores and ledger are written
    by the build alone, in the order in which results are given: that of what was asked.

    All raise Cancelled once the build's ``cancel`` is set.
    """

    def prepared(
        self, build: Build, orders: Iterable[FileOrder], terms: FileTerms, work: PreparationWork
    ) -> Generator[Prepared | FileRead]:
        """The documents of each file with their situated chunks, then its FileRead, in the order of
        ``orders``. What that took is added to ``work``."""
        ...

    def encoders(self, build: Build) -> tuple[Embedder, SparseEncoder]:
        """The build's encoders. Raises ModelUnavailable."""
        ...

    def extracted(
        self, build: Build, extractor: Extractor, passages: Iterable[Passage], counts: ModelCounts
    ) -> Iterator[Extraction]:
        """What each passage says, by the build's ``extractor``. What that took is added to ``counts``."""
        ...

    def close(self) -> None:
        """Stop whatever was started. Safe to call twice."""
        ...
