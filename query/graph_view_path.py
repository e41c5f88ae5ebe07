"""The path between two entities to look at: each step with its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..indexer.errors import ConfigurationError
from ..indexer.stores.graph_ports import GraphSnapshot
from ..indexer.types import Citation, Entity
from .access import Access
from .graph_open import unheld
from .graph_paths import Chain, PathFinder
from .graph_reading import Clock
from .graph_settings import GraphReadSettings
from .graph_view import EntityReader
from .quoting import quoted
from .result import SCHEMA, citation_to_json

TOGETHER = "named together"


@dataclass(frozen=True, slots=True)
class StepView:
    """A step to ``entity``, by a relation of this ``type``: read forwards (``out``), or backwards (``in``),
    or because one chunk names both (``both``; then there is no sentence)."""

    entity: Entity
    direction: Literal["out", "in", "both"]
    type: str
    sentence: str
    condition: str
    citation: Citation | None


@dataclass(frozen=True, slots=True)
class PathView:
    """The path that leads from entity ``start`` over ``steps``; no steps where there is none of at most
    ``hops``. ``complete`` is False where the time was up before everything was looked at."""

    start: Entity
    end: Entity
    steps: tuple[StepView, ...]
    hops: int
    complete: bool = True

    def to_json(self) -> dict[str, Any]:
        """The path as JSON values, schema 1: entities and relations in turn, as in the path of a hit."""
        path: list[dict[str, Any]] = [_entity(self.start)] if self.steps else []
        for step in self.steps:
            relation = {
                "kind": "relation",
                "type": step.type,
                "direction": step.direction,
                "sentence": step.sentence,
                "condition": step.condition,
                "citation": None if step.citation is None else citation_to_json(step.citation),
            }
            path += [relation, _entity(step.entity)]
        return {
            "schema": SCHEMA,
            "from": _entity(self.start),
            "to": _entity(self.end),
            "path": path,
            "complete": self.complete,
        }


def between(
    first: str,
    second: str,
    graph: GraphSnapshot,
    reader: EntityReader,
    access: Access,
    settings: GraphReadSettings,
) -> PathView:
    """The shortest path from the entity called ``first`` to the one called ``second``: over what is stated
    in that direction, else against it, else over what chunks name together.

    Raises ConfigurationError where either is unknown to this reader, or both are one.
    """
    start, end = reader.find(first)[0], reader.find(second)[0]
    if start.id == end.id:
        raise ConfigurationError(f"{quoted(first)} and {quoted(second)} are the same entity, {start.name}")
    opened, clock = unheld(graph, access, settings), Clock(settings.time_limit)
    chain = PathFinder(opened, clock).between(start.id, end.id, settings.hops)
    steps = _steps(chain, reader) if chain else ()
    return PathView(start, end, steps, settings.hops, complete=not clock.over)


def _steps(chain: Chain, reader: EntityReader) -> tuple[StepView, ...]:
    names = reader.named(chain.entities)
    citations: Mapping[str, Citation] = reader.citations(edge.chunk for edge in chain.edges)
    steps: list[StepView] = []
    for edge in chain.edges:
        relation, cited = edge.relation, citations.get(edge.chunk)
        if relation is None:
            steps.append(StepView(names[edge.target], "both", TOGETHER, "", "", cited))
            continue
        stated = relation.evidence[0]
        way: Literal["out", "in"] = "out" if relation.source == edge.source else "in"
        steps.append(
            StepView(names[edge.target], way, relation.type, stated.sentence, stated.condition, cited)
        )
    return tuple(steps)


def _entity(entity: Entity) -> dict[str, Any]:
    return {"kind": "entity", "id": entity.id, "name": entity.name, "type": entity.type}
