"""Reading the graph: an entity or a community whole, with what is above, below and beside it."""

from __future__ import annotations

from collections.abc import Mapping

from ..indexer.stores.graph_ports import GraphSnapshot
from ..indexer.types import Community
from .access import Access
from .graph_lines import entity_lines
from .graph_view import EntityReader
from .read_result import CommunityFacts, Reading, Step


class GraphReader:
    """The entities and communities of one generation for one reader: an entity as ``entities`` shows it, a
    community only where ``access`` shows all that it rests on."""

    def __init__(self, graph: GraphSnapshot, entities: EntityReader, access: Access) -> None:
        self._graph = graph
        self._entities = entities
        self._where = access.where(None)
        self._nothing = access.empty

    def read(self, identifier: str) -> Reading | None:
        """The entity or community of that id; None where there is none that this reader may see."""
        if self._nothing:
            return None
        if self._entities.named([identifier]):
            return self._entity(identifier)
        found = self._graph.communities(self._where, ids=[identifier])
        return self._community(found[0]) if found else None

    def _entity(self, identifier: str) -> Reading:
        view = self._entities.view(identifier)
        return Reading(
            id=view.entity.id,
            kind="entity",
            text="\n".join(entity_lines(view)),
            citations=view.chunks,
            above=tuple(_step(community) for community in reversed(view.communities)),
            below=tuple(citation.chunk for citation in view.chunks),
            entity=view,
        )

    def _community(self, community: Community) -> Reading:
        cited = self._entities.citations(community.chunks)
        members = self._entities.named(community.members)
        within = self._within(community)
        return Reading(
            id=community.id,
            kind="community",
            text=community.report,
            citations=tuple(cited[chunk] for chunk in community.chunks if chunk in cited),
            context=community.title,
            above=self._above(community),
            below=tuple(one.id for one in within) or community.members,
            beside=self._beside(community),
            community=CommunityFacts(
                level=community.level,
                title=community.title,
                members=tuple(sorted(members.values(), key=lambda one: (-one.mentions, one.name, one.id))),
                documents=self._entities.sources(community.documents),
                communities=tuple((one.id, one.title) for one in within),
            ),
        )

    def _above(self, community: Community) -> tuple[Step, ...]:
        """The communities that hold it, the highest first, as far up as the reader may see them."""
        steps: list[Step] = []
        while (parent := self._parent(community)) is not None:
            steps.append(_step(parent))
            community = parent
        return tuple(reversed(steps))

    def _parent(self, community: Community) -> Community | None:
        if community.parent is None:
            return None
        found = self._graph.communities(self._where, ids=[community.parent])
        return next((one for one in found if one.level > community.level), None)

    def _within(self, community: Community) -> list[Community]:
        """The communities directly beneath it: the largest first."""
        within: list[Community] = []
        left = set(community.members)
        for level in range(community.level - 1, -1, -1):  # not every part is on the level next below
            if left:
                found = self._graph.communities(
                    self._where, entities=sorted(left), level=level, limit=len(left)
                )
                parts = [one for one in found if one.parent == community.id]
                within += parts
                left.difference_update(*(one.members for one in parts))
        return sorted(within, key=lambda one: (-len(one.members), one.id))

    def _beside(self, community: Community) -> Mapping[str, str | None] | None:
        """Those before and after it in the community above."""
        parent = self._parent(community)
        if parent is None:
            return None
        shown = [one.id for one in self._within(parent)]
        at = shown.index(community.id)
        return {
            "previous": shown[at - 1] if at else None,
            "next": shown[at + 1] if at + 1 < len(shown) else None,
        }


def _step(community: Community) -> Step:
    return {
        "kind": "community",
        "id": community.id,
        "title": community.title,
        "level": community.level,
    }
