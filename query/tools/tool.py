"""A tool for agents, and what every tool works with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..routes import ROUTES
from .arguments import Arguments
from .paging import Found

if TYPE_CHECKING:
    from ..index import Index


MEANT = 3
"""Documents that are offered for a name that is none."""


@dataclass(frozen=True, slots=True)
class Desk:
    """An open index and the one reader whom it serves: ``labels`` and the ``deadline`` of a search as for
    :meth:`.index.Index.search`."""

    index: Index
    labels: Sequence[str] | None
    deadline: float | None = None

    @property
    def structures(self) -> frozenset[str]:
        """What the index holds of ``tree`` and ``graph``."""
        return frozenset(self.index.status().get("structures", {})) & {"tree", "graph"}

    def meant(self, name: str) -> str:
        """Which documents somebody may have meant who calls one ``name``, as the end of a message."""
        stem = name.partition("@")[0].rpartition("/")[2].casefold()
        sources = (document.source for document in self.index.readable(self.labels))
        near = [source for source in sources if stem and stem in source.casefold()]
        return f"; there is {', '.join(near[:MEANT])}" if near else ""

    def without(self, structure: str) -> str:
        """What to do in an index that holds no ``structure``."""
        held = self.structures
        routes = [name for name in ROUTES if name not in ("tree", "graph") or name in held]
        tools = {"tree": "outline", "graph": "neighbours and path"}[structure]
        return (
            f"search with another route ({', '.join(routes)}), or see `documents` and `read`; {tools} will "
            f"answer once whoever keeps this index has built its {structure}"
        )


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its name and description, the types of its ``arguments`` and of its result (``shape``), and
    ``run``, which finds what was asked or raises Refusal. ``dear``: a run costs calls of a model, so that
    none is made for a later page."""

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    shape: Any
    run: Callable[[Desk, Any], Found]
    dear: bool = False
