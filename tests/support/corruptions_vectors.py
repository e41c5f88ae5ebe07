"""Ways to damage the embedded vectors, written into a published folder as no build writes."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import qdrant_edge as engine
from damaged_index import Corruption, Harm, published

Shard = Any
Point = Any
Change = Callable[[dict[str, Any], dict[str, Any], random.Random], None]
"""Changes a payload or vectors."""


@contextmanager
def shard(index: Path, back: int = 0) -> Iterator[Shard]:
    """The vectors of the published generation, or one ``back`` from it, open for writing."""
    opened = engine.EdgeShard.load(str(index / "vectors" / f"g{published(index) - back}"))
    yield opened
    opened.flush()
    opened.close()


def points(opened: Shard, kind: str) -> list[Point]:
    where = engine.Filter(must=[engine.FieldCondition(key="kind", match=engine.MatchValue(kind))])
    request = engine.ScrollRequest(limit=1000, filter=where, with_payload=True, with_vector=True)
    return sorted(opened.scroll(request)[0], key=lambda point: str(point.id))


def put(opened: Shard, key: str, vectors: Mapping[str, Any], payload: Mapping[str, Any]) -> None:
    opened.update(engine.UpdateOperation.upsert_points([engine.Point(key, dict(vectors), dict(payload))]))


def _row(
    change: Callable[[dict[str, Any], dict[str, Any], random.Random], None], kind: str, back: int = 0
) -> Harm:
    def harm(index: Path, rng: random.Random) -> None:
        with shard(index, back) as opened:
            point = rng.choice(points(opened, kind))
            payload, vectors = dict(point.payload), dict(point.vector)
            change(payload, vectors, rng)
            assert (payload, str(vectors)) != (point.payload, str(dict(point.vector)))
            put(opened, str(point.id), vectors, payload)

    return harm


def _pair(swapped: str, kind: str) -> Harm:
    """What two rows hold, exchanged: their vectors, or their payloads."""

    def harm(index: Path, rng: random.Random) -> None:
        with shard(index) as opened:
            one, other = rng.sample(points(opened, kind), 2)
            if swapped == "vectors":
                put(opened, str(one.id), dict(other.vector), one.payload)
                put(opened, str(other.id), dict(one.vector), other.payload)
            else:
                put(opened, str(one.id), dict(one.vector), other.payload)

    return harm


def _dropped(kind: str, back: int = 0) -> Harm:
    def harm(index: Path, rng: random.Random) -> None:
        with shard(index, back) as opened:
            gone = str(rng.choice(points(opened, kind)).id)
            opened.update(engine.UpdateOperation.delete_points([gone]))

    return harm


def _doubled(kind: str, back: int = 0) -> Harm:
    def harm(index: Path, rng: random.Random) -> None:
        with shard(index, back) as opened:
            point = rng.choice(points(opened, kind))
            put(opened, str(uuid.UUID(int=rng.getrandbits(128))), dict(point.vector), point.payload)

    return harm


def _text(payload: dict[str, Any], _: dict[str, Any], rng: random.Random) -> None:
    text = payload["text"]
    at = rng.choice([at for at, letter in enumerate(text) if letter.isalpha()])
    payload["text"] = text[:at] + ("x" if text[at] != "x" else "y") + text[at + 1 :]


def _set(name: str, make: Callable[[Any, random.Random], Any]) -> Change:
    def change(payload: dict[str, Any], _: dict[str, Any], rng: random.Random) -> None:
        payload[name] = make(payload.get(name), rng)

    return change


def _vector(make: Callable[[Any, random.Random], Any]) -> Change:
    def change(_: dict[str, Any], vectors: dict[str, Any], rng: random.Random) -> None:
        dense = make(np.array(vectors["dense"], np.float32), rng)
        if dense is None:
            del vectors["dense"]
        else:
            vectors["dense"] = dense.tolist()

    return change


def _bent(dense: Any, rng: random.Random) -> Any:
    dense[rng.randrange(len(dense))] += 0.01
    return dense


def _sparse(_: dict[str, Any], vectors: dict[str, Any], rng: random.Random) -> None:
    indices, values = list(vectors["sparse"].indices), list(vectors["sparse"].values)
    values[rng.randrange(len(values))] *= 2
    vectors["sparse"] = engine.SparseVector(indices, values)


def _no_sparse(_: dict[str, Any], vectors: dict[str, Any], rng: random.Random) -> None:
    del vectors["sparse"]


_OTHER_CLASS = _set("class", lambda now, rng: "public" if now != "public" else str(uuid.uuid4()))
_CHUNK_ROWS = {
    "a letter of a chunk's text": _text,
    "a chunk's first page": _set("first_page", lambda now, _: (now or 0) + 1),
    "a chunk's access class": _OTHER_CLASS,
    "a chunk's context": _set("context", lambda now, _: f"{now} and more"),
    "a chunk's place": _set("ordinal", lambda now, _: now + 1),
    "a chunk's span": _set("end", lambda now, _: now + 1),
    "a chunk's id": _set("id", lambda now, rng: str(uuid.UUID(int=rng.getrandbits(128)))),
    "a chunk's document": _set("document", lambda now, rng: str(uuid.UUID(int=rng.getrandbits(128)))),
    "a chunk's section": _set("section", lambda now, _: [*now, "Nowhere"]),
    "the mark of who wrote a chunk": _set("since", lambda now, _: 77),
    "a chunk's kind": _set("kind", lambda now, _: "node"),
    "a chunk's dense vector, slightly": _vector(_bent),
    "a chunk's dense vector, turned": _vector(lambda dense, _: -dense),
    "a chunk's dense vector, gone": _vector(lambda dense, _: None),
    "a chunk's sparse vector": _sparse,
    "a chunk's sparse vector, gone": _no_sparse,
}
_NODE_ROWS = {
    "a letter of a summary": _text,
    "a node's classes": _set("class", lambda now, _: ["public"] if now != ["public"] else ["other"]),
    "a node's documents": _set("document", lambda now, _: now[1:] or [str(uuid.uuid4())]),
    "a node's level": _set("level", lambda now, _: now + 1),
    "a node's facts": _set("facts", lambda now, _: [{"kind": "sections", "text": "9", "members": []}]),
    "a node's dense vector, gone": _vector(lambda dense, _: None),
    "a node's sparse vector": _sparse,
}
VECTORS = (
    *(Corruption(name, _row(change, "chunk")) for name, change in _CHUNK_ROWS.items()),
    *(Corruption(name, _row(change, "node")) for name, change in _NODE_ROWS.items()),
    Corruption("a node's dense vector, slightly", _row(_vector(_bent), "node"), deep=True),
    Corruption("two chunks' vectors exchanged", _pair("vectors", "chunk")),
    Corruption("two nodes' vectors exchanged", _pair("vectors", "node")),
    Corruption("a chunk's row under another's key", _pair("payloads", "chunk")),
    Corruption("a node's row under another's key", _pair("payloads", "node")),
    Corruption("a chunk's row dropped", _dropped("chunk")),
    Corruption("a node's row dropped", _dropped("node")),
    Corruption("a chunk's row doubled", _doubled("chunk")),
    Corruption("a node's row doubled", _doubled("node")),
    Corruption("a chunk's row dropped before", _dropped("chunk", 1)),
    Corruption("a chunk's row doubled before", _doubled("chunk", 1)),
    Corruption("a letter of a chunk's text before", _row(_text, "chunk", 1)),
)
