"""The value types that every stage speaks: frozen, slotted, without I/O. Pages have theirs beside it."""

from __future__ import annotations

import unicodedata
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from .pages import Origin, Page, PageBox, Placed, Wanted

Kind = Literal["chunk", "node", "report", "entity", "relation"]
BlockKind = Literal["table", "code", "figure"]
FactKind = Literal["sections", "documents"]

PUBLIC = "public"
"""The access class of documents that carry no label."""


@dataclass(frozen=True, slots=True)
class Section:
    """An entry of the author's outline. It begins at ``start`` and ends where the next one begins."""

    title: str
    level: int
    start: int


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of text that belongs together: a table (with its header row), a code listing, or what stands
    for a figure: its caption, or a description (``header`` is :data:`.pages.DESCRIBED` where a model wrote
    that)."""

    kind: BlockKind
    start: int
    end: int
    caption: str | None = None
    header: str | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """A chunk that the source itself made: ``record`` is its own id there."""

    record: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Content:
    """What a loader read from one document.

    ``pages`` is empty where the format has none. ``sections``, ``blocks`` and ``cuts`` are sorted by
    start; ``blocks`` do not overlap, ``cuts`` may. ``dropped`` counts, by reason, what was left out on
    purpose (as ``{"running header": 311}``). ``placed`` says where paragraphs, tables and listings stand on
    their pages, sorted by start; empty where the format has no pages. ``wanted`` are pages that should be
    read otherwise than by their text layer, by number. ``open_to`` are the ways other than its text layer in
    which pages of it would be read were they all at hand; None where a format has no such pages.
    ``redacted`` counts by kind the secrets that placeholders stand for, ``withheld`` are the numbers of the
    pages on which some stood.
    """

    text: str
    media_type: str
    title: str | None = None
    language: str | None = None
    pages: tuple[Page, ...] = ()
    sections: tuple[Section, ...] = ()
    blocks: tuple[Block, ...] = ()
    cuts: tuple[Cut, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    placed: Sequence[Placed] = ()
    wanted: tuple[Wanted, ...] = ()
    open_to: tuple[Origin, ...] | None = None
    redacted: Mapping[str, int] = field(default_factory=dict)
    withheld: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A document and what is known about it. ``content`` is None once it comes out of an index.

    ``version`` is the sha256 of its bytes. ``labels`` says who may read it: any one of them is enough,
    none means public. ``valid_until`` is the last day on which it holds. ``redacted`` and ``withheld`` are as
    in :class:`Content`; pages that are withheld are not shown.
    """

    id: str
    source: str
    title: str
    media_type: str = "text/plain"
    version: str = ""
    language: str | None = None
    labels: tuple[str, ...] = ()
    edition: str | None = None
    valid_from: date | None = None
    valid_until: date | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    page_count: int | None = None
    content: Content | None = None
    redacted: Mapping[str, int] = field(default_factory=dict)
    withheld: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """What of a chunk stands in one ``section`` and on one ``page`` (None where there are none). It begins at
    ``start`` of the chunk's text and ends where the next one begins."""

    start: int
    page: int | None
    section: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a document: ``text == document text[span[0]:span[1]]``, character for character.

    ``context`` situates it and is indexed with it, but is never shown as if it were the source. ``section``
    is that which most of it stands in; ``parts`` say which each part of it does, where it has several or
    goes on overleaf, and are empty elsewhere. ``pages`` is (first, last), 1-based, None where the format has
    no pages. ``ordinal`` counts the document's chunks from 0. ``record`` is the chunk's own id where the
    source was cut beforehand.
    ``origin`` is that of the page that most of it stands on. ``confidence`` is the mean of its pages' by
    their shares of it, text layers counting as 1 (None where all of it is from text layers). ``boxes`` say
    where it stands, one a page at most.
    """

    id: str
    document_id: str
    ordinal: int
    text: str
    span: tuple[int, int]
    token_count: int
    context: str = ""
    section: tuple[str, ...] = ()
    pages: tuple[int, int] | None = None
    origin: Origin = "text"
    kind: Literal["text", "table", "code", "figure"] = "text"
    record: str | None = None
    confidence: float | None = None
    boxes: tuple[PageBox, ...] = ()
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeShape:
    """Where a node stands in the tree, without its summary, which takes ``tokens`` tokens.

    ``children`` are ids of nodes and chunks, in reading order where they have one; ``title`` is the
    author's, empty for a cluster. ``documents`` are those of all chunks beneath.
    """

    id: str
    level: int
    children: tuple[str, ...]
    tokens: int
    title: str
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """What code, no model, counted over a node: ``text`` says how many ``kind`` there are and which, in the
    node's language; titles that it has no room for are left out of it, never of the count.

    ``members`` are the ids of all that were counted, in order: of documents; of sections, each by the node
    over it, or by its first chunk.
    """

    kind: FactKind
    text: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a relation is stated: a ``sentence`` of a chunk, and the ``condition`` or exception in it."""

    chunk: str
    document: str
    sentence: str
    condition: str = ""
    access: str = PUBLIC


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing that chunks name. ``aliases`` are its other names, sorted; ``mentions`` is how many chunks
    name it. All of it comes from what its reader may read."""

    id: str
    name: str
    type: str = ""
    aliases: tuple[str, ...] = ()
    description: str = ""
    mentions: int = 0


@dataclass(frozen=True, slots=True)
class Relation:
    """A directed relation: entity ``source`` (verb ``type``) entity ``target``, both by id. ``weight`` is
    how many pieces of evidence it has that its reader may read."""

    id: str
    source: str
    target: str
    type: str
    weight: float
    evidence: tuple[Evidence, ...]
    description: str = ""


@dataclass(frozen=True, slots=True)
class Community:
    """Entities that belong together. Level 0 is the finest; ``parent`` is the community of the level above
    that holds it, None at the top. ``chunks`` are what its ``report`` rests on, best first."""

    id: str
    level: int
    parent: str | None
    members: tuple[str, ...]
    title: str
    report: str
    chunks: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a hit comes from: file, pages, section. ``pages`` lists every page, sorted, 1-based.

    ``origin`` says how the page was read, ``confidence`` (0..1) how sure OCR or a model was of it, None for
    a text layer; ``boxes`` say where on its pages the passage stands, one a page at most.
    """

    document: str
    source: str
    title: str
    pages: tuple[int, ...] | None
    section: tuple[str, ...]
    chunk: str
    origin: Origin = "text"
    confidence: float | None = None
    boxes: tuple[PageBox, ...] = ()


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A chunk beside a hit: ``offset`` chunks after it, before it where negative."""

    id: str
    offset: int
    text: str
    pages: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One result. ``score`` orders one result list; ``relevance`` (0..1) means the same across questions.

    ``scores`` holds the raw scores (dense cosine, sparse BM25), ``ranks`` the 1-based rank in every
    list and after every step, None where the hit was not in that list. ``passages`` is how many chunks a
    node rests on, which can be more than it has ``citations``; ``facts`` were counted over a node, and are
    no part of what its text says.
    """

    id: str
    kind: Kind
    text: str
    score: float
    citations: tuple[Citation, ...]
    relevance: float = 0.0
    context: str = ""
    level: int = 0
    scores: Mapping[str, float] = field(default_factory=dict)
    ranks: Mapping[str, int | None] = field(default_factory=dict)
    neighbours: tuple[Neighbour, ...] = ()
    path: tuple[Mapping[str, Any], ...] | None = None
    explanation: Mapping[str, Any] | None = None
    passages: int = 0
    facts: tuple[Fact, ...] = ()


def document_id(index_id: str, source: str) -> str:
    """The UUIDv5 of a document: its index's id and the source that it first had there."""
    return str(uuid.uuid5(uuid.UUID(index_id), source))


def chunk_id(document: str, text: str, occurrence: int) -> str:
    """The UUIDv5 of a chunk: its document, its text, and how many equal texts stand before it."""
    return str(uuid.uuid5(uuid.UUID(document), f"{occurrence}\n{text}"))


def access_class(labels: tuple[str, ...] | frozenset[str]) -> str:
    """The key of a set of labels: ``public`` for none, else a UUIDv5 of the sorted set."""
    if not labels:
        return PUBLIC
    joined = "\x1f".join(sorted(unicodedata.normalize("NFC", label) for label in labels))
    return str(uuid.uuid5(uuid.NAMESPACE_OID, joined))
