"""What the tools ``search`` and ``documents`` find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from ...indexer.errors import ConfigurationError
from ...indexer.metadata import source_matches
from ...indexer.types import Document, Hit
from .llama_arguments import DocumentsArguments, SearchArguments
from .llama_text import NOTE, Found, Item, line, places, where

if TYPE_CHECKING:
    from ..index import Index

SURE = 0.4
"""Below this relevance of its best hit a result is more likely than not beside the question."""
_RESTS = 5
"""Places of a summary that are shown."""
_CITE = "Cite source and page. An id can be given to `read`."
_UNSURE = (
    "None of these is likely to answer it. Try other words or another route; if that brings no better, the "
    "documents do not say."
)


def found_hits(index: Index, labels: Sequence[str] | None, asked: SearchArguments) -> Found:
    """The hits of a question."""
    result = index.search(
        asked.question,
        k=asked.k,
        route=asked.route,
        labels=labels,
        filters=asked.filters,
        sources=asked.sources,
        as_of=_day(asked.as_of),
    )
    count = len(result.hits)
    head = f"{count} hit{'' if count == 1 else 's'} by {', '.join(result.route.used)} ({result.route.why})"
    if result.degraded:
        head += f"; degraded: {', '.join(result.degraded)}"
    items = [partial(hit_item, place, hit) for place, hit in enumerate(result.hits, start=1)]
    if not items:
        hint = "Try other words, fewer conditions, or `documents` to see what there is."
        return Found(f"{head}.", (), result.generation, hint)
    sure = max(hit.relevance for hit in result.hits) >= SURE
    return Found(f"{head}. {NOTE}", items, result.generation, _CITE if sure else _UNSURE)


def hit_item(place: int, hit: Hit) -> Item:
    """A hit with where it stands, or with what it rests on where it is a summary."""
    score = f"relevance {hit.relevance:.2f}"
    if hit.kind == "chunk":
        head = f"[{place}] {where(hit.citations[0])} (chunk {hit.id}, {score})"
        lines = [head, *_context(hit), *_via(hit)]
        return Item("\n".join(lines), hit.text)
    about = f" on {line(hit.context)}" if hit.context else ""
    named = "summary" if hit.kind == "node" else "report"
    head = f"[{place}] {named}{about}: {places(hit.citations)} ({hit.kind} {hit.id}, {score})"
    rests = "; ".join(f"{where(citation)} (chunk {citation.chunk})" for citation in hit.citations[:_RESTS])
    facts = [fact.text for fact in hit.facts]
    return Item(head, "\n".join([hit.text.strip(), *facts, f"It rests on: {rests}"]))


def found_documents(index: Index, labels: Sequence[str] | None, asked: DocumentsArguments) -> Found:
    """The documents that the reader may see, by source."""
    seen = [
        document
        for document in index.readable(labels)
        if not asked.sources or source_matches(asked.sources, document.source)
    ]
    count = f"{len(seen)} document{'' if len(seen) == 1 else 's'}"
    hint = "`outline` shows what is in one, `read` its pages: <source>@<first>-<last>."
    if not seen:
        hint = "Try it without sources." if asked.sources else ""
    items = [partial(_document, document) for document in seen]
    return Found(f"{count}.", items, index.generation or 0, hint, "\n")


def _document(document: Document) -> Item:
    known = {
        "title": "" if document.title == document.source.rpartition("/")[2] else line(document.title, 120),
        "pages": document.page_count,
        "language": document.language,
        "edition": document.edition,
        "valid from": document.valid_from,
        "valid until": document.valid_until,
        **document.fields,
    }
    told = ", ".join(f"{name} {line(str(value), 80)}" for name, value in known.items() if value)
    return Item(f"- {document.source}" + (f": {told}" if told else ""))


def _context(hit: Hit) -> list[str]:
    """What situates a passage, as the header of its table, beyond the section that its place names."""
    lines = hit.context.splitlines()
    section = hit.citations[0].section
    if lines and (not section or lines[0].endswith(section[-1])):
        lines = lines[1:]
    return [f"context: {line(' '.join(lines), 400)}"] if lines else []


def _via(hit: Hit) -> list[str]:
    """How the graph came to a passage, where it took more than its own name for it."""
    steps = [_step(step) for step in hit.path or () if step["kind"] in ("entity", "relation")]
    return [f"via {' > '.join(steps)}"] if steps else []


def _step(step: Mapping[str, Any]) -> str:
    if step["kind"] == "entity":
        return str(step["name"])
    condition = f", {line(step['condition'], 100)}" if step.get("condition") else ""
    return f"{step['source']} {step['type']} {step['target']}{condition}"


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise ConfigurationError(f"as_of is {text!r}, which is no day") from None
