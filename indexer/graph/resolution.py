"""Which names mean one thing: normalise, block, compare, and join on evidence beyond the name.

Names of one form are one thing, unless they stand in documents that have nothing in common (homonyms). Names
of several forms are joined where a document says so (an alias, an acronym whose only expansion stands there),
or where they are variants of one name and are used in one document or alike: the names beside them, the mean
vector of their chunks. What a name says itself goes first: CR0 is not CR4, whatever stands beside them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..models.ports import Vectors
from .edits import NO_EDITS, Edits
from .resolution_across import Across
from .resolution_clusters import Clusters
from .resolution_evidence import Evidence
from .resolution_likeness import contradict
from .resolution_uses import Said, Use, Uses, gather, name_form
from .resolution_within import Within, related

MISSING = "edit of a missing name"
APART = "\x1f"
"""Stands between a form and the document that tells it apart."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """The canonical key of what each name of each document means. ``counts`` say what was joined and why."""

    keys: Mapping[tuple[str, str, bool], str]
    counts: Mapping[str, int]

    def key(self, form: str, document: str, local: bool) -> str:
        """What ``form`` means in ``document``."""
        return self.keys[form, document, local]


def resolve(said: Sequence[Said], vectors: Sequence[Vectors | None], edits: Edits = NO_EDITS) -> Resolution:
    """Resolve the names of all chunks, sorted by document and place there, with their unit vectors."""
    uses = gather(said)
    numbers = {use.form: use.name for use in uses.uses}
    counts = Counter(uses.counts)
    splits = {split.by: set[int]() for split in edits.splits}
    for split in edits.splits:
        number = numbers.get(name_form(split.name))
        if number is None:
            counts[MISSING] += 1
        else:
            splits[split.by].add(number)
    apart = frozenset(splits.get("document", ()))
    alone = frozenset(splits.get("name", ())) | apart
    clusters = _clusters(uses)
    within = Within(uses, clusters, alone)
    within.run()
    across = Across(uses, clusters, Evidence(uses, vectors), alone, apart)
    across.run()
    counts.update({f"merged: {rule}": times for rule, times in (within.merged + across.merged).items()})
    counts["homonyms"] = across.homonyms
    counts[MISSING] += _merge_by_hand(uses, clusters, edits)
    return Resolution(_keys(uses, clusters), {name: times for name, times in sorted(counts.items()) if times})


def _clusters(uses: Uses) -> Clusters:
    readings = uses.readings

    @lru_cache(maxsize=1 << 16)
    def opposed(one: int, other: int) -> bool:
        return contradict(readings[one], readings[other])

    @lru_cache(maxsize=1 << 16)
    def akin(one: int, other: int) -> bool:
        return one == other or related(readings[one], readings[other])

    return Clusters([use.name for use in uses.uses], opposed, akin)


def _merge_by_hand(uses: Uses, clusters: Clusters, edits: Edits) -> int:
    """Join what a person joined; returns how many edits wait for a name that is not there."""
    by_form: defaultdict[str, list[int]] = defaultdict(list)
    for number, use in enumerate(uses.uses):
        if not use.local:
            by_form[use.form].append(number)
    missing = 0
    for merge in edits.merges:
        first, second = (by_form.get(name_form(name), []) for name in (merge.first, merge.second))
        if not first or not second:
            missing += 1
            continue
        for other in (*first[1:], *second):
            clusters.join(first[0], other, force=True)
    return missing


def _keys(uses: Uses, clusters: Clusters) -> dict[tuple[str, str, bool], str]:
    """A cluster's key is its shortest form. Of several clusters with that form the one in most documents has
    it bare, the others with the first of their documents; a local name always has its document."""
    held: defaultdict[int, list[Use]] = defaultdict(list)
    for number, use in enumerate(uses.uses):
        held[clusters.root(number)].append(use)
    rivals: defaultdict[str, list[int]] = defaultdict(list)
    for root, members in held.items():
        if not members[0].local:
            rivals[_shortest(members)].append(root)
    keys: dict[int, str] = {}
    for name, roots in rivals.items():
        roots.sort(key=lambda root: (-len({use.document for use in held[root]}), _first(held[root])))
        for rank, root in enumerate(roots):
            keys[root] = f"{name}{APART}{_first(held[root])}" if rank else name
    for root, members in held.items():
        if members[0].local:
            keys[root] = f"{_shortest(members)}{APART}{members[0].document}{APART}local"
    return {
        (use.form, use.document, use.local): keys[clusters.root(number)]
        for number, use in enumerate(uses.uses)
    }


def _shortest(members: Sequence[Use]) -> str:
    return min((len(use.form), use.form) for use in members)[1]


def _first(members: Sequence[Use]) -> str:
    return min(use.document for use in members)
