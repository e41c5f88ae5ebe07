"""A community to look at: its report, its members, and what the report rests on."""

from __future__ import annotations

from dataclasses import dataclass

from ..indexer.errors import ConfigurationError
from ..indexer.stores.graph_ports import GraphSnapshot
from ..indexer.types import Citation, Community, Entity
from .access import Access
from .graph_view import EntityReader


@dataclass(frozen=True, slots=True)
class CommunityView:
    """A community as its reader may see it: ``members`` are those of its entities that are named most, by
    name, and ``chunks`` what its report rests on, best first."""

    community: Community
    members: tuple[Entity, ...]
    chunks: tuple[Citation, ...]


def community_view(
    name: str, graph: GraphSnapshot, reader: EntityReader, access: Access, most: int = 20
) -> CommunityView:
    """The community of that id, with ``most`` members. Raises ConfigurationError where there is none that
    this reader may see."""
    found = [] if access.empty else graph.communities(access.where(None), ids=[name])
    if not found:
        raise ConfigurationError(f"no community has the id {name!r}")
    community = found[0]
    cited = reader.citations(community.chunks)
    members = sorted(reader.named(community.members).values(), key=lambda one: (-one.mentions, one.name))
    return CommunityView(
        community,
        tuple(members[:most]),
        tuple(cited[chunk] for chunk in community.chunks if chunk in cited),
    )
