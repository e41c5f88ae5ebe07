"""What the index knows of a kind, as the first page of a result shows it."""

from __future__ import annotations

from ..enumeration import Enumeration, Group
from ..result import SearchResult
from .paging import Entry
from .places import SENTENCE, TITLE, clip, filled

MOST = 20
"""Items of a group that are shown where there is room."""


def listed(result: SearchResult) -> Entry:
    """The enumeration of a result under its key; empty where it has none. Counts, and how sure they are, are
    told within any budget; items that find no room are left out."""
    found = result.enumeration
    return {} if found is None else {"enumeration": _kinds(found)}


def _kinds(found: Enumeration) -> Entry:
    return {
        "asked": clip(found.asked, TITLE),
        **filled(beside=[clip(word, TITLE) for word in found.beside[:MOST]]),
        "groups": [_group(group) for group in found.groups],
    }


def _group(group: Group) -> Entry:
    return {
        "kind": group.kind,
        "count": group.count,
        "complete": group.complete,
        "note": clip(group.note, SENTENCE),
        "items": [
            {"id": item.id, "name": clip(item.name, TITLE), **filled(source=item.where)}
            for item in group.items[:MOST]
        ],
    }
