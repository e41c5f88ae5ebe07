"""The shapes of what the tools answer: the output schemas come from here. A key that has nothing to say is
left out."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from pydantic import TypeAdapter
from typing_extensions import TypedDict  # pydantic asks for this one before Python 3.12


class Result(TypedDict):
    """What every result has: ``more`` is the cursor for what is left, ``hint`` what to try next."""

    generation: int
    trace: str
    note: NotRequired[str]
    hint: NotRequired[str]
    more: NotRequired[str]


class Place(TypedDict):
    """Where something stands; ``pages`` as in ``3-4, 7``, physical and from 1. ``origin`` (ocr, native) and
    ``confidence`` (0 to 1) are there where the words are not the document's own text, but what OCR or a model
    read in its picture."""

    source: str
    pages: NotRequired[str]
    section: NotRequired[str]
    origin: NotRequired[str]
    confidence: NotRequired[float]


class PassagePlace(Place):
    """A place with the id of the chunk there."""

    chunk: str


class DocumentEntry(TypedDict):
    """A document; ``pages`` is how many it has."""

    source: str
    title: NotRequired[str]
    pages: NotRequired[int]
    language: NotRequired[str]
    edition: NotRequired[str]
    valid_from: NotRequired[str]
    valid_until: NotRequired[str]
    fields: NotRequired[dict[str, str]]


class Documents(Result):
    """The documents, by source."""

    total: int
    documents: list[DocumentEntry]


class OutlineEntry(TypedDict):
    """A node ``depth`` levels below what was asked for, in reading order. ``below`` counts the nodes under
    it that are not shown, ``passages`` the chunks under it."""

    id: NotRequired[str]
    depth: int
    title: str
    source: NotRequired[str]
    documents: NotRequired[int]
    pages: NotRequired[str]
    passages: int
    below: NotRequired[int]
    summary: NotRequired[str]
    text: NotRequired[str]
    goes_on: NotRequired[bool]
    continued: NotRequired[bool]


class Outline(Result):
    """A part of the tree, flat."""

    nodes: list[OutlineEntry]


class Route(TypedDict):
    """Which routes answered, and why."""

    asked: str
    used: list[str]
    why: str


class HitEntry(TypedDict):
    """A hit; a chunk has its place, and the ``context`` that situates it, as the header of its table; a node
    or report what it ``rests_on``. ``facts`` were counted over a node; ``via`` is how the graph came to a
    chunk."""

    id: str
    kind: str
    relevance: float
    source: NotRequired[str]
    title: NotRequired[str]
    pages: NotRequired[str]
    section: NotRequired[str]
    origin: NotRequired[str]
    confidence: NotRequired[float]
    context: NotRequired[str]
    passages: NotRequired[int]
    facts: NotRequired[list[str]]
    rests_on: NotRequired[list[PassagePlace]]
    via: NotRequired[str]
    text: str
    goes_on: NotRequired[bool]
    continued: NotRequired[bool]


class ListedItem(TypedDict):
    """One of a kind, to be read by its id; ``source`` is where it is."""

    id: str
    name: str
    source: NotRequired[str]


class ListedGroup(TypedDict):
    """How many of a ``kind`` (document, section, entity) there are, ``complete`` where every one was looked
    at, and the first of them."""

    kind: str
    count: int
    complete: bool
    note: str
    items: list[ListedItem]


class Listed(TypedDict):
    """All that the index knows of what the question wants counted or listed."""

    asked: str
    beside: NotRequired[list[str]]
    groups: list[ListedGroup]


class Search(Result):
    """Hits, best first."""

    route: Route
    degraded: NotRequired[list[str]]
    enumeration: NotRequired[Listed]
    hits: list[HitEntry]


class Picture(TypedDict):
    """A picture on a page; those of a result that there is room for come with it."""

    id: str
    page: int
    caption: NotRequired[str]


class Part(TypedDict):
    """A stretch of text: a page, a chunk (``offset`` chunks after the one that was asked for), or all; or
    something to be read by its ``id``."""

    id: NotRequired[str]
    kind: NotRequired[str]
    title: NotRequired[str]
    offset: NotRequired[int]
    page: NotRequired[int]
    pages: NotRequired[str]
    section: NotRequired[str]
    images: NotRequired[list[Picture]]
    text: NotRequired[str]
    goes_on: NotRequired[bool]
    continued: NotRequired[bool]


class Step(TypedDict):
    """A node or report, to be read by its id."""

    id: NotRequired[str]
    kind: NotRequired[str]
    title: str


class Read(Result):
    """What was read, in parts; ``previous`` and ``next`` are what to read for the one before and after."""

    id: str
    kind: str
    source: NotRequired[str]
    title: NotRequired[str]
    pages: NotRequired[str]
    section: NotRequired[str]
    passages: NotRequired[int]
    previous: NotRequired[str]
    next: NotRequired[str]
    above: NotRequired[list[Step]]
    rests_on: NotRequired[list[PassagePlace]]
    parts: list[Part]


class AnswerPart(TypedDict):
    """The ``answer``, whose marks ``[2]`` are places; then a ``doubt``, a sentence of which ``flags`` do not
    stand in what it cites; a ``conflict``, what editions say of the same thing; a ``place`` that is cited, by
    its ``mark``, or, where nothing was found, one that is ``nearest``."""

    kind: Literal["answer", "doubt", "conflict", "place", "nearest"]
    mark: NotRequired[int]
    text: NotRequired[str]
    flags: NotRequired[list[str]]
    editions: NotRequired[dict[str, str]]
    source: NotRequired[str]
    pages: NotRequired[str]
    section: NotRequired[str]
    chunk: NotRequired[str]
    goes_on: NotRequired[bool]
    continued: NotRequired[bool]


class Answer(Result):
    """An answer; ``grounded``: each of its sentences is cited, and none is in doubt. Where not ``found`` the
    documents do not say."""

    found: bool
    grounded: bool
    model: NotRequired[str]
    degraded: NotRequired[list[str]]
    enumeration: NotRequired[Listed]
    parts: list[AnswerPart]


class LookPart(TypedDict):
    """What the page shows, or that it does not."""

    text: str
    goes_on: NotRequired[bool]
    continued: NotRequired[bool]


class Look(Result):
    """What a model saw on a page. ``confidence`` is 1 where the values that it names also stand in the page's
    text, a half where they do not, as values of a chart. Where not ``found`` the page does not show it."""

    source: str
    page: int
    found: bool
    origin: NotRequired[str]
    confidence: NotRequired[float]
    model: str
    parts: list[LookPart]


def output_schema(shape: Any) -> dict[str, Any]:
    """The JSON Schema of a shape."""
    schema: dict[str, Any] = _untitled(TypeAdapter(shape).json_schema())
    return schema


def _untitled(schema: Any) -> Any:
    """A schema without the titles that pydantic makes of names: they cost an agent tokens."""
    if isinstance(schema, list):
        return [_untitled(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _untitled(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
    }
