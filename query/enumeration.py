"""All that an index knows of a kind: what a question for how many, or for all, gets beside its hits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

ListedKind = Literal["document", "section", "row", "entity"]


@dataclass(frozen=True, slots=True)
class Listed:
    """One of a kind: ``id`` is what ``read`` takes, ``name`` what it is called, ``where`` the source or the
    document that it is in, ``chunk`` one that names it (empty where none is known)."""

    id: str
    name: str
    where: str
    chunk: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Those of one kind: ``count`` is how many were found, of which ``items`` are shown. ``complete`` says
    whether every one of them was looked at, ``note`` what that means. Rows are those of one ``table``,
    named by its caption or header (empty without either), on ``pages`` (empty where the format has none)."""

    kind: ListedKind
    count: int
    items: tuple[Listed, ...]
    complete: bool
    note: str
    table: str = ""
    pages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Enumeration:
    """What was ``asked`` for, and what there is of it, a group a kind. ``beside`` are the words of the
    question that ask for some of these alone, which are not looked at: there may be fewer."""

    asked: str
    groups: tuple[Group, ...]
    beside: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "asked": self.asked,
            "beside": list(self.beside),
            "groups": [_group(group) for group in self.groups],
        }


def _group(group: Group) -> Mapping[str, Any]:
    data: dict[str, Any] = {
        "kind": group.kind,
        "count": group.count,
        "complete": group.complete,
        "note": group.note,
        "items": [
            {"id": item.id, "name": item.name, "where": item.where, "chunk": item.chunk or None}
            for item in group.items
        ],
    }
    if group.kind == "row":
        data |= {"table": group.table, "pages": list(group.pages) or None}
    return data
