"""Hits as nodes of LlamaIndex: the text apart from its context, the citation in metadata that its
postprocessors, engines and interfaces read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from llama_index.core.schema import NodeRelationship, NodeWithScore, ObjectType, RelatedNodeInfo, TextNode

from ...indexer.types import Citation, Hit
from ..read_result import KeptImage
from ..result import SearchResult, citation_to_json, least_sure, page_label
from .llama_options import ScoredBy

WINDOW = "window"
"""The key under which a chunk stands with its neighbours around it, as LlamaIndex's own window parser
names it: ``MetadataReplacementPostProcessor(WINDOW)`` puts that in the place of the chunk."""
IMAGES = "images"
"""The key of the pictures that are kept of a chunk: each with its ``path``, ``page``, ``caption`` ..."""
_SHOWN = ("source", "page_label", "title", "section", "context", "facts")
"""What a language model may see of the metadata; ids and scores are not among it."""
_EMBEDDED = ("context",)
"""What is embedded with a text, and read by a reranker: what the index itself embeds with it."""


class HitNode(TextNode):
    """A node of the index. Its hash is that of its id and text alone: what fuses the results of several
    questions (``QueryFusionRetriever``) knows it again, however it was scored."""

    @property
    def hash(self) -> str:
        """The sha256 of id and text."""
        return sha256(f"{self.id_}\n{self.text}".encode("utf-8", "surrogatepass")).hexdigest()


def nodes_of(
    result: SearchResult,
    scored_by: ScoredBy = "score",
    images: Mapping[str, Sequence[KeptImage]] | None = None,
) -> list[NodeWithScore]:
    """The hits of a result as nodes, best first; a node's id is its hit's. ``images`` are the pictures that
    are kept of hits, by id."""
    kept = {name: {IMAGES: [one.to_json() for one in some]} for name, some in (images or {}).items()}
    whole = {"route": ", ".join(result.route.used), "generation": result.generation}
    if result.degraded:
        whole["degraded"] = list(result.degraded)
    return [
        NodeWithScore(
            node=node_of(hit, {**whole, **kept.get(hit.id, {})}), score=float(getattr(hit, scored_by))
        )
        for hit in result.hits
    ]


def node_of(hit: Hit, more: dict[str, Any] | None = None) -> HitNode:
    """A hit as a node; ``more`` is added to its metadata."""
    metadata = {**_place(hit), **_facts(hit), **(more or {})}
    shown = _shown(hit, metadata)
    return HitNode(
        id_=hit.id,
        text=hit.text,
        extra_info=metadata,  # the field's alias, which is what a type checker knows it by
        excluded_llm_metadata_keys=[key for key in metadata if key not in shown],
        excluded_embed_metadata_keys=[key for key in metadata if key not in _EMBEDDED],
        relationships=_relationships(hit),
    )


def _place(hit: Hit) -> dict[str, Any]:
    """Where a hit comes from: its own citation, or what the citations of a node or report share."""
    cited = hit.citations
    documents = list(dict.fromkeys(citation.document for citation in cited))
    sources = list(dict.fromkeys(citation.source for citation in cited))
    one = cited[0] if len(documents) == 1 else None
    pages = sorted({page for citation in cited for page in citation.pages or ()}) if one else []
    return {
        "file_name": ", ".join(dict.fromkeys(_file_name(source) for source in sources)),
        "source": ", ".join(sources),
        "page_label": page_label(pages),
        "pages": pages,
        "title": one.title if one else "",
        "section": " > ".join(one.section if hit.kind == "chunk" and one else ()),
        "document_id": one.document if one else "",
        "origin": ", ".join(dict.fromkeys(citation.origin for citation in cited)),
    }


def _facts(hit: Hit) -> dict[str, Any]:
    """What else is known of a hit; of what it has nothing of there is no key."""
    known: dict[str, Any] = {
        "kind": hit.kind,
        "level": hit.level,
        "confidence": least_sure(hit.citations),
        "context": hit.context,
        "facts": "\n".join(fact.text for fact in hit.facts),
        "citations": [citation_to_json(citation) for citation in hit.citations],
        "score": hit.score,
        "relevance": hit.relevance,
        "scores": dict(hit.scores),
        "ranks": dict(hit.ranks),
        "passages": hit.passages,
        "path": [dict(step) for step in hit.path or ()],
        WINDOW: _window(hit),
    }
    always = ("kind", "level", "citations", "score", "relevance", "scores", "ranks")
    return {key: value for key, value in known.items() if value or key in always}


def _shown(hit: Hit, metadata: dict[str, Any]) -> set[str]:
    """The keys that a language model sees: nothing empty, and nothing that the context says already."""
    shown = {key for key in _SHOWN if metadata.get(key)}
    if hit.kind != "chunk":
        shown.add("kind")  # a summary is not the words of a source
    for key in ("title", "section"):
        if metadata[key] in hit.context or metadata[key] == metadata["file_name"]:
            shown.discard(key)
    return shown


def _window(hit: Hit) -> str:
    """A chunk with the neighbours that were asked for, in reading order; empty where there are none."""
    if not hit.neighbours:
        return ""
    before = [neighbour.text for neighbour in hit.neighbours if neighbour.offset < 0]
    after = [neighbour.text for neighbour in hit.neighbours if neighbour.offset > 0]
    parts = [*before, hit.text, *after]
    return "".join(part if part[-1:].isspace() else f"{part}\n" for part in parts)


def _relationships(hit: Hit) -> dict[NodeRelationship, Any]:
    """The document, and the chunks before and after, where they were asked for."""
    found: dict[NodeRelationship, Any] = {}
    if len({citation.document for citation in hit.citations}) == 1:
        found[NodeRelationship.SOURCE] = _document(hit.citations[0])
    for neighbour in hit.neighbours:
        if abs(neighbour.offset) == 1:
            side = NodeRelationship.PREVIOUS if neighbour.offset < 0 else NodeRelationship.NEXT
            found[side] = RelatedNodeInfo(node_id=neighbour.id, node_type=ObjectType.TEXT)
    return found


def _document(citation: Citation) -> RelatedNodeInfo:
    return RelatedNodeInfo(
        node_id=citation.document,
        node_type=ObjectType.DOCUMENT,
        metadata={"source": citation.source, "title": citation.title},
    )


def _file_name(source: str) -> str:
    return source.partition("#")[0].rpartition("/")[2]
