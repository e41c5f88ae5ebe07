"""What a search gives back: hits with citations, and how they were come by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..indexer.pages import PageBox
from ..indexer.types import Citation, Document, Fact, Hit, Neighbour
from .enumeration import Enumeration
from .tokens import TokenCount

SCHEMA = 1
"""Version of the JSON that ``to_json`` makes."""


@dataclass(frozen=True, slots=True)
class RouteDecision:
    """Which route was asked for, which were used, and why; ``scores`` of the routes, 0..1."""

    asked: str
    used: tuple[str, ...]
    why: str
    scores: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The ``route`` object of the result."""
        return {"asked": self.asked, "used": list(self.used), "scores": dict(self.scores), "why": self.why}


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits of one question, best first; iterating goes over them.

    ``degraded`` names the steps that failed, or that the route does not take, and were done without.
    ``seconds`` by step. ``explanation`` is there when it was asked for: the question's terms with their
    weights, and the share of each list. ``enumeration`` is what the index knows of a kind, where the question
    asks for how many or for all and the route is auto. ``calls`` and ``tokens`` are what a model's word on
    the route took.
    """

    question: str
    generation: int
    route: RouteDecision
    hits: tuple[Hit, ...]
    seconds: Mapping[str, float]
    degraded: tuple[str, ...] = ()
    explanation: Mapping[str, Any] | None = None
    enumeration: Enumeration | None = None
    calls: int = 0
    tokens: TokenCount = field(default_factory=TokenCount)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, place: int) -> Hit:
        return self.hits[place]

    def to_json(self) -> dict[str, Any]:
        """The result as JSON values, schema 1."""
        data: dict[str, Any] = {
            "schema": SCHEMA,
            "question": self.question,
            "generation": self.generation,
            "degraded": list(self.degraded),
            "route": self.route.to_json(),
            "hits": [hit_to_json(hit) for hit in self.hits],
            "seconds": dict(self.seconds),
        }
        if self.explanation is not None:
            data["explanation"] = dict(self.explanation)
        if self.enumeration is not None:
            data["enumeration"] = self.enumeration.to_json()
        if self.calls:
            data |= {"calls": self.calls, "tokens": self.tokens.to_json()}
        return data


def hit_to_json(hit: Hit) -> dict[str, Any]:
    """One hit as JSON values: ``passages`` and ``facts`` for a node, ``neighbours`` and ``explanation``
    only where they were asked for."""
    data: dict[str, Any] = {
        "id": hit.id,
        "kind": hit.kind,
        "level": hit.level,
        "score": hit.score,
        "relevance": hit.relevance,
        "text": hit.text,
        "context": hit.context,
        "scores": dict(hit.scores),
        "citations": [citation_to_json(citation) for citation in hit.citations],
        "ranks": dict(hit.ranks),
        "path": None if hit.path is None else [dict(step) for step in hit.path],
    }
    if hit.kind == "node":
        data["passages"] = hit.passages
        data["facts"] = [fact_to_json(fact) for fact in hit.facts]
    if hit.neighbours:
        data["neighbours"] = [neighbour_to_json(neighbour) for neighbour in hit.neighbours]
    if hit.explanation is not None:
        data["explanation"] = dict(hit.explanation)
    return data


def neighbour_to_json(neighbour: Neighbour) -> dict[str, Any]:
    """A chunk beside a hit as JSON values."""
    return {
        "id": neighbour.id,
        "offset": neighbour.offset,
        "text": neighbour.text,
        "pages": None if neighbour.pages is None else list(neighbour.pages),
    }


def citation_to_json(citation: Citation) -> dict[str, Any]:
    """A citation as JSON values."""
    return {
        "document": citation.document,
        "source": citation.source,
        "title": citation.title,
        "pages": None if citation.pages is None else list(citation.pages),
        "section": list(citation.section),
        "chunk": citation.chunk,
        "origin": citation.origin,
        "confidence": citation.confidence,
        "boxes": boxes_to_json(citation.boxes),
    }


def boxes_to_json(boxes: Iterable[PageBox]) -> list[dict[str, Any]]:
    """Rectangles on pages as JSON values."""
    return [{"page": box.page, "box": [box.x0, box.y0, box.x1, box.y1]} for box in boxes]


def fact_to_json(fact: Fact) -> dict[str, Any]:
    """A fact as JSON values, with how many members it has."""
    return {
        "kind": fact.kind,
        "text": fact.text,
        "count": len(fact.members),
        "members": list(fact.members),
    }


def facts_of(payload: Mapping[str, Any]) -> tuple[Fact, ...]:
    """What was counted over a stored node; nothing of one that an older version stored."""
    stored = payload.get("facts") or ()
    return tuple(Fact(fact["kind"], fact["text"], tuple(fact["members"])) for fact in stored)


def least_sure(citations: Iterable[Citation]) -> float | None:
    """The least confidence among citations; None where all are of text layers."""
    return min((one.confidence for one in citations if one.confidence is not None), default=None)


def cite(payload: Mapping[str, Any], documents: Mapping[str, Document]) -> Citation:
    """The citation of a stored chunk, with its document's source and title."""
    identifier = payload["document"]
    document = documents.get(identifier)
    source = document.source if document else ""
    return Citation(
        document=identifier,
        source=record_source(source, payload.get("record")),
        title=document.title if document else "",
        pages=page_list(payload),
        section=tuple(payload.get("section") or ()),
        chunk=payload["id"],
        origin=payload.get("origin") or "text",
        confidence=payload.get("confidence"),
        boxes=tuple(PageBox(int(page), *corners) for page, *corners in payload.get("boxes") or ()),
    )


def record_source(source: str, record: str | None) -> str:
    """Where a chunk that its source cut itself comes from: ``<file>#<record>``."""
    if not record:
        return source
    document, _, _ = record.rpartition("#")
    return f"{source.removesuffix('#' + document) if document else source}#{record}"


def page_list(payload: Mapping[str, Any]) -> tuple[int, ...] | None:
    """Every page from the first to the last, 1-based; None where the format has none."""
    first, last = payload.get("first_page"), payload.get("last_page")
    if first is None or last is None:
        return None
    return tuple(range(int(first), int(last) + 1))


def page_label(pages: Iterable[int] | None, most: int | None = None) -> str:
    """Pages as a person writes them: ``212``, ``212-214`` or ``3, 7-9``; empty for none. Where there are more
    than ``most`` runs of them, from the first page to the last."""
    numbers = sorted(set(pages or ()))
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    if most is not None and len(runs) > most:
        runs = [[numbers[0], numbers[-1]]]
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
