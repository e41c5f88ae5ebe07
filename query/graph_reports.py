"""Reports of communities for questions about many things at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import sqrt

from ..indexer.types import Community
from .graph_link import Link
from .graph_reading import GraphRead
from .phrases import Match
from .question import Candidate
from .relevance import relevance

_BROAD = re.compile(
    r"\b(?:overview|overall|in general|generally|summar(?:y|i[sz]e|ies)|outline|landscape|tell me about)\b"
    r"|\b(?:main|major|key|themes?|topics?|everything|compare|comparison|differences? between)\b"
    r"|\b(?:kinds of|types of|sorts of|(?:list|what are) (?:all|the)|which (?:\w+ ){1,2}are there)\b"
    r"|überblick|zusammenfass|概述|总结|總結|概要|まとめ|개요|요약",
    re.IGNORECASE,
)
MANY = 4
"""Names of a question that is about many things."""
MEMBERS = 60
"""Entities whose communities are looked at: those where the walk is most."""
LEAD = 3
"""Chunks that come before the first report, and between two."""


def is_broad(question: str, links: Sequence[Link]) -> bool:
    """Whether a question asks about many things rather than for one fact: it says so and hardly names
    anything, or it names many things."""
    named = {link.said for link in links if link.by in ("name", "alike")}
    return len(named) >= MANY or (len(named) < MANY // 2 and _BROAD.search(question) is not None)


@dataclass(frozen=True, slots=True)
class Reports:
    """The reports that were chosen, as candidates, and how many communities were ``looked`` at."""

    candidates: Sequence[Candidate]
    looked: int


def reports(read: GraphRead, entities: Mapping[str, float]) -> Reports:
    """The reports that say most of what the question asks, on communities of ``entities`` (with the weight
    that the walk gave each); only of communities that the reader may see whole."""
    settings, graph = read.graph.settings, read.graph
    first = sorted(entities, key=lambda entity: (-entities[entity], entity))[:MEMBERS]
    if not first or settings.reports == 0:
        return Reports((), 0)
    found = graph.snapshot.communities(graph.access.where(None), entities=first)
    matcher = read.matcher(read.language)
    scored: list[tuple[float, Community, Match]] = []
    for community in found:
        if community.report:
            match = matcher.match(community.report, community.title)
            held = sum(entities.get(member, 0.0) for member in community.members)
            scored.append(((0.1 + match.terms) * held / sqrt(len(community.members)), community, match))
    scored.sort(key=lambda one: (-one[0], one[1].id))
    chosen = islice(_apart(scored), settings.reports)
    candidates = [_candidate(read, community, match, score) for score, community, match in chosen]
    return Reports(candidates, len(found))


def _apart(scored: Iterable[tuple[float, Community, Match]]) -> Iterator[tuple[float, Community, Match]]:
    """Without communities that hold, or are held by, one that comes before them."""
    kept: list[set[str]] = []
    for one in scored:
        members = set(one[1].members)
        if not any(members <= other or members >= other for other in kept):
            kept.append(members)
            yield one


def _candidate(read: GraphRead, community: Community, match: Match, score: float) -> Candidate:
    leaves = community.chunks[: read.graph.settings.citations]
    known = [read.chunks[leaf] for leaf in leaves if leaf in read.chunks]
    step = {"kind": "community", "id": community.id, "title": community.title, "level": community.level}
    return Candidate(
        key=community.id,
        payload={
            "id": community.id,
            "kind": "report",
            "level": community.level,
            "text": community.report,
            "context": community.title,
        },
        score=score,
        dense=max((candidate.dense for candidate in known), default=0.0),
        sparse=0.0,
        match=match,
        relevance=max([relevance(0.0, match), *(candidate.relevance for candidate in known)]),
        ranks={"dense": None, "sparse": None, "blended": None, "fused": None},
        leaves=leaves,
        path=(step,),
    )


def among(chunks: Sequence[Candidate], written: Sequence[Candidate]) -> list[Candidate]:
    """``chunks`` in their order with a report after every ``LEAD`` of them; each report scores as the chunk
    before it does."""
    mixed: list[Candidate] = []
    left = list(written)
    for at, chunk in enumerate(chunks, start=1):
        mixed.append(chunk)
        if left and at % LEAD == 0:
            mixed.append(_scored(left.pop(0), chunk.score))
    lowest = chunks[-1].score if chunks else 0.0
    return [*mixed, *(_scored(report, lowest) for report in left)]


def _scored(report: Candidate, score: float) -> Candidate:
    return replace(report, score=score, fused=score)
