"""``search``: the passages, summaries and reports that bear on a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any

from ...indexer.errors import ConfigurationError, RouteUnavailable
from ...indexer.metadata import parse_filter
from ...indexer.types import Hit
from ..result import SearchResult
from .arguments import AskArguments, SearchArguments
from .listed import listed
from .paging import Entry, Found
from .places import NOTE, SECTION, SENTENCE, TITLE, clip, filled, named_place, place, telling
from .refusal import Refusal
from .shapes import Search
from .tool import Desk, Tool

RESTS, NAMED = 3, 3
"""Passages shown of those that a summary rests on, and documents named where nothing is found."""
SURE = 0.4
"""Below this relevance of its best hit a result is more likely than not beside the question."""
LATE = "hybrid"
"""What a result names as done without where nothing came in time."""
_LATE = "the time was up before anything was found: that says nothing of the documents; try again"
_UNSURE = (
    "none of these is likely to answer it: try other words or another route; if that brings no better, the "
    "documents do not say"
)


def _run(desk: Desk, asked: SearchArguments) -> Found:
    narrowed = narrowing(asked)
    try:
        result = desk.index.search(
            asked.question,
            k=asked.k,
            route=asked.route,
            labels=desk.labels,
            deadline=desk.deadline,
            **narrowed,
        )
    except RouteUnavailable:
        raise Refusal(f"this index holds no {asked.route}", desk.without(asked.route)) from None
    named: dict[str, str] = {}
    for hit in result:
        for citation in hit.citations[:1]:
            named.setdefault(citation.source, hit.id)
    hits = [partial(_entry, hit, hit.id in named.values()) for hit in result]
    head = _head(result)
    if not hits:
        head["hint"] = _LATE if LATE in result.degraded else _hint(desk, asked)
    elif max(hit.relevance for hit in result) < SURE:
        head["hint"] = _UNSURE
    return Found(head, "hits", hits, first=listed(result))


def narrowing(asked: AskArguments) -> dict[str, Any]:
    """Where to look, as options of a search. Raises Refusal for a condition that none could be."""
    try:
        parse_filter(asked.filters)
    except ConfigurationError as error:
        raise Refusal(
            clip(str(error), SECTION), "write a filter as 'field=value', with a field from documents"
        ) from None
    return {"filters": asked.filters, "sources": asked.sources, "as_of": _day(asked.as_of)}


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise Refusal(f"{text} is no day of the calendar", "write as_of as 2025-03-31") from None


def _head(result: SearchResult) -> Entry:
    route = result.route
    return {
        "note": NOTE,
        "route": {"asked": route.asked, "used": list(route.used), "why": clip(route.why, SECTION)},
        **filled(degraded=list(result.degraded)),
    }


def _hint(desk: Desk, asked: SearchArguments) -> str:
    documents = desk.index.readable(desk.labels)
    some = ", ".join(document.source for document in documents[:NAMED])
    there = f"there are {len(documents)} documents, as {some}" if documents else "there are no documents"
    if asked.sources or asked.filters or asked.as_of:
        return (
            f"nothing is left under these sources, filters and this day; {there}: see with `documents` what "
            "they have, or search without conditions"
        )
    return f"nothing was found; {there}: try other words, or see with `documents` what is covered"


def _entry(hit: Hit, first: bool) -> Entry:
    """``first`` says that no hit before it is from its document, whose title is shown once."""
    entry: Entry = {"id": hit.id, "kind": hit.kind, "relevance": round(hit.relevance, 2)}
    if hit.kind == "chunk" and hit.citations:
        citation = hit.citations[0]
        title = telling(citation.title, citation.source) if first else ""
        entry |= place(citation)
        entry |= filled(title=title, context=_context(hit), via=via(hit.path or ()))
    else:
        rests = [named_place(citation) for citation in hit.citations[:RESTS]]
        entry |= filled(
            title=clip(hit.context, TITLE),
            passages=hit.passages or len(hit.citations),
            facts=[clip(fact.text, SENTENCE) for fact in hit.facts],
            rests_on=rests,
        )
    return {**entry, "text": hit.text}


def _context(hit: Hit) -> str:
    """What situates a passage, as the header of its table, beyond the section that its place names."""
    lines, section = hit.context.splitlines(), hit.citations[0].section
    if lines and (not section or lines[0].endswith(section[-1])):
        lines = lines[1:]
    return clip(" ".join(lines), SENTENCE)


def via(path: Sequence[Mapping[str, Any]]) -> str:
    """The walk of the graph to a chunk, by the names on it; empty where the question itself names it."""
    names = [_step(step) for step in path if step.get("kind") in ("entity", "relation")]
    return clip(" > ".join(names), SECTION) if len(names) > 1 else ""


def _step(step: Mapping[str, Any]) -> str:
    if step["kind"] == "entity":
        return str(step.get("name", ""))
    condition = f", {clip(step['condition'], TITLE)}" if step.get("condition") else ""
    return f"[{step.get('type', '')}{condition}]"


SEARCH = Tool(
    "search",
    "Search the documents",
    "Find the passages (kind chunk), summaries (node) and reports on groups of things (report) that bear on "
    "a question, best first, each with source, physical pages and section to cite. `relevance` is 0 to 1: "
    "below 0.3 or so a hit is mostly beside the point. Read on around a hit with `read` and its `id`.",
    SearchArguments,
    Search,
    _run,
)
