"""The shapes of what the tools of the graph answer."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict  # pydantic asks for this one before Python 3.12

from .shapes import PassagePlace, Place, Result, Step


class EntityName(TypedDict):
    """An entity, by id and name."""

    id: str
    name: str
    type: NotRequired[str]


class Namesake(EntityName):
    """Another entity of the same name, with a place that names it."""

    source: NotRequired[str]
    pages: NotRequired[str]
    section: NotRequired[str]
    chunk: NotRequired[str]


class EvidenceEntry(Place):
    """A sentence that states something, its condition, and where it stands."""

    sentence: str
    condition: NotRequired[str]
    chunk: str


class NeighbourEntry(TypedDict):
    """What is stated between the entity and a neighbour: the entity (``out``), or the neighbour (``in``), is
    the subject of ``type``. ``weight`` pieces of evidence say so, of which the first are shown."""

    type: str
    direction: str
    entity: EntityName
    description: NotRequired[str]
    weight: int
    evidence: list[EvidenceEntry]


class Neighbours(Result):
    """An entity with all that it is related to, the strongest first; ``passages`` name it."""

    id: str
    name: str
    type: NotRequired[str]
    aliases: NotRequired[list[str]]
    description: NotRequired[str]
    mentions: int
    others: NotRequired[list[Namesake]]
    groups: NotRequired[list[Step]]
    passages: NotRequired[list[PassagePlace]]
    total: int
    neighbours: list[NeighbourEntry]


class StepEntry(TypedDict):
    """A step to ``entity``: by a relation read forwards (``out``) or backwards (``in``), or because one
    passage names both (``both``)."""

    type: str
    direction: str
    entity: EntityName
    sentence: NotRequired[str]
    condition: NotRequired[str]
    source: NotRequired[str]
    pages: NotRequired[str]
    section: NotRequired[str]
    chunk: NotRequired[str]


Path = TypedDict(
    "Path",
    {
        "generation": int,
        "trace": str,
        "note": NotRequired[str],
        "hint": NotRequired[str],
        "more": NotRequired[str],
        "from": EntityName,
        "to": EntityName,
        "steps": list[StepEntry],
    },
)
"""The way from one entity to the other; no steps where there is none."""
