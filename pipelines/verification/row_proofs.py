"""What proves a row of the vector store: digests of all that is stored with it, and the key made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...indexer.context import indexed_text
from ...indexer.digests import digest
from ...indexer.stores.ports import Stored
from ..rows import row_key
from .holdings import Holdings
from .texts import bare_chunk


def chunk_digests(held: Holdings, payload: Mapping[str, Any]) -> tuple[str, str]:
    """The digests of what was embedded of a chunk and of all that is stored, as this payload has them."""
    text = indexed_text(bare_chunk(payload))
    embedded = digest([held.stamp, payload.get("language"), text])
    return embedded, digest([payload, embedded])


def node_digests(held: Holdings, one: Stored) -> tuple[str, str]:
    """The same of a node."""
    payload = {name: value for name, value in one.row.payload.items() if name != "text"}
    said = digest(one.row.payload.get("text"))
    embedded = digest([held.stamp, payload.get("language"), payload.get("context"), said])
    whole = digest([payload, said, embedded])
    known = held.nodes.get(one.row.key)
    bare = known is not None and not known.embedded
    return ("", digest([whole, ""])) if bare else (embedded, whole)


def proves(one: Stored, whole: str) -> bool:
    """Whether a row's key was made of its id, the generation that wrote it and this digest."""
    return key_of(str(one.row.payload.get("id")), one.since, whole) == one.row.key


def key_of(name: str, since: int, whole: str) -> str:
    """The key of a row, empty where no row can be called so."""
    try:
        return row_key(name, since, whole)
    except ValueError:
        return ""


def pages_of(payload: Mapping[str, Any]) -> tuple[int, int] | None:
    """The first and last page that a payload names."""
    first, last = payload.get("first_page"), payload.get("last_page")
    return (first, last) if isinstance(first, int) and isinstance(last, int) else None
