"""What is one thing in several documents: equal names, unless they are homonyms, and like names that are
used alike."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from ..word_forms import primary
from .patterns_kinds import PARTS
from .resolution_clusters import Clusters
from .resolution_evidence import Evidence, Profile
from .resolution_uses import Uses
from .resolution_within import alike

FAR = 0.25
"""Two uses of one name may be homonyms if the mean vectors of their chunks have a lower cosine."""
FAR_UNLIKE = 0.45
"""The same where they have other types, or one of them alone is written without a capital letter."""
FAR_BARE = 0.15
"""The same where nothing but what stands around them tells them apart."""
FAR_ONCE = 0.01
"""The same where one of the uses is a single chunk."""
NEAR = 0.45
"""From this cosine on like names are one thing."""
_SHARE = 0.02
"""The share of the names beside one that must stand beside the other too, for them to be used alike."""
_FEWEST = 3
"""Names beside a use, from which on having none of them in common says something."""
_FEWEST_CHUNKS = 2
"""Chunks that a name stands in, from which on where it stands says what it is by itself."""
_MOST_SENSES = 16


@dataclass(slots=True)
class _Sense:
    """Uses of one name that are one thing, so far, in so many ``chunks``; ``bare`` where none of them says
    what it is short for."""

    use: int
    profile: Profile
    type: str
    lower: float
    bare: bool
    chunks: int

    def add(self, other: _Sense) -> None:
        """Take in further uses."""
        self.profile.add(other.profile)
        self.bare &= other.bare
        self.type = self.type or other.type
        self.chunks += other.chunks

    def is_other_kind(self, other: _Sense) -> bool:
        """Whether the two are things of different types."""
        return bool(self.type and other.type) and self.type != other.type

    def is_other_part(self, other: _Sense) -> bool:
        """Whether the two are parts of different kinds, none of which can be the other."""
        return self.is_other_kind(other) and self.type in PARTS and other.type in PARTS

    def is_unlike(self, other: _Sense) -> bool:
        """Whether the two are things of different types, or one a proper name and the other a word."""
        if self.is_other_kind(other):
            return True
        low, high = sorted((self.lower, other.lower))
        return low == 0 and high >= 0.5


class Across:
    """Joins uses of several documents. ``alone`` are names that a person set apart, ``apart`` those that
    are another thing in each document."""

    def __init__(
        self, uses: Uses, clusters: Clusters, evidence: Evidence, alone: frozenset[int], apart: frozenset[int]
    ) -> None:
        self._uses = uses
        self._clusters = clusters
        self._evidence = evidence
        self._alone = alone
        self._apart = apart
        self._profiles: dict[tuple[int, int], Profile] = {}
        self.merged: Counter[str] = Counter()
        self.homonyms = 0

    def run(self) -> None:
        """Join equal names, then like ones."""
        by_name: defaultdict[int, list[int]] = defaultdict(list)
        for number, use in enumerate(self._uses.uses):
            if not use.local:
                by_name[use.name].append(number)
        for name, uses in by_name.items():
            if len(uses) > 1 and name not in self._apart:
                self._join_equal(name, uses)
        self._join_alike(by_name)

    def _join_equal(self, name: int, uses: list[int]) -> None:
        """One sense after the other: a use goes to the likest that it is no homonym of, those that say what
        they stand for first; then senses that have become alike. An acronym of several things needs evidence
        for one of them."""
        bare = [name not in self._clusters.of(use).longs for use in uses]
        senses: list[_Sense] = []
        several = False
        for alone, use in sorted(zip(bare, uses, strict=True)):
            held = self._uses.uses[use]
            profile = self._evidence.profile([use])
            found = _Sense(use, profile, held.type, held.lower, alone, len(held.chunks))
            several |= not alone and len(senses) > 1
            if not self._take(name, senses, found, strict=alone and several):
                senses.append(found)
        for late in senses[:0:-1]:
            senses.remove(late)
            self._take(name, senses, late, strict=several)
        self.homonyms += len({self._clusters.root(use) for use in uses}) - 1

    def _take(self, name: int, senses: list[_Sense], found: _Sense, *, strict: bool) -> bool:
        """Join ``found`` to the likest of the senses; returns whether there is one."""
        sense = self._likest(name, senses, found, strict=strict)
        if sense is not None:
            self._clusters.join(sense.use, found.use)
            sense.add(found)
        return sense is not None

    def _likest(self, name: int, senses: list[_Sense], found: _Sense, *, strict: bool) -> _Sense | None:
        best: tuple[float, _Sense] | None = None
        for sense in senses[:_MOST_SENSES]:
            if self._clusters.root(sense.use) == self._clusters.root(found.use):
                return sense
            if not self._clusters.may_join(sense.use, found.use):
                continue
            likeness = self._likeness(name, sense, found, strict=strict)
            if likeness is not None and (best is None or likeness > best[0]):
                best = (likeness, sense)
        return best[1] if best else None

    def _likeness(self, name: int, sense: _Sense, found: _Sense, *, strict: bool) -> float | None:
        """How alike two uses of one name are; None for homonyms. ``strict`` asks for evidence, where without
        it they are one thing until all speaks against it (:meth:`_far`). What has a number is two things
        where it is said to be parts of two kinds, and no two names stand beside both; of any other words the
        rest must speak against it as well."""
        one, other = sense.profile, found.profile
        shared = one.shared(other, (name,))
        share = shared / max(min(len(one.names), len(other.names)) - 1, 1)
        if shared < 2 and sense.is_other_part(found) and self._uses.readings[name].numbers:
            return None
        if shared:
            return 1 + share
        cosine = one.cosine(other)
        if cosine is None:
            return None if sense.is_unlike(found) else 0.0
        if strict:
            return cosine if cosine >= FAR_UNLIKE else None
        return (
            None if cosine < self._far(name, sense, found) and self._are_apart(name, one, other) else cosine
        )

    def _far(self, name: int, sense: _Sense, found: _Sense) -> float:
        """The cosine below which uses with no name in common may be homonyms; -1 for none.

        Of texts in two languages it says nothing. That chunks are about other things is little where one of
        the uses is a single chunk, unless something of the use itself speaks for it: its type, its case, or
        that one says what it is short for and the other does not. What is written for a machine, or with
        figures, has one sense until a type says otherwise."""
        if not self._same_language(sense, found):
            return -1.0
        if sense.is_unlike(found):
            return FAR_UNLIKE
        if sense.bare != found.bare:
            return FAR
        reading = self._uses.readings[name]
        if reading.is_code or reading.numbers:
            return -1.0
        return FAR_BARE if min(sense.chunks, found.chunks) >= _FEWEST_CHUNKS else FAR_ONCE

    def _same_language(self, sense: _Sense, found: _Sense) -> bool:
        one, other = (self._uses.languages[self._uses.uses[each.use].chunks[0]] for each in (sense, found))
        return one is None or other is None or primary(one) == primary(other)

    def _are_apart(self, name: int, one: Profile, other: Profile) -> bool:
        """Whether both stand among several names, none of which ever stands with one of the other's."""
        fewest = min(len(one.names), len(other.names)) - 1
        return fewest >= _FEWEST and not self._evidence.connected(one, other, name)

    def _join_alike(self, by_name: dict[int, list[int]]) -> None:
        """Names that are variants of one, where they are used alike."""
        named = [
            (name, self._uses.readings[name]) for name in by_name if name not in self._alone | self._apart
        ]
        for one, other, rule in alike(named):
            roots = [self._roots(by_name[name]) for name in (one, other)]
            ranked = sorted(
                (-likeness, a, b)
                for a in roots[0]
                for b in roots[1]
                if a != b and (likeness := self._used_alike(a, b, one, other))
            )
            for _, a, b in ranked:
                if self._clusters.join(a, b):
                    self.merged[rule] += 1

    def _roots(self, uses: list[int]) -> list[int]:
        return sorted({self._clusters.root(use) for use in uses})[:_MOST_SENSES]

    def _used_alike(self, a: int, b: int, one: int, other: int) -> float:
        """The evidence beside their names that two clusters are one thing; 0 for none."""
        left, right = self._profile(a), self._profile(b)
        shared = left.shared(right, (one, other))
        share = shared / max(min(len(left.names), len(right.names)) - 1, 1)
        cosine = left.cosine(right)
        if cosine is not None and cosine >= NEAR:
            return share + cosine
        return share if shared > 1 or (shared and share >= _SHARE) else 0.0

    def _profile(self, root: int) -> Profile:
        uses = self._clusters.of(root).uses
        key = (root, len(uses))
        if key not in self._profiles:
            self._profiles[key] = self._evidence.profile(uses)
        return self._profiles[key]
