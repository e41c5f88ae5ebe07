"""Second passages given the first: what a good chunk leads to, for what the question says beyond it.

A question of two hops is like its first passage and hardly like its second, whose own subject it does not
name. So a chunk that is linked to a good one is scored again: how near it is to the question, how much it
holds of those words of the question that the first one leaves open, and, if it is about what links the two,
how much of what the question says the first one says of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .graph_arrays import WalkGraph
from .graph_link import Link
from .graph_reading import GraphRead, Payload
from .phrases import question_forms

UNSAID = 0.5
"""How surely a first passage leads to what it names, if it says what is asked in other words alone."""
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n")
HUB = 50
"""An entity in more chunks than this is no link between two of them."""


@dataclass(frozen=True, slots=True)
class Joint:
    """That the chunks ``first`` and ``chunk`` name the entity ``by``; ``about`` if the second, and not the
    first, is about it."""

    first: str
    by: str
    chunk: str
    about: bool


@dataclass(frozen=True, slots=True)
class Second:
    """That a chunk is reached from chunk ``first`` by the entity ``by`` that both name: what it gains."""

    first: str
    by: str
    gain: float


def seconds(
    read: GraphRead, links: Sequence[Link], graph: WalkGraph, scores: Mapping[str, float]
) -> dict[str, Second]:
    """What chunks gain by those of the highest ``scores`` (of which the best is 1): by id, the most each."""
    settings = read.graph.settings
    firsts = sorted(scores, key=lambda chunk: (-scores[chunk], chunk))[: settings.firsts]
    joints = [joint for first in firsts for joint in linked(graph, first, settings.rare)]
    chosen = _nearest(read, joints, scores)
    leads = _Leads(read, links, chosen)
    best: dict[str, Second] = {}
    for joint in chosen:
        first, by, chunk = joint.first, joint.by, joint.chunk
        fit = _fit(read, first, chunk) + (settings.led * leads(first, by) if joint.about else 0.0)
        gain = settings.second * scores[first] * fit
        if chunk not in best or gain > best[chunk].gain:
            best[chunk] = Second(first, by, gain)
    return best


def linked(graph: WalkGraph, chunk: str, rare: int) -> list[Joint]:
    """The chunks that share an entity with ``chunk``, each by one that it is about, else by that in the
    fewest chunks: one that either is about, or that no more than ``rare`` chunks name."""
    here = graph.place.get(chunk)
    if here is None:
        return []
    found: dict[int, tuple[int, bool]] = {}
    entities, about = graph.named_in(here)
    by_count = sorted(zip(graph.count[entities].tolist(), entities.tolist(), about.tolist(), strict=True))
    for count, entity, subject in by_count:
        if count > HUB or not graph.rare[entity]:
            continue
        places, subjects = graph.naming(entity)
        its_own = not subject and int(subjects.sum()) <= rare
        if not subject and count > rare:
            places, subjects = places[subjects], subjects[subjects]
        for place, told in zip(places.tolist(), subjects.tolist(), strict=True):
            if place != here and (place not in found or (its_own and told and not found[place][1])):
                found[place] = (entity, its_own and told)
    return [
        Joint(chunk, graph.name(entity), graph.name(place), about) for place, (entity, about) in found.items()
    ]


def _nearest(read: GraphRead, joints: Sequence[Joint], scores: Mapping[str, float]) -> list[Joint]:
    """Of all ``joints`` those to the chunks that are worth a closer look: by cosine times the first's score.
    These are known to ``read`` afterwards."""
    rows = read.near({joint.chunk for joint in joints})
    cosine = {chunk: row.score for chunk, row in rows.items()}
    cosine |= {chunk: candidate.dense for chunk, candidate in read.chunks.items()}
    worth: dict[str, float] = {}
    for joint in joints:
        if joint.chunk in cosine and joint.first in read.chunks:
            value = scores[joint.first] * cosine[joint.chunk]
            worth[joint.chunk] = max(worth.get(joint.chunk, 0.0), value)
    looked = sorted(worth, key=lambda chunk: (-worth[chunk], chunk))[: read.graph.settings.seconds]
    read.admit(rows[chunk] for chunk in looked if chunk in rows)
    kept = set(looked)
    return [joint for joint in joints if joint.chunk in kept and joint.first in read.chunks]


class _Leads:
    """How much of what a question says a first passage says of an entity: in the sentences that name it."""

    def __init__(self, read: GraphRead, links: Sequence[Link], joints: Iterable[Joint]) -> None:
        self._read = read
        self._named = {link.entity.id for link in links if link.said}
        said = " ".join(link.said for link in links)
        languages = read.question.languages or (None,)
        self._own = frozenset(form for language in languages for form in question_forms(said, language))
        firsts = sorted({joint.first for joint in joints if joint.about})
        mentions = read.graph.snapshot.mentions(firsts, read.graph.access.where(None))
        self._names = {(one.chunk, one.entity): one.names for one in mentions}
        self._known: dict[tuple[str, str], float] = {}

    def __call__(self, first: str, entity: str) -> float:
        """In 0..1: of the question's words that ``first`` holds, the names that were linked left out, the
        share by IDF that stands beside ``entity``; ``UNSAID`` where it holds none. 0 for what the question
        names itself."""
        if entity in self._named:
            return 0.0
        if (first, entity) not in self._known:
            self._known[first, entity] = self._share(first, entity)
        return self._known[first, entity]

    def _share(self, first: str, entity: str) -> float:
        payload = self._read.chunks[first].payload
        sentences = _SENTENCE.split(payload["text"])
        names = [name.casefold() for name in self._names.get((first, entity), ())]
        naming = [one for one in sentences if any(name in one.casefold() for name in names)]
        held = self._read.weigh(self._forms(payload, payload["text"]))
        return self._read.weigh(self._forms(payload, " ".join(naming))) / held if held > 0 else UNSAID

    def _forms(self, payload: Payload, text: str) -> frozenset[str]:
        part = {"text": text, "language": payload.get("language")}
        return self._read.match(part).found - self._own


def _fit(read: GraphRead, first: str, second: str) -> float:
    """The mean of the second's cosine to the question and of the share of the question's words, by IDF, that
    it has and the first has not."""
    one, other = read.chunks[first], read.chunks[second]
    beyond = read.weigh(other.match.found - one.match.found)
    return (max(other.dense, 0.0) + beyond) / 2
