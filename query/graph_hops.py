"""From one name over what is stated of it to what a question asks for: open-ended hops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..indexer.stores.graph_ports import Direction
from .graph_direction import direction
from .graph_link import Link
from .graph_paths import Chain, Edge, PathFinder
from .graph_reading import GraphRead
from .phrases import question_forms

BEAM = 32
"""Chains that go on after a hop."""
EVIDENCE = 8
"""Sentences of a relation that are looked at."""
LENGTH = 2
"""Hops of the longest chain."""
LEAST = 0.2
"""The least share of what the question says that a chain must say."""
FURTHER = 0.8
"""What a chain is worth beside one of a hop less that says as much."""
AROUND = 0.5
"""What a word counts that stands not in the sentence, but elsewhere in its chunk."""


@dataclass(frozen=True, slots=True)
class Answering:
    """A chain that may answer the question: it says the ``share`` of its words, by IDF, a longer one less."""

    chain: Chain
    share: float


@dataclass(frozen=True, slots=True)
class _Saying:
    """A chain with the question's words that its sentences hold, and those that its chunks do."""

    chain: Chain
    stated: frozenset[str] = frozenset()
    around: frozenset[str] = frozenset()


class Hops:
    """Follows relations whose sentences say what the question says."""

    def __init__(self, read: GraphRead, finder: PathFinder) -> None:
        self._read = read
        self._finder = finder
        self._forms = frozenset(question_forms(read.question.text, read.language))
        self._matcher = read.matcher(read.language)

    def __call__(self, link: Link) -> list[Answering]:
        """The chains from the entity of ``link`` in the direction of the question, the best first. The first
        hop may say nothing of what is asked: that ADDPS belongs to SSE, say, whose requirements are."""
        own = frozenset(question_forms(link.said, self._read.language))
        way = direction(self._read.question.text, link.said)
        asked = self._read.weigh(self._forms - own)
        chains, best = [_Saying(Chain(()))], list[Answering]()
        for _ in range(LENGTH if asked > 0 else 0):
            chains = self._further(link.entity.id, chains, way)
            best += [Answering(one.chain, self._worth(one, own) / asked) for one in chains]
        enough = [found for found in best if found.share >= LEAST]
        return sorted(enough, key=lambda found: (-found.share, len(found.chain.edges), found.chain.entities))

    def _further(self, start: str, chains: Sequence[_Saying], way: Direction) -> list[_Saying]:
        """Each of ``chains``, the best first, one hop on; of all, those that say most of the question."""
        ends: dict[str, _Saying] = {}
        for one in chains:  # the best first: of those that end alike, it goes on
            ends.setdefault(one.chain.entities[-1] if one.chain.edges else start, one)
        longer: list[_Saying] = []
        for edge in self._finder.stated(sorted(ends), way) if ends else ():
            before = ends[edge.source]
            if edge.target != start and edge.target not in before.chain.entities:
                stated, around = self._said(edge)
                chain = Chain((*before.chain.edges, edge))
                longer.append(_Saying(chain, before.stated | stated, before.around | around))
        longer.sort(key=lambda one: (-self._share(one, frozenset()), one.chain.entities))
        return longer[:BEAM]

    def _worth(self, one: _Saying, own: frozenset[str]) -> float:
        return self._share(one, own) * FURTHER ** (len(one.chain.edges) - 1)

    def _share(self, one: _Saying, own: frozenset[str]) -> float:
        stated = one.stated - own
        return self._read.weigh(stated) + AROUND * self._read.weigh(one.around - stated - own)

    def _said(self, edge: Edge) -> tuple[frozenset[str], frozenset[str]]:
        """The question's words in what is stated, and in the chunks that state it, where these are known."""
        assert edge.relation is not None
        relation = edge.relation
        sentences = " ".join(evidence.sentence for evidence in relation.evidence[:EVIDENCE])
        stated = self._matcher.match(f"{sentences} {relation.type} {relation.description}").found
        chunks = [evidence.chunk for evidence in relation.evidence[:EVIDENCE]]
        known = [self._read.chunks[chunk].match.found for chunk in chunks if chunk in self._read.chunks]
        return stated, frozenset[str]().union(*known)
