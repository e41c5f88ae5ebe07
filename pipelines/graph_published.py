"""The graph of the published generation: whether there is one, how it was made, and whether it still fits."""

from __future__ import annotations

from functools import cached_property

from ..indexer.graph.edits import Edits
from ..indexer.stores.folder import IndexFolder
from ..indexer.stores.manifest import Generation
from .graph_damage import is_damaged
from .owed import GRAPH

EXTRACTOR = "extractor"
EDITS = "graph edits"


def edits_of(folder: IndexFolder) -> Edits:
    """The merges and splits by hand that an index remembers."""
    kept = folder.ledger.note(EDITS)
    return Edits.from_json(kept) if kept else Edits()


def extractor_of(entry: Generation) -> str | None:
    """The name of what read the chunks of a generation for its graph, None where it has none."""
    return entry.models.get(EXTRACTOR)


class PublishedGraph:
    """The graph of the generation that is published; that one ``exists`` where there is any.

    ``held``: whether it has a graph at all, made in whatever generation. ``whole_in`` is the generation that
    the graph was last whole in, ``asked`` how it was to be made, ``extractor`` what read the chunks for it
    (empty: nothing); ``made`` is all that the manifest says of its making.
    """

    def __init__(self, folder: IndexFolder, published: int | None) -> None:
        entry = folder.manifest().generations.get(published or 0)
        models = entry.models if entry else {}
        self.exists = entry is not None
        self.whole_in = entry.structures.get(GRAPH) if entry else None
        self.held = self.whole_in is not None
        self.asked = models.get(GRAPH)
        self.extractor = models.get(EXTRACTOR, "")
        self.made = {name: models[name] for name in (GRAPH, EXTRACTOR, EDITS) if name in models}
        self._folder, self._published = folder, published

    def is_as(self, asked: str, edits: Edits) -> bool:
        """Whether it is whole, undamaged, and as a build would make it: with the same settings and edits, and
        by patterns of the same version, which a model's extractor rests on as well."""
        from ..indexer.graph.patterns import PatternExtractor

        whole = self.whole_in == self._published
        edited = self.made.get(EDITS, Edits().to_json()) != edits.to_json()
        alike = self.asked == asked and self.extractor.rpartition("/")[2] == PatternExtractor.name
        return whole and alike and not edited and not self._damaged

    @cached_property
    def _damaged(self) -> bool:
        """Looked at once: nobody else writes while a build does."""
        return self.held and is_damaged(self._folder, self._published or 0)
