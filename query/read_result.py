"""What reading by a name gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..indexer.types import Citation, Fact
from .result import SCHEMA, citation_to_json, fact_to_json

Step = Mapping[str, str | int]
"""Something above what is read: its kind and title, an id where it has one, a node's level and what a node
without a title ``holds``."""


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
class Reading:
    """What :meth:`.index.Index.read` gives back.

    ``kind`` is chunk, document, pages or node. ``above`` leads down to it (each: kind, title, and an id
    where it has one): from the document through its sections, then, for a chunk, through the nodes of the
    tree from the highest on; for a node through nodes alone. ``below`` lists the ids of the chunks, or of
    a node's children, that it consists of, in order. ``beside`` has what to read for the one before and the
    one after it (``previous``, ``next``: an id or None). ``node`` is there for a node.
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

    def to_json(self) -> dict[str, Any]:
        """The reading as JSON values, schema 1; a node's facts stand beside the rest."""
        return {
            "schema": SCHEMA,
            "id": self.id,
            "kind": self.kind,
            "text": self.text,
            "context": self.context,
            "citations": [citation_to_json(citation) for citation in self.citations],
            "above": [dict(step) for step in self.above],
            "below": list(self.below),
            "beside": dict(self.beside or {"previous": None, "next": None}),
            **(self.node.to_json() if self.node else {}),
        }
