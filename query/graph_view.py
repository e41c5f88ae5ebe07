"""An entity to look at: what it is called, what is stated of it and where, and what it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any, Literal

from ..indexer.errors import ConfigurationError
from ..indexer.names import form
from ..indexer.stores.graph_ports import GraphSnapshot
from ..indexer.stores.ports import VectorSnapshot
from ..indexer.types import Citation, Community, Document, Entity, Relation
from .access import Access
from .graph_link import LIKELY
from .quoting import quoted
from .result import SCHEMA, citation_to_json, cite

SUGGESTED = 5
"""Names that are offered for one that is unknown."""
LIKE = 0.7
"""How like that one each must be."""
WORD = 4
"""Letters of the shortest part of a name that others are offered for."""


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """Where something is stated: the ``sentence``, the ``condition`` or exception in it (empty where there is
    none), and its citation."""

    sentence: str
    condition: str
    citation: Citation

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        cited = citation_to_json(self.citation)
        return {"sentence": self.sentence, "condition": self.condition, "citation": cited}


@dataclass(frozen=True, slots=True)
class StatedView:
    """What is stated of an entity: that it (``out``), ``type``, the entity ``other``, or the other way round
    (``in``). ``weight`` is how many pieces of ``evidence`` there are; not all need be shown."""

    id: str
    direction: Literal["out", "in"]
    type: str
    other: Entity
    evidence: tuple[EvidenceView, ...]
    weight: int
    description: str = ""

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "id": self.id,
            "direction": self.direction,
            "type": self.type,
            "other": {"id": self.other.id, "name": self.other.name, "type": self.other.type},
            "description": self.description,
            "weight": self.weight,
            "evidence": [one.to_json() for one in self.evidence],
        }


@dataclass(frozen=True, slots=True)
class EntityView:
    """An entity as its reader may see it. ``relations`` are the strongest first; ``relation_count`` is how
    many there are. ``communities`` hold it, the finest first. ``chunks`` name it: first those about it.
    ``others`` are further entities that go by the same name, each with the chunk that names it first.
    """

    entity: Entity
    relations: tuple[StatedView, ...]
    relation_count: int
    communities: tuple[Community, ...]
    chunks: tuple[Citation, ...]
    others: tuple[tuple[Entity, Citation | None], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The entity as JSON values, schema 1."""
        entity = self.entity
        return {
            "schema": SCHEMA,
            "id": entity.id,
            "name": entity.name,
            "type": entity.type,
            "aliases": list(entity.aliases),
            "description": entity.description,
            "mentions": entity.mentions,
            "relations": [stated.to_json() for stated in self.relations],
            "relation_count": self.relation_count,
            "communities": [
                {
                    "id": community.id,
                    "level": community.level,
                    "title": community.title,
                    "members": len(community.members),
                    "report": community.report,
                }
                for community in self.communities
            ],
            "chunks": [citation_to_json(citation) for citation in self.chunks],
            "others": [
                {
                    "id": other.id,
                    "name": other.name,
                    "type": other.type,
                    "mentions": other.mentions,
                    "citation": None if cited is None else citation_to_json(cited),
                }
                for other, cited in self.others
            ],
        }


class EntityReader:
    """The entities of one generation for one reader. Lists in a view have at most ``most`` entries."""

    def __init__(
        self,
        graph: GraphSnapshot,
        vectors: VectorSnapshot,
        documents: Mapping[str, Document],
        access: Access,
        most: int = 20,
    ) -> None:
        self._graph = graph
        self._vectors = vectors
        self._documents = documents
        self._access = access
        self._where = access.where(None)
        self._most = most

    def find(self, name: str) -> list[Entity]:
        """The entities of that id, name or alias: those that are written exactly so, then those of most
        mentions first.

        Raises ConfigurationError where there is none that this reader may see, with the names nearest to it.
        """
        if not self._access.empty:
            named = self._graph.named([form(name)], self._where).get(form(name), [])
            if found := self._graph.entities([name], self._where) or self._graph.entities(named, self._where):
                return sorted(found, key=lambda entity: _exactness(entity, name))
        near = self._near(name)
        hint = f"; there is {', '.join(near)}" if near else ""
        raise ConfigurationError(f"no entity is called {quoted(name)}{hint}")

    def view(self, name: str) -> EntityView:
        """The entity of that id, name or alias. Raises ConfigurationError where there is none."""
        entity = self.find(name)[0]
        called = entity.name if name == entity.id else name
        others = [other for other in self.find(called) if other.id != entity.id]
        relations = self._graph.relations([entity.id], self._where, "both", self._most)
        mentions = self._graph.mentioning([entity.id], self._where, self._most)
        held = [mention.chunk for mention in mentions]
        citations = self.citations([*held, *_evidence(relations, self._most)])
        return EntityView(
            entity=entity,
            relations=tuple(self._stated(entity, relations, citations)),
            relation_count=self._graph.relation_count(entity.id, self._where),
            communities=tuple(self._graph.communities(self._where, entities=[entity.id])),
            chunks=tuple(citations[chunk] for chunk in held if chunk in citations),
            others=tuple(self._placed(others[: self._most])),
        )

    def _placed(self, entities: Sequence[Entity]) -> list[tuple[Entity, Citation | None]]:
        """Entities, each with where it is named first, of the chunks that are about it if there are any."""
        found = self._graph.mentioning([entity.id for entity in entities], self._where, 1)
        first = {mention.entity: mention.chunk for mention in found}
        citations = self.citations(first.values())
        return [(entity, citations.get(first.get(entity.id, ""))) for entity in entities]

    def citations(self, chunks: Iterable[str]) -> dict[str, Citation]:
        """The citations of those of ``chunks`` that the reader may see, by id."""
        wanted = sorted(set(chunks))
        if not wanted:
            return {}
        rows = self._vectors.fetch(replace(self._access.where(), ids=wanted))
        return {row.payload["id"]: cite(row.payload, self._documents) for row in rows}

    def named(self, ids: Iterable[str]) -> dict[str, Entity]:
        """Entities by id, of those that the reader may see."""
        return {entity.id: entity for entity in self._graph.entities(sorted(set(ids)), self._where)}

    def sources(self, documents: Iterable[str]) -> tuple[str, ...]:
        """The sources of documents, sorted."""
        return tuple(sorted(self._documents[name].source for name in documents if name in self._documents))

    def _near(self, name: str) -> list[str]:
        """The names that are most like one, for who has misspelt it."""
        key = form(name)
        if self._access.empty or not key:
            return []
        known = self._graph.alike(key, self._where, LIKELY)
        likeness = {other: _likeness(key, other) for other in known}
        near = [other for other in known if likeness[other] >= LIKE]
        likely = sorted(near, key=lambda other: -likeness[other])[:SUGGESTED]
        first = self._graph.named(likely, self._where)
        entities = self.named(ids[0] for ids in first.values())
        offered = [(other, entities[first[other][0]].name) for other in likely if other in first]
        shown = [own if form(own) == other else f"{other} ({own})" for other, own in offered]
        return list(dict.fromkeys(shown))

    def _stated(
        self, entity: Entity, relations: Sequence[Relation], citations: Mapping[str, Citation]
    ) -> list[StatedView]:
        ends = self.named(end for relation in relations for end in (relation.source, relation.target))
        views: list[StatedView] = []
        for relation in relations:
            outward = relation.source == entity.id
            other = ends.get(relation.target if outward else relation.source)
            if other is None:
                continue
            evidence = tuple(
                EvidenceView(one.sentence, one.condition, citations[one.chunk])
                for one in relation.evidence[: self._most]
                if one.chunk in citations
            )
            views.append(
                StatedView(
                    id=relation.id,
                    direction="out" if outward else "in",
                    type=relation.type,
                    other=other,
                    evidence=evidence,
                    weight=len(relation.evidence),
                    description=relation.description,
                )
            )
        return views


def _evidence(relations: Iterable[Relation], most: int) -> list[str]:
    return [one.chunk for relation in relations for one in relation.evidence[:most]]


def _exactness(entity: Entity, asked: str) -> int:
    """0 where the entity is called as was asked, 1 where it is also called so, 2 where it is called alike."""
    return 0 if entity.name == asked else 1 if asked in entity.aliases else 2


def _likeness(asked: str, other: str) -> float:
    """How likely it is, in 0..1, that ``other`` was meant by a normalised name: they share letters in order,
    or it has all words of it and not many more."""
    if len(asked) >= WORD and set(asked.split()) <= set(other.split()):
        return LIKE + (1 - LIKE) * len(asked) / len(other)
    return SequenceMatcher(None, asked, other, autojunk=False).ratio()
