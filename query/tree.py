"""The tree route: summaries and chunks, each with the chunks that it rests on."""

from __future__ import annotations

from dataclasses import replace

from ..indexer.stores.ports import VectorSnapshot
from .access import Access
from .question import Found, Question, Retriever
from .settings import SearchSettings
from .tree_collapsed import collapsed
from .tree_evidence import by_evidence
from .tree_map import TreeMap
from .tree_read import TreeRead
from .tree_settings import TreeReadSettings
from .tree_traversal import traversal


class TreeRetriever:
    """The tree route over one generation's snapshot and tree; a Retriever.

    ``hybrid`` says where the evidence is. A node is found only by who may read all that it rests on.
    """

    def __init__(
        self,
        snapshot: VectorSnapshot,
        tree: TreeMap,
        hybrid: Retriever,
        settings: TreeReadSettings,
        search: SearchSettings,
    ) -> None:
        self._snapshot = snapshot
        self._tree = tree
        self._hybrid = hybrid
        self._settings = settings
        self._search = search

    def over(self, hybrid: Retriever) -> TreeRetriever:
        """This route with another way to find the evidence: what ``hybrid`` found already, say."""
        return TreeRetriever(self._snapshot, self._tree, hybrid, self._settings, self._search)

    def __call__(self, question: Question, access: Access, limit: int) -> Found:
        """The ``limit`` best nodes and chunks that ``access`` shows."""
        found = self._hybrid(question, access, max(limit, self._settings.candidates))
        if not found.candidates:
            return found
        read = TreeRead(self._snapshot, self._tree, self._settings, question, access, found)
        if self._settings.read == "collapsed":
            candidates = collapsed(read, self._search, limit)
        elif self._settings.read == "traversal":
            candidates = traversal(read, limit)
        else:
            candidates = by_evidence(read, limit)
        return replace(found, candidates=candidates)
