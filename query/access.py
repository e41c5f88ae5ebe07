"""Who may see what: from labels, field filters, sources and dates to a filter that the store enforces."""

from __future__ import annotations

import threading
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from ..indexer.stores.ports import Filter
from ..indexer.types import PUBLIC, Document, Kind, access_class

if TYPE_CHECKING:
    from ..indexer.stores.folder import Catalogue

SHARE = 0.01
"""The least share of a reader's documents that makes a language one of the questions."""
CACHED = 128
"""Accesses kept: the same reader with the same filters asks many questions."""


@dataclass(frozen=True, slots=True)
class Access:
    """What one reader sees of one generation.

    ``classes`` are the access classes that the reader may see, None for the owner, ``closed`` those of the
    generation that they may not. Of ``documents`` and ``not_documents``, which narrow that down by field,
    source and date, at most one is set: the shorter. Chunks of less than ``min_confidence`` are left out.
    """

    classes: tuple[str, ...] | None = None
    documents: tuple[str, ...] | None = None
    not_documents: tuple[str, ...] | None = None
    closed: tuple[str, ...] = ()
    min_confidence: float = 0.0

    @property
    def empty(self) -> bool:
        """True where nothing can be seen, so that no store need be asked."""
        return self.classes == () or self.documents == ()

    @property
    def narrowed(self) -> bool:
        """Whether it is less than what the reader may see, by field, source or date."""
        return self.documents is not None or self.not_documents is not None

    def shows(self, document: Document) -> bool:
        """Whether a document may be shown."""
        if self.classes is not None and access_class(document.labels) not in self.classes:
            return False
        if self.documents is not None:
            return document.id in self.documents
        return document.id not in (self.not_documents or ())

    def is_sure(self, chunk: Mapping[str, Any]) -> bool:
        """Whether a chunk (its payload) was read surely enough; a text layer is sure."""
        confidence = chunk.get("confidence")
        return confidence is None or float(confidence) >= self.min_confidence

    def where(self, kinds: Sequence[Kind] | None = ("chunk",)) -> Filter:
        """The rows of these kinds (None: of all) that may be shown."""
        return Filter(
            kinds=kinds,
            classes=self.classes,
            documents=self.documents,
            not_documents=self.not_documents,
            min_confidence=self.min_confidence,
        )

    def nodes(self, ids: Sequence[str] | None = None) -> Filter:
        """Those of the nodes ``ids`` (None: of all) that rest on nothing of a closed class. Which of them
        may be shown :meth:`.tree_map.TreeMap.readable` says; here the store makes sure by itself."""
        return Filter(kinds=("node",), not_classes=self.closed or None, ids=ids)

    def corpus(self, kinds: Sequence[Kind] | None = ("chunk",)) -> Filter:
        """The rows over which the IDF is counted: all that the reader may see, whatever the filters, so
        that a score neither leaks hidden rows nor moves with a filter."""
        return Filter(kinds=kinds, classes=self.classes)


class Readers:
    """Resolves readers over the catalogue of one generation. Safe from several threads."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._documents: Mapping[str, Document] = catalogue.documents
        self._classes: Mapping[str, tuple[str, ...]] = catalogue.classes
        self._dated = [
            document
            for document in catalogue.documents.values()
            if document.valid_from is not None or document.valid_until is not None
        ]
        self._languages: dict[tuple[str, ...] | None, tuple[str, ...]] = {}
        self._cache: dict[object, Access] = {}
        self._lock = threading.Lock()

    def access(
        self,
        labels: Sequence[str] | None = None,
        filters: Sequence[str] = (),
        sources: Sequence[str] = (),
        as_of: date | None = None,
    ) -> Access:
        """The access of a reader with ``labels`` (None: the owner, []: the public) to what matches all
        ``filters`` (``field=value``) and any of the globs ``sources``, valid on ``as_of`` (None: today).

        Raises ConfigurationError for a filter that cannot be read.
        """
        day = as_of or date.today()
        key = (None if labels is None else frozenset(labels), tuple(filters), tuple(sources), day)
        with self._lock:
            if (known := self._cache.get(key)) is not None:
                return known
        access = self._resolve(labels, filters, sources, day)
        with self._lock:
            if len(self._cache) >= CACHED:
                self._cache.clear()
            self._cache[key] = access
        return access

    def classes(self, labels: Sequence[str] | None) -> tuple[str, ...] | None:
        """The access classes that a reader with ``labels`` may see; None for the owner."""
        if labels is None:
            return None
        # A label that begins with NUL is the index's own, as that of hidden documents: nobody holds it.
        held = {unicodedata.normalize("NFC", label) for label in labels if not label.startswith("\0")}
        return tuple(
            sorted(key for key, needed in self._classes.items() if key == PUBLIC or held.intersection(needed))
        )

    def everything(self, labels: Sequence[str] | None) -> Access:
        """The access of a reader with ``labels`` to all that they may see, on whatever day it holds."""
        classes = self.classes(labels)
        closed = () if classes is None else tuple(sorted(self._classes.keys() - set(classes)))
        return Access(classes=classes, closed=closed)

    def documents(self, labels: Sequence[str] | None) -> tuple[Document, ...]:
        """The documents that a reader with ``labels`` may see, by source."""
        classes = self.classes(labels)
        seen = (
            document
            for document in self._documents.values()
            if classes is None or access_class(document.labels) in classes
        )
        return tuple(sorted(seen, key=lambda document: document.source))

    def languages(self, labels: Sequence[str] | None) -> tuple[str, ...]:
        """The languages of the documents that a reader may see: what a question is encoded in.

        One that hardly any of them has is left out: a short record's language is often a wrong guess.
        """
        classes = self.classes(labels)
        if classes not in self._languages:
            counts = Counter(
                document.language
                for document in self._documents.values()
                if document.language and (classes is None or access_class(document.labels) in classes)
            )
            least = SHARE * counts.total()
            self._languages[classes] = tuple(sorted(name for name, n in counts.items() if n >= least))
        return self._languages[classes]

    def _resolve(
        self, labels: Sequence[str] | None, filters: Sequence[str], sources: Sequence[str], day: date
    ) -> Access:
        hidden = {document.id for document in self._dated if not _valid(document, day)}
        if filters or sources:
            hidden |= self._unmatched(filters, sources)
        access = self.everything(labels)
        if not hidden:
            return access
        seen = [identifier for identifier in self._documents if identifier not in hidden]
        if len(seen) <= len(hidden):
            return replace(access, documents=tuple(sorted(seen)))
        return replace(access, not_documents=tuple(sorted(hidden)))

    def _unmatched(self, filters: Sequence[str], sources: Sequence[str]) -> set[str]:
        from ..indexer.metadata import parse_filter, source_matches

        matching = parse_filter(filters)
        return {
            document.id
            for document in self._documents.values()
            if not matching.matches(document) or (sources and not source_matches(sources, document.source))
        }


def _valid(document: Document, day: date) -> bool:
    after_start = document.valid_from is None or document.valid_from <= day
    return after_start and (document.valid_until is None or day <= document.valid_until)
