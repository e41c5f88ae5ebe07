"""Nodes as rows of the vector store: payload, digests and keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..indexer.context import section_line
from ..indexer.digests import digest
from ..indexer.tree.skeleton import Branch
from ..indexer.types import Fact
from .rows import row_key


@dataclass(frozen=True, slots=True)
class NodeContent:
    """What a node says, and what it rests on.

    ``made`` is the digest of all that the summary depends on, ``said`` that of ``text`` (which is None
    where the store holds it already). ``pages`` are the first and last of its one document, None where it
    has several or no pages; ``by`` names what wrote the summary. ``facts`` are stored beside the text and
    are no part of what is embedded or encoded.
    """

    branch: Branch
    made: str
    said: str
    tokens: int
    by: str
    documents: tuple[str, ...]
    classes: tuple[str, ...]
    pages: tuple[int, int] | None
    title: str
    language: str | None
    facts: tuple[Fact, ...]
    text: str | None = None

    @property
    def context(self) -> str:
        """What situates the node: its document's title and the path of its section."""
        return section_line(self.title, self.branch.section)


@dataclass(frozen=True, slots=True)
class WantedNode:
    """A row that the generation being built should hold for a node. ``payload`` is without its text.

    ``embedded`` is the digest of everything that its vectors depend on, ``digest`` of all that is stored.
    """

    id: str
    payload: Mapping[str, Any]
    embedded: str
    digest: str

    def bare(self) -> WantedNode:
        """The row without its dense vector: another one than that with it."""
        return replace(self, embedded="", digest=digest([self.digest, ""]))

    def key(self, since: int) -> str:
        """The key of this row as first written in generation ``since``."""
        return row_key(self.id, since, self.digest)


def wanted_node(content: NodeContent, models: str) -> WantedNode:
    """The row of a node; ``models`` names the encoders that make its vectors.

    ``document`` and ``class`` hold all that are beneath, so that one filter takes out every node that
    rests on what a reader may not see.
    """
    branch = content.branch
    embedded = digest([models, content.language, content.context, content.said])
    payload = {
        "id": branch.id,
        "kind": "node",
        "level": branch.level,
        "document": list(content.documents),
        "class": list(content.classes),
        "title": branch.title,
        "context": content.context,
        "section": list(branch.section),
        "first_page": content.pages[0] if content.pages else None,
        "last_page": content.pages[1] if content.pages else None,
        "token_count": content.tokens,
        "language": content.language,
        "by": content.by,
        "facts": [
            {"kind": fact.kind, "text": fact.text, "members": list(fact.members)} for fact in content.facts
        ],
    }
    return WantedNode(branch.id, payload, embedded, digest([payload, content.said, embedded]))
