"""Views of the graph as lines of text, for people."""

from __future__ import annotations

from collections.abc import Iterator

from ..indexer.types import Citation, Entity
from .graph_view import EntityView, StatedView
from .graph_view_path import PathView, StepView

SHORT = 80
"""Characters of a description or title in one line."""
EVIDENCE = 3
"""Places of one relation that are listed."""


def entity_lines(view: EntityView) -> list[str]:
    """What there is to see of an entity, a line each."""
    return list(_entity(view))


def path_lines(view: PathView) -> list[str]:
    """The path with its evidence, a line a step; one line where there is none."""
    if not view.steps:
        late = "" if view.complete else ", but the time was up before all was looked at"
        return [f"no path of at most {view.hops} steps from {view.start.name} to {view.end.name}{late}"]
    lines = [view.start.name]
    for step in view.steps:
        lines += _step(step)
    return lines


def where(citation: Citation | None) -> str:
    """Where something stands: source, pages and section."""
    if citation is None:
        return ""
    pages = citation.pages or ()
    numbers = f" p. {pages[0]}" if len(pages) == 1 else f" pp. {pages[0]}-{pages[-1]}" if pages else ""
    section = f", {citation.section[-1]}" if citation.section else ""
    return f"{citation.source}{numbers}{section}"


def _entity(view: EntityView) -> Iterator[str]:
    entity = view.entity
    yield _called(entity)
    yield f"  id {entity.id}, in {_passages(entity)}"
    if entity.aliases:
        yield f"  also {', '.join(entity.aliases)}"
    if entity.description:
        yield f"  {_short(entity.description)}"
    for stated in view.relations:
        yield from _stated(entity.name, stated)
    if more := view.relation_count - len(view.relations):
        yield f"  and {more:,} more relation{'' if more == 1 else 's'}"
    for community in view.communities:
        yield f"  in community {_short(community.title)} ({len(community.members):,} members, {community.id})"
    for citation in view.chunks:
        yield f"  {where(citation)}  {citation.chunk}"
    if entity.mentions > len(view.chunks) > 0:
        yield f"  and {entity.mentions - len(view.chunks):,} more"
    for other, cited in view.others:
        yield f"  also called so: {_called(other)}, in {_passages(other)}, {where(cited)}  {other.id}"


def _called(entity: Entity) -> str:
    return f"{entity.name} ({entity.type})" if entity.type else entity.name


def _passages(entity: Entity) -> str:
    return f"{entity.mentions:,} passage{'' if entity.mentions == 1 else 's'}"


def _stated(name: str, stated: StatedView) -> Iterator[str]:
    ends = (name, stated.other.name) if stated.direction == "out" else (stated.other.name, name)
    yield f"  {ends[0]} -[{stated.type}]-> {ends[1]}"
    shown = stated.evidence[:EVIDENCE]
    for one in shown:
        yield f"      {where(one.citation)}: {_line(one.sentence)}"
        if one.condition:
            yield f"      condition: {_line(one.condition)}"
    if stated.weight > len(shown):
        yield f"      and in {stated.weight - len(shown):,} more places"


def _step(step: StepView) -> list[str]:
    arrows = {"out": f"-[{step.type}]->", "in": f"<-[{step.type}]-", "both": f"-[{step.type}]-"}
    lines = [f"  {arrows[step.direction]} {step.entity.name}  ({where(step.citation)})"]
    lines += [f"      {_line(step.sentence)}"] if step.sentence else []
    return lines + ([f"      condition: {_line(step.condition)}"] if step.condition else [])


def _line(text: str) -> str:
    return " ".join(text.split())


def _short(text: str) -> str:
    line = _line(text)
    return line if len(line) <= SHORT else line[:SHORT].rsplit(" ", 1)[0] + " ..."
