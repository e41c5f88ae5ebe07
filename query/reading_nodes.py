"""Reading the tree: a node whole, with what is above, below and beside it, as one reader may see it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from ..indexer.stores.ports import Filter, VectorSnapshot
from ..indexer.types import Document
from .access import Access
from .read_result import NodeFacts, Reading, Step
from .result import cite, facts_of
from .tree_map import TreeMap

Payload = Mapping[str, Any]


class NodeReader:
    """The nodes of one generation for one reader, who sees a node only where ``access`` shows every
    document beneath it. A reading has at most ``citations``."""

    def __init__(
        self,
        snapshot: VectorSnapshot,
        tree: TreeMap,
        documents: Mapping[str, Document],
        access: Access,
        citations: int,
    ) -> None:
        self.tree = tree
        self._snapshot = snapshot
        self._documents = documents
        self._access = access
        self._citations = citations

    @cached_property
    def readable(self) -> frozenset[str]:
        """The nodes that the reader may see."""
        return self.tree.readable(self._access)

    @cached_property
    def _singles(self) -> frozenset[str]:
        return self.tree.readable_singles(self._access)

    def shows(self, chunk: str) -> bool:
        """Whether the reader may see the document that is but this chunk."""
        return chunk in self._singles

    def read(self, identifier: str) -> Reading | None:
        """The node of that id; None where there is none that this reader may see."""
        if identifier not in self.readable or not (rows := self.payloads([identifier])):
            return None
        payload = rows[identifier]
        leaves = [self.tree.leaf(int(place)) for place in self.tree.beneath(identifier)]
        one = len(self.tree.nodes[identifier].documents) == 1
        # The pages of all of them are asked for; of several documents there are no pages to list.
        chunks = self.chunks(leaves if one else leaves[: self._citations])
        citations = tuple(cite(chunk, self._documents) for chunk in chunks)
        pages = {page for citation in citations for page in citation.pages or ()}
        return Reading(
            id=identifier,
            kind="node",
            text=payload["text"],
            context=payload.get("context") or "",
            citations=citations[: self._citations],
            above=self.above(identifier),
            below=self.tree.nodes[identifier].children,
            beside=self._beside(identifier),
            node=self._facts(identifier, payload, tuple(sorted(pages)) if one and pages else None),
        )

    def above(self, identifier: str) -> tuple[Step, ...]:
        """The nodes above a node or chunk, the highest first, by the first parent that may be seen."""
        steps: list[Step] = []
        while seen := [node for node in self.tree.parents(identifier) if node in self.readable]:
            identifier = seen[0]
            steps.append(self.tree.step(identifier))
        return tuple(reversed(steps))

    def sources(self, documents: Iterable[str]) -> tuple[str, ...]:
        """The sources of documents, sorted."""
        return tuple(sorted(self._documents[name].source for name in documents if name in self._documents))

    def payloads(self, nodes: Sequence[str]) -> dict[str, Payload]:
        """What the store keeps of nodes, by id."""
        rows = self._snapshot.fetch(self._access.nodes(nodes))
        return {row.payload["id"]: row.payload for row in rows}

    def _facts(self, node: str, payload: Payload, pages: tuple[int, ...] | None) -> NodeFacts:
        shape = self.tree.nodes[node]
        return NodeFacts(
            level=shape.level,
            title=self.tree.titles.title(node),
            holds=self.tree.titles.holds(node),
            section=tuple(payload.get("section") or ()),
            passages=len(self.tree.beneath(node)),
            documents=self.sources(shape.documents),
            pages=pages,
            tokens=shape.tokens,
            parents=tuple(parent for parent in self.tree.parents(node) if parent in self.readable),
            facts=facts_of(payload),
        )

    def chunks(self, ids: Sequence[str]) -> list[Payload]:
        """Chunks that the reader may see, in the order of reading."""
        where = Filter(kinds=("chunk",), classes=self._access.classes, ids=ids)
        known = {row.payload["id"]: row.payload for row in self._snapshot.fetch(where)}
        return [known[name] for name in ids if name in known]

    def _beside(self, node: str) -> Mapping[str, str | None]:
        """The children of its first parent before and after it, of those that may be seen."""
        parents = self.tree.parents(node)
        children = self.tree.nodes[parents[0]].children if parents else (node,)
        chunks = [child for child in children if child not in self.tree]
        visible = self.readable.union(chunk["id"] for chunk in (self.chunks(chunks) if chunks else ()))
        shown = [child for child in children if child in visible]
        at = shown.index(node)
        return {
            "previous": shown[at - 1] if at else None,
            "next": shown[at + 1] if at + 1 < len(shown) else None,
        }
