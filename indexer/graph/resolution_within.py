"""What one document by itself says is one thing: aliases that it gives, acronyms whose only expansion stands
in it, other forms and spellings of one name, persons by their surnames."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, groupby

from ..names_form import form
from ..word_forms import stem
from .resolution_clusters import Clusters
from .resolution_likeness import may_be_one, meet
from .resolution_reading import Reading, without_titles
from .resolution_uses import Uses

MOST_COMPARED = 16
"""Names under one key that each is compared with: like names come in handfuls, more are boilerplate."""

_SHORTEST_ACRONYM = 3
"""Letters of the shortest acronym whose expansion may stand in another chunk than it does."""
_REACH = 2
"""How many chunks before or after."""
_MANY = 6
"""Names that a head noun ends, at least: National League, Football League, Premier League."""
_CLEAR = 3
"""How many times as often the expansion of an acronym stands as any other that its document gives."""


class Within:
    """Joins uses inside their documents. ``alone`` are names that a person set apart."""

    def __init__(self, uses: Uses, clusters: Clusters, alone: frozenset[int]) -> None:
        self._uses = uses
        self._clusters = clusters
        self._alone = alone
        self._heads = _heads(uses)
        self.merged: Counter[str] = Counter()

    def run(self) -> None:
        """Join what each document says is one."""
        self._join_aliases()
        order = [
            use for use, held in enumerate(self._uses.uses) if not held.local and held.name not in self._alone
        ]
        order.sort(key=lambda use: self._uses.uses[use].document)
        for _, group in groupby(order, key=lambda use: self._uses.uses[use].document):
            uses = list(group)
            self._join_alike(uses)
            self._join_acronyms(uses)
            self._join_surnames(uses)

    def _reading(self, use: int) -> Reading:
        return self._uses.readings[self._uses.uses[use].name]

    def _join(self, short: int, long: int, rule: str, *, stands_for: bool = False) -> None:
        held = self._uses.uses
        if self._clusters.join(short, long):
            self.merged[rule] += 1
        if stands_for and self._clusters.root(short) == self._clusters.root(long):
            self._clusters.shortens(short, held[short].name, held[long].name)

    def _stands_for(self, short: int, long: int) -> bool:
        """Whether an alias leaves out what tells its meaning from others: the words of an acronym, or what
        a title adds in brackets."""
        if self._reading(short).letters in self._reading(long).initials:
            return True
        return self._uses.uses[long].form.startswith(f"{self._uses.uses[short].form} (")

    def _join_aliases(self) -> None:
        """Aliases, but for an acronym that its document gives to several things."""
        given: defaultdict[int, dict[int, int]] = defaultdict(dict)
        for (one, other), times in self._uses.aliases.items():
            short, long = self._by_length(one, other)
            if not {self._uses.uses[short].name, self._uses.uses[long].name} & self._alone:
                given[short][long] = times
        for short, longs in sorted(given.items()):
            for long in self._clear(short, longs):
                self._join(short, long, "alias", stands_for=self._stands_for(short, long))

    def _by_length(self, one: int, other: int) -> tuple[int, int]:
        """The use of the shorter name, then that of the longer."""
        a, b = sorted(
            (one, other), key=lambda use: (len(self._uses.uses[use].form), self._uses.uses[use].form)
        )
        return a, b

    def _clear(self, short: int, longs: dict[int, int]) -> list[int]:
        """The expansions that a name may stand for: those related to the most frequent, if it is clear."""
        ordered = sorted(longs, key=lambda long: (-longs[long], long))
        if not self._reading(short).is_acronym:
            return ordered
        first = ordered[0]
        same = [long for long in ordered if long == first or self._related(first, long)]
        others = [longs[long] for long in ordered if long not in same]
        spelt = [long for long in ordered if self._reading(short).letters in self._reading(long).initials]
        if others and spelt and all(self._related(spelt[0], long) for long in spelt[1:]):
            return [
                spelt[0],
                *(long for long in ordered if long != spelt[0] and self._related(spelt[0], long)),
            ]
        return same if not others or longs[first] >= _CLEAR * max(others) else []

    def _related(self, one: int, other: int) -> bool:
        return related(self._reading(one), self._reading(other))

    def _join_alike(self, uses: Sequence[int]) -> None:
        for one, other, rule in alike((use, self._reading(use)) for use in uses):
            self._join(one, other, rule)

    def _join_acronyms(self, uses: Sequence[int]) -> None:
        """An acronym and the only name in its document with these initials."""
        longs: defaultdict[str, list[int]] = defaultdict(list)
        for use in uses:
            for letters in self._reading(use).initials:
                longs[letters].append(use)
        for use in uses:
            reading = self._reading(use)
            if not reading.is_acronym or not (found := longs.get(reading.letters)):
                continue
            if any(not self._related(found[0], other) for other in found[1:MOST_COMPARED]):
                continue
            if self._are_close(use, found):
                self._join(use, found[0], "acronym", stands_for=True)

    def _are_close(self, acronym: int, longs: Sequence[int]) -> bool:
        """Whether an acronym stands in or next to a chunk with its expansion; a short one in it."""
        reach = _REACH if len(self._reading(acronym).letters) >= _SHORTEST_ACRONYM else 0
        held = self._uses.uses
        near = {at + step for at in held[acronym].chunks for step in range(-reach, reach + 1)}
        return any(not near.isdisjoint(held[long].chunks) for long in longs)

    def _join_surnames(self, uses: Sequence[int]) -> None:
        """A surname and the only person in its document who has it."""
        full: defaultdict[str, list[int]] = defaultdict(list)
        forms = {self._uses.uses[use].form for use in uses}
        for use in uses:
            if self._is_person(use, forms):
                full[self._reading(use).person[-1].casefold()].append(use)
        for use in uses:
            words = without_titles(self._reading(use).words)
            if len(words) != 1 or not words[0][0].isupper() or self._reading(use).is_acronym:
                continue
            found = full.get(words[0].casefold(), [])
            if found and all(self._related(a, b) for a, b in combinations(found[:MOST_COMPARED], 2)):
                self._join(use, found[0], "surname", stands_for=True)

    def _is_person(self, use: int, forms: set[str]) -> bool:
        """Whether a name that is written like a person's is one: nothing in it is a common word, or a name
        of its own."""
        reading = self._reading(use)
        if not reading.person or self._uses.uses[use].type not in ("", "person", "name"):
            return False
        if reading.is_titled or self._uses.uses[use].type == "person":
            return True
        words = [word.casefold() for word in reading.person]
        if form(words[0]) in forms or words[-1] in self._heads:
            return False
        return not any(stem(word, None) in self._uses.lowered for word in words)


def _heads(uses: Uses) -> frozenset[str]:
    """The last words of names that say what a thing is rather than whose family it is of: those that end
    many names, or stand in the plural."""
    firsts: defaultdict[str, set[str]] = defaultdict(set)
    for reading in uses.readings:
        if reading.person:
            firsts[reading.person[-1].casefold()].add(reading.person[0].casefold())
    forms = {use.form for use in uses.uses}
    return frozenset(
        last
        for last, before in firsts.items()
        if len(before) >= _MANY or (last.endswith("s") and last[:-1] in forms)
    )


def related(one: Reading, other: Reading) -> bool:
    """Whether two names are variants of one by themselves."""
    return any(
        (rule := meet(a, b)) is not None and may_be_one(one, other, rule)
        for a in one.keys
        for b in other.keys
        if a.text == b.text
    )


def alike(named: Iterable[tuple[int, Reading]]) -> Iterator[tuple[int, int, str]]:
    """Pairs of the numbers given whose names meet under one key and may be one, with the rule; those that
    differ in an ending first, and each pair once."""
    blocks: defaultdict[str, list[tuple[int, Reading, int]]] = defaultdict(list)
    for number, reading in named:
        for place, key in enumerate(reading.keys):
            blocks[key.text].append((number, reading, place))
    found: dict[tuple[int, int], str] = {}
    for block in blocks.values():
        for at, (one, reading, place) in enumerate(block):
            for other, beside, there in block[at + 1 : at + MOST_COMPARED]:
                rule = meet(reading.keys[place], beside.keys[there])
                pair = (min(one, other), max(one, other))
                if one != other and rule and pair not in found and may_be_one(reading, beside, rule):
                    found[pair] = rule
    for (one, other), rule in sorted(found.items(), key=lambda item: (item[1], item[0])):
        yield one, other, rule
