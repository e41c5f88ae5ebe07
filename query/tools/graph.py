"""``neighbours`` and ``path``: what the graph says of the things that documents name."""

from __future__ import annotations

from functools import partial

from ...indexer.errors import ConfigurationError, RouteUnavailable
from ...indexer.types import Citation, Entity
from ..graph_view import EntityView, StatedView
from ..graph_view_path import StepView
from .arguments import NeighboursArguments, PathArguments
from .paging import Entry, Found
from .places import NOTE, SECTION, SENTENCE, TITLE, clip, filled, named_place
from .refusal import Refusal
from .shapes_graph import Neighbours, Path
from .tool import Desk, Tool

MOST = 200
"""Relations of one entity that are gone through."""
LISTED, EVIDENCE = 5, 2
"""Aliases, groups, passages and namesakes that are listed, and pieces of evidence of one relation."""


def _neighbours(desk: Desk, asked: NeighboursArguments) -> Found:
    try:
        view = desk.index.entity(asked.entity, desk.labels, most=MOST)
    except RouteUnavailable:
        raise Refusal("this index holds no graph", desk.without("graph")) from None
    except ConfigurationError as error:
        raise _unknown(error) from None
    total = view.relation_count
    head = {"note": NOTE, **_named(view.entity), "mentions": view.entity.mentions, "total": total}
    if not total:
        head["hint"] = "nothing is stated of it in so many words: read its passages, or search with its name"
    elif total > len(view.relations):
        head["hint"] = f"here are the strongest {len(view.relations)}: search with its name for others"
    elif view.relation_count > total:
        head["hint"] = f"these are the {total} with most evidence; search with its name for others"
    stated = [partial(_stated, one) for one in view.relations]
    return Found(head, "neighbours", stated, first=_described(view))


def _unknown(error: ConfigurationError) -> Refusal:
    return Refusal(
        clip(str(error), SENTENCE),
        "use a name just as the documents write it: search for it first, or take one of the names above",
    )


def _described(view: EntityView) -> Entry:
    groups = [
        {"id": one.id, "kind": "report", "title": clip(one.title, TITLE)}
        for one in view.communities
        if one.report
    ]
    return filled(
        aliases=[clip(alias, TITLE) for alias in view.entity.aliases[:LISTED]],
        description=clip(view.entity.description, SENTENCE),
        others=[_namesake(other, named) for other, named in view.others[:LISTED]],
        groups=groups[:LISTED],
        passages=[named_place(citation) for citation in view.chunks[:LISTED]],
    )


def _named(entity: Entity) -> Entry:
    return {"id": entity.id, "name": clip(entity.name, TITLE), **filled(type=entity.type)}


def _namesake(entity: Entity, citation: Citation | None) -> Entry:
    """An entity of the same name, with a place that names it, which tells them apart."""
    return {**_named(entity), **(named_place(citation) if citation else {})}


def _stated(one: StatedView) -> Entry:
    evidence = [
        {
            "sentence": clip(each.sentence, SENTENCE),
            **filled(condition=clip(each.condition, SECTION)),
            **named_place(each.citation),
        }
        for each in one.evidence[:EVIDENCE]
    ]
    return {
        "type": one.type,
        "direction": one.direction,
        "entity": _named(one.other),
        **filled(description=clip(one.description, SENTENCE)),
        "weight": one.weight,
        "evidence": evidence,
    }


def _path(desk: Desk, asked: PathArguments) -> Found:
    try:
        view = desk.index.entity_path(asked.first, asked.second, desk.labels)
    except RouteUnavailable:
        raise Refusal("this index holds no graph", desk.without("graph")) from None
    except ConfigurationError as error:
        raise _unknown(error) from None
    head: Entry = {"note": NOTE, "from": _named(view.start), "to": _named(view.end)}
    if not view.steps:
        head["hint"] = (
            "no path joins them: look at the neighbours of each, or search for both names in one question"
        )
    return Found(head, "steps", [partial(_step, step) for step in view.steps])


def _step(step: StepView) -> Entry:
    return {
        "type": step.type,
        "direction": step.direction,
        "entity": _named(step.entity),
        **filled(sentence=clip(step.sentence, SENTENCE), condition=clip(step.condition, SECTION)),
        **(named_place(step.citation) if step.citation else {}),
    }


NEIGHBOURS = Tool(
    "neighbours",
    "Neighbours of an entity",
    "Show a thing that the documents name (a register, command, part, person ...): its other names, the "
    "passages that name it, and what is stated between it and other things, each with its sentence, its "
    "condition and page. With direction `out` it is the subject of `type`, with `in` the other is.",
    NeighboursArguments,
    Neighbours,
    _neighbours,
)
PATH = Tool(
    "path",
    "Path between two entities",
    "Show the shortest way from one named thing to another over what the documents state, each step with its "
    "sentence, condition and page; with direction `in` it reads backwards. For questions on what two things "
    "have to do with each other.",
    PathArguments,
    Path,
    _path,
)
