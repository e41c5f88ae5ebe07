"""Chunks as rows of the vector store: payload, digests and keys."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..indexer.context import indexed_text
from ..indexer.digests import digest
from ..indexer.pages import PageBox
from ..indexer.types import Chunk, Document, access_class


@dataclass(frozen=True, slots=True)
class WantedRow:
    """A row that the generation being built should hold. ``text`` is what is embedded.

    ``embedded`` is the digest of everything that its vectors depend on, ``digest`` of all that is
    stored, the vectors included.
    """

    id: str
    document: str
    text: str
    language: str | None
    payload: Mapping[str, Any]
    embedded: str
    digest: str

    def key(self, since: int) -> str:
        """The key of this row as first written in generation ``since``."""
        return row_key(self.id, since, self.digest)


def row_key(name: str, since: int, whole: str) -> str:
    """The key of the row of ``name`` as first written in generation ``since``; ``whole`` is the digest of all
    that is stored. Raises ValueError where the name is no UUID."""
    return str(uuid.uuid5(uuid.UUID(name), f"{since} {whole}"))


def encoders_digest(names: Mapping[str, str]) -> str:
    """The digest of the names of both encoders, by role, which goes into that of all that they embed."""
    return digest({role: names.get(role, "") for role in ("embedder", "sparse")})


def _box(box: PageBox) -> list[float]:
    return [box.page, round(box.x0, 1), round(box.y0, 1), round(box.x1, 1), round(box.y1, 1)]


def wanted_row(document: Document, chunk: Chunk, models: str) -> WantedRow:
    """The row of a chunk; ``models`` names the encoders that make its vectors."""
    text = indexed_text(chunk)
    embedded = digest([models, document.language, text])
    payload = {
        "id": chunk.id,
        "kind": "chunk",
        "level": 0,
        "document": document.id,
        "class": access_class(document.labels),
        "ordinal": chunk.ordinal,
        "text": chunk.text,
        "context": chunk.context,
        "section": list(chunk.section),
        "first_page": chunk.pages[0] if chunk.pages else None,
        "last_page": chunk.pages[1] if chunk.pages else None,
        "origin": chunk.origin,
        "start": chunk.span[0],
        "end": chunk.span[1],
        "token_count": chunk.token_count,
        "block": chunk.kind,
        "record": chunk.record,
        "language": document.language,
    }
    if chunk.confidence is not None:
        payload["confidence"] = round(chunk.confidence, 4)
    if chunk.boxes:
        payload["boxes"] = [_box(box) for box in chunk.boxes]
    if chunk.parts:
        payload["parts"] = [[part.start, part.page, list(part.section)] for part in chunk.parts]
    return WantedRow(
        chunk.id, document.id, text, document.language, payload, embedded, digest([payload, embedded])
    )
