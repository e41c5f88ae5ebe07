"""Reading what is no text of a document: nodes of the tree, reports and entities of the graph."""

from __future__ import annotations

from functools import partial

from ..graph_view import EntityView
from ..read_result import CommunityFacts, NodeFacts, Reading
from ..tree_view import TreeView
from .paging import Entry, Found
from .places import NOTE, TITLE, clip, filled, named_place, page_ranges, section_path
from .tool import Desk

RESTS = 5
"""Passages shown of those that a text rests on."""


def node(desk: Desk, reading: Reading, facts: NodeFacts) -> Found:
    """A node: its summary, what was counted over it, then the nodes or passages below it."""
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


def report(reading: Reading, facts: CommunityFacts) -> Found:
    """A community: its report, then the communities and entities in it."""
    beside = reading.beside or {}
    first = filled(
        title=clip(facts.title, TITLE),
        previous=beside.get("previous"),
        next=beside.get("next"),
        above=[
            {"id": step["id"], "kind": "report", "title": clip(str(step["title"]), TITLE)}
            for step in reading.above
        ],
        rests_on=[named_place(citation) for citation in reading.citations[:RESTS]],
    )
    within = [partial(_named, name, "report", title) for name, title in facts.communities]
    members = [partial(_named, one.id, "entity", one.name) for one in facts.members]
    head = {"note": NOTE, "id": reading.id, "kind": "report"}
    return Found(head, "parts", [partial(_said, reading.text), *within, *members], first=first)


def _named(name: str, kind: str, title: str) -> Entry:
    return {"id": name, "kind": kind, "title": clip(title, TITLE)}


def entity(view: EntityView) -> Found:
    """An entity: what it is, and where it is named."""
    one = view.entity
    first = filled(
        title=clip(one.name, TITLE),
        hint=f"`neighbours` shows its {view.relation_count} relations" if view.relation_count else "",
        rests_on=[named_place(citation) for citation in view.chunks[:RESTS]],
    )
    named = f"{one.name} ({one.type})" if one.type else one.name
    texts = [partial(_said, text) for text in (named, one.description) if text]
    return Found({"note": NOTE, "id": one.id, "kind": "entity"}, "parts", texts, first=first)
