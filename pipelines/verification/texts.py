"""Chunks and texts out of the payloads of stored rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...indexer.context import indexed_text
from ...indexer.pages import PageBox
from ...indexer.types import Chunk, Part


def stored_chunk(payload: Mapping[str, Any]) -> Chunk:
    """The chunk that a row was made of."""
    first, last = payload["first_page"], payload["last_page"]
    return Chunk(
        id=payload["id"],
        document_id=payload["document"],
        ordinal=payload["ordinal"],
        text=payload["text"],
        span=(payload["start"], payload["end"]),
        token_count=payload["token_count"],
        context=payload["context"],
        section=tuple(payload["section"]),
        pages=None if first is None else (first, last),
        origin=payload["origin"],
        kind=payload["block"],
        record=payload["record"],
        confidence=payload.get("confidence"),
        boxes=tuple(PageBox(int(box[0]), *box[1:]) for box in payload.get("boxes", ())),
        parts=tuple(Part(start, page, tuple(path)) for start, page, path in payload.get("parts", ())),
    )


def bare_chunk(payload: Mapping[str, Any]) -> Chunk:
    """As much of a chunk as its indexed text takes, whatever else is missing."""
    text, context = str(payload.get("text")), str(payload.get("context"))
    return Chunk("", "", 0, text, (0, 0), 0, context)


def embedded_text(payload: Mapping[str, Any]) -> str:
    """What was embedded for a row."""
    if payload["kind"] == "chunk":
        return indexed_text(stored_chunk(payload))
    context, text = payload["context"], payload["text"]
    return f"{context}\n{text}" if context else str(text)
