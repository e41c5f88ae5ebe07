"""Reading what is no text of a document: nodes of the tree, reports and entities of the graph."""

from __future__ import annotations

from functools import partial

from ...indexer.errors import ConfigurationError, RouteUnavailable
from ...indexer.types import Entity
from ..read_result import Reading
from ..tree_view import TreeView
from .paging import Entry, Found
from .places import NOTE, TITLE, clip, filled, named_place, page_ranges, section_path
from .tool import Desk

RESTS = 5
"""Passages shown of those that a text rests on."""


def node(desk: Desk, reading: Reading) -> Found:
    """A node: its summary, what was counted over it, then the nodes or passages below it."""
    facts = reading.node
    assert facts is not None
    texts = [partial(_said, text) for text in (reading.text, *(fact.text for fact in facts.facts))]
    view = desk.index.tree(reading.id, 1, desk.labels)
    nodes = [partial(_below, child) for child in view.children]
    passages = [partial(_passage, desk, name) for name in reading.below] if facts.level == 1 else []
    beside = reading.beside or {}
    several = len(facts.documents) > 1
    first = filled(
        source="" if several or not facts.documents else facts.documents[0],
        title=clip(facts.title or facts.holds, TITLE),
        pages=page_ranges(facts.pages),
        section=section_path(facts.section),
        passages=facts.passages,
        previous=beside.get("previous"),
        next=beside.get("next"),
        rests_on=[named_place(citation) for citation in reading.citations[:RESTS]] if several else [],
    )
    head = {"note": NOTE, "id": reading.id, "kind": "node"}
    return Found(head, "parts", [*texts, *nodes, *passages], first=first)


def _said(text: str) -> Entry:
    return {"text": text}


def _below(view: TreeView) -> Entry:
    title = view.title or view.holds or ", ".join(view.documents)
    kind = "node" if view.level else "chunk"
    return {"id": view.id, "kind": kind, "title": clip(title, TITLE), **filled(pages=page_ranges(view.pages))}


def _passage(desk: Desk, name: str) -> Entry:
    reading = desk.index.read(name, desk.labels)
    pages = page_ranges(reading.citations[0].pages)
    return {"id": reading.id, "kind": "chunk", **filled(pages=pages), "text": reading.text}


def in_graph(desk: Desk, name: str) -> Found | None:
    """The report or entity of that id; None where there is none, or no graph."""
    for look in (_report, _entity):
        try:
            return look(desk, name)
        except RouteUnavailable:
            return None
        except ConfigurationError:
            continue
    return None


def _report(desk: Desk, name: str) -> Found:
    view = desk.index.community(name, desk.labels)
    first = filled(
        title=clip(view.community.title, TITLE),
        rests_on=[named_place(citation) for citation in view.chunks[:RESTS]],
    )
    members = [partial(_member, one) for one in view.members]
    head = {"note": NOTE, "id": name, "kind": "report"}
    return Found(head, "parts", [partial(_said, view.community.report), *members], first=first)


def _member(entity: Entity) -> Entry:
    return {"id": entity.id, "kind": "entity", "title": clip(entity.name, TITLE)}


def _entity(desk: Desk, name: str) -> Found:
    view = desk.index.entity(name, desk.labels)
    entity = view.entity
    first = filled(
        title=clip(entity.name, TITLE),
        hint=f"`neighbours` shows its {view.relation_count} relations" if view.relation_count else "",
        rests_on=[named_place(citation) for citation in view.chunks[:RESTS]],
    )
    named = f"{entity.name} ({entity.type})" if entity.type else entity.name
    texts = [partial(_said, text) for text in (named, entity.description) if text]
    return Found({"note": NOTE, "id": entity.id, "kind": "entity"}, "parts", texts, first=first)
