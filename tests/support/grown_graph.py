"""The graph of an index as its owner reads it, and how it compares with another one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.stores.graph_ports import Mention
from treegraph.indexer.stores.graph_rows import GraphKind
from treegraph.indexer.stores.ports import Filter
from treegraph.indexer.types import Community, Entity, Relation

ALL = Filter()
_MANY = 1_000_000


@dataclass(frozen=True, slots=True)
class GrownGraph:
    """What one generation's graph holds; entities, relations and communities by id, chunks by theirs."""

    counts: Mapping[GraphKind, int]
    chunks: frozenset[str]
    entities: Mapping[str, Entity]
    mentions: tuple[Mention, ...]
    relations: Mapping[str, Relation]
    communities: Mapping[str, Community]

    @property
    def stated(self) -> tuple[object, ...]:
        """All but the communities."""
        return self.chunks, self.entities, self.mentions, self.relations

    def entity(self, name: str) -> Entity:
        """The one entity of that name or alias."""
        (found,) = [one for one in self.entities.values() if name in (one.name, *one.aliases)]
        return found

    def names(self) -> set[str]:
        """Every name and alias."""
        return {name for one in self.entities.values() for name in (one.name, *one.aliases)}

    def triples(self) -> set[tuple[str, str, str]]:
        """Every relation by the names of its ends."""
        name = {key: one.name for key, one in self.entities.items()}
        return {(name[r.source], r.type, name[r.target]) for r in self.relations.values()}

    def grouped(self) -> Counter[str]:
        """How many of the finest communities hold each entity that is in one."""
        finest = [community for community in self.communities.values() if community.level == 0]
        return Counter(member for community in finest for member in community.members)

    def modularity(self) -> float:
        """Newman's, of the communities that are in no other, over entities named together or related."""
        weights: Counter[tuple[str, str]] = Counter()
        together: defaultdict[str, set[str]] = defaultdict(set)
        for mention in self.mentions:
            together[mention.chunk].add(mention.entity)
        for named in together.values():
            weights.update(combinations(sorted(named), 2))
        for relation in self.relations.values():
            low, high = sorted((relation.source, relation.target))
            weights[low, high] += 2 * len(relation.evidence)
        top = [one for one in self.communities.values() if one.parent is None]
        of = {member: one.id for one in top for member in one.members}
        edges = {pair: weight for pair, weight in weights.items() if pair[0] in of and pair[1] in of}
        total = sum(edges.values())
        ends: Counter[str] = Counter()
        for (one, other), weight in edges.items():
            ends[of[one]] += weight
            ends[of[other]] += weight
        inside = sum(weight for (one, other), weight in edges.items() if of[one] == of[other])
        return inside / total - sum((end / (2 * total)) ** 2 for end in ends.values())


def grown_graph(path: Path, generation: int | None = None) -> GrownGraph:
    """The graph of the published generation, or of another one."""
    folder = IndexFolder.open(path)
    number = generation or folder.manifest().published
    assert number is not None
    try:
        with closing(folder.graph()) as store, closing(store.read(number)) as snapshot:
            whole = snapshot.whole(ALL)
            found = snapshot.relations(whole.entities, ALL, limit=_MANY)
            return GrownGraph(
                snapshot.counts(ALL),
                frozenset(whole.chunks),
                {one.id: one for one in snapshot.entities(whole.entities, ALL)},
                tuple(snapshot.mentions(sorted(whole.chunks), ALL)),
                {one.id: one for one in found},
                {one.id: one for one in snapshot.communities(ALL, limit=_MANY)},
            )
    finally:
        folder.close()


def whole_graph(path: Path) -> GrownGraph:
    """The published graph, which is whole and sound in itself."""
    graph = grown_graph(path)
    counted = (
        graph.chunks,
        graph.entities,
        graph.mentions,
        graph.relations,
        graph.communities,
    )
    assert list(graph.counts.values()) == [len(rows) for rows in counted]
    named = {mention.entity for mention in graph.mentions}
    assert named == graph.entities.keys(), "nothing is there that no chunk names"
    for relation in graph.relations.values():
        assert {relation.source, relation.target} <= named
        assert relation.evidence
        assert {one.chunk for one in relation.evidence} <= graph.chunks
    grouped = graph.grouped()
    assert set(grouped.values()) <= {1}
    assert grouped.keys() <= named
    for community in graph.communities.values():
        assert community.title
        assert set(community.chunks) <= graph.chunks
        above = graph.communities[community.parent] if community.parent else community
        assert set(community.members) <= set(above.members)
    return graph


def same_graph(one: GrownGraph, other: GrownGraph, bound: float = 0.05) -> None:
    """Both say the same, and their communities hold the same entities and are about as good."""
    assert one.stated == other.stated
    assert one.grouped() == other.grouped()
    if one.communities != other.communities:
        assert one.modularity() >= other.modularity() - bound
