"""What the tools ``neighbours`` and ``path`` find."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...indexer.types import Entity
from ..graph_view import EntityView, EvidenceView, StatedView
from ..graph_view_path import StepView
from .llama_arguments import NeighboursArguments, PathArguments
from .llama_text import NOTE, Found, Item, line, where

if TYPE_CHECKING:
    from ..index import Index

_SHOWN = 3
"""Pieces of evidence of one relation, and groups of an entity, that are shown."""
_CHUNKS = 5


def found_neighbours(index: Index, labels: Sequence[str] | None, asked: NeighboursArguments) -> Found:
    """What is stated of an entity, the strongest first."""
    view = index.entity(asked.entity, labels)
    items = [partial(_stated, view.entity, stated) for stated in view.relations]
    items.append(partial(_mentions, view))
    return Found(f"{_head(view)}\n{NOTE}", items, index.generation or 0, apart="\n")


def found_path(index: Index, labels: Sequence[str] | None, asked: PathArguments) -> Found:
    """The shortest chain from one entity to another."""
    view = index.entity_path(asked.first, asked.second, labels)
    ends = f"{_named(view.start)} to {_named(view.end)}"
    if not view.steps:
        hint = "Try `neighbours` of each, or `search` with route 'graph' and both names."
        return Found(f"No path leads from {ends}.", (), index.generation or 0, hint)
    starts = [view.start, *(step.entity for step in view.steps)]
    items = [partial(_step, start, step) for start, step in zip(starts, view.steps, strict=False)]
    return Found(f"From {ends}. {NOTE}", items, index.generation or 0, apart="\n")


def _head(view: EntityView) -> str:
    entity = view.entity
    parts = [f"{_named(entity)}, id {entity.id}, named in {entity.mentions} passages."]
    if entity.aliases:
        parts.append(f"Also called {line(', '.join(entity.aliases))}.")
    if entity.description:
        parts.append(line(entity.description, 300))
    if view.others:
        others = "; ".join(f"{other.type} {other.id}".strip() for other in view.others)
        parts.append(f"Others of this name: {others}.")
    count = view.relation_count
    shown = len(view.relations)
    if count:
        parts.append(
            f"{count} relation{'' if count == 1 else 's'}" + (f", {shown} shown:" if shown < count else ":")
        )
    return " ".join(parts)


def _stated(entity: Entity, stated: StatedView) -> Item:
    ends = (entity.name, stated.other.name) if stated.direction == "out" else (stated.other.name, entity.name)
    head = f"- {ends[0]} {stated.type} {ends[1]} ({stated.weight}x)"
    return Item(head, "\n".join(_evidence(one) for one in stated.evidence[:_SHOWN]))


def _evidence(one: EvidenceView) -> str:
    condition = f" Condition: {line(one.condition)}" if one.condition else ""
    place = f"{where(one.citation)} (chunk {one.citation.chunk})"
    return f"  {place}: {line(one.sentence, 400)}{condition}"


def _mentions(view: EntityView) -> Item:
    """Where the entity is named, and what it is grouped with."""
    lines = [f"  {where(citation)} (chunk {citation.chunk})" for citation in view.chunks[:_CHUNKS]]
    groups = [
        f"Grouped with others under: {line(community.title)} ({len(community.members)} members)"
        for community in view.communities[:_SHOWN]
    ]
    return Item("- named in:", "\n".join([*lines, *groups]))


def _step(start: Entity, step: StepView) -> Item:
    arrow = {"out": f"-[{step.type}]->", "in": f"<-[{step.type}]-", "both": f"-[{step.type}]-"}
    head = f"- {start.name} {arrow[step.direction]} {_named(step.entity)}"
    if step.citation is None:
        return Item(head)
    said = f": {line(step.sentence, 400)}" if step.sentence else ""
    condition = f" Condition: {line(step.condition)}" if step.condition else ""
    place = f"  {where(step.citation)} (chunk {step.citation.chunk})"
    return Item(head, f"{place}{said}{condition}")


def _named(entity: Entity) -> str:
    return f"{entity.name} ({entity.type})" if entity.type else entity.name
