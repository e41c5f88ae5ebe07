"""What reading by a name gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..indexer.pages import PageBox
from ..indexer.types import Citation, Entity, Fact
from .result import SCHEMA, citation_to_json, fact_to_json

if TYPE_CHECKING:
    from .graph_view import EntityView

Step = Mapping[str, str | int]
"""Something above what is read: its kind and title, an id where it has one, a node's or community's level and
what a node without a title ``holds``."""


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """What a node of the tree covers.

    ``title`` is the author's, of its section or of the document that it holds all of; empty for a cluster,
    of which ``holds`` gives the titles beneath instead: the first and the last, or those of its documents.
    ``passages`` counts the chunks beneath, ``documents`` are their sources, sorted. ``pages`` has every
    page that they touch, None where the documents are several or have none. ``tokens`` are the summary's;
    ``parents`` all nodes that hold it directly; ``facts`` what was counted over it when it was made.
    """

    level: int
    title: str
    section: tuple[str, ...]
    passages: int
    documents: tuple[str, ...]
    pages: tuple[int, ...] | None
    tokens: int
    parents: tuple[str, ...]
    facts: tuple[Fact, ...] = ()
    holds: str = ""

    def to_json(self) -> dict[str, Any]:
        """The facts as JSON values."""
        return {
            "level": self.level,
            "title": self.title,
            "holds": self.holds,
            "section": list(self.section),
            "passages": self.passages,
            "documents": list(self.documents),
            "pages": None if self.pages is None else list(self.pages),
            "tokens": self.tokens,
            "parents": list(self.parents),
            "facts": [fact_to_json(fact) for fact in self.facts],
        }


@dataclass(frozen=True, slots=True)
class CommunityFacts:
    """What a community holds: its ``members``, those of most mentions first, and the ids and titles of the
    ``communities`` directly beneath it, the largest first. ``documents`` are the sources of all that it rests
    on, sorted."""

    level: int
    title: str
    members: tuple[Entity, ...]
    documents: tuple[str, ...]
    communities: tuple[tuple[str, str], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The facts as JSON values."""
        return {
            "level": self.level,
            "title": self.title,
            "members": [{"id": one.id, "name": one.name, "type": one.type} for one in self.members],
            "documents": list(self.documents),
        }


@dataclass(frozen=True, slots=True)
class KeptImage:
    """A picture of a document that is kept beside the index: PNG file ``path`` of ``width`` by ``height``
    pixels, by its digest (``id``). It stands on ``page`` at ``box`` and belongs to ``chunk``: that with its
    ``caption``, or else with what stands nearest to it (None: its page has no text)."""

    id: str
    document: str
    source: str
    page: int
    box: PageBox
    width: int
    height: int
    caption: str
    chunk: str | None
    path: Path

    def to_json(self) -> dict[str, Any]:
        """The picture as JSON values."""
        box = self.box
        return {
            "id": self.id,
            "document": self.document,
            "source": self.source,
            "page": self.page,
            "box": [box.x0, box.y0, box.x1, box.y1],
            "width": self.width,
            "height": self.height,
            "caption": self.caption,
            "chunk": self.chunk,
            "path": str(self.path),
        }


@dataclass(frozen=True, slots=True)
class Reading:
    """What :meth:`.index.Index.read` gives back.

    ``kind`` is chunk, document, pages, node, entity or community. ``above`` leads down to it (each: kind,
    title, and an id where it has one): from the document through its sections, then, for a chunk, through the
    nodes of the tree from the highest on; for a node through nodes alone, for an entity or a community
    through communities. ``below`` lists the ids that it consists of, in order: of chunks, of a node's
    children, of the communities in a community (of its members where it holds none), of chunks that name an
    entity. ``beside`` has what to read for the one before and the one after it (``previous``, ``next``: an id
    or None). ``node``, ``entity`` and ``community`` are there for what is one;
    ``images`` are the pictures that are kept of a chunk, a document or pages.
    """

    id: str
    kind: str
    text: str
    citations: tuple[Citation, ...]
    context: str = ""
    above: tuple[Step, ...] = ()
    below: tuple[str, ...] = ()
    beside: Mapping[str, str | None] | None = None
    node: NodeFacts | None = None
    entity: EntityView | None = None
    community: CommunityFacts | None = None
    images: tuple[KeptImage, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The reading as JSON values, schema 1; what is known of a node, an entity or a community stands
        beside the rest."""
        special = self.node or self.entity or self.community
        return {
            **(special.to_json() if special else {}),
            "schema": SCHEMA,
            "id": self.id,
            "kind": self.kind,
            "text": self.text,
            "context": self.context,
            "citations": [citation_to_json(citation) for citation in self.citations],
            "above": [dict(step) for step in self.above],
            "below": list(self.below),
            "beside": dict(self.beside or {"previous": None, "next": None}),
            "images": [image.to_json() for image in self.images],
        }
