"""What the statements between, or about, the things that a question names add to their evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from .graph_hops import Hops
from .graph_link import Link
from .graph_paths import Chain, PathFinder
from .graph_reading import GraphRead
from .graph_told import told

NAMES = 3
"""Names of a question that paths are looked for between."""
CHAINS = 5
"""Chains of open-ended hops from one name that lift their evidence."""
EVIDENCE = 3
"""Chunks that one relation lifts."""


@dataclass(frozen=True, slots=True)
class Lift:
    """That a chunk is evidence of the last edge of ``chain``, and what it gains by it."""

    gain: float
    chain: Chain


def lifts(read: GraphRead, links: Sequence[Link]) -> dict[str, Lift]:
    """What chunks gain as evidence, by id, the most each.

    A path between two names gives the setting ``path`` over its number of hops; a chain from one name gives
    it times the square of the share of the question that it says; a sentence that says what is asked of one,
    the setting ``told`` times its lead.
    """
    settings = read.graph.settings
    named = _apart([link for link in links if link.by in ("name", "alike")])[:NAMES]
    best: dict[str, Lift] = {}
    for lift in _stated(read, named) if settings.path > 0 else ():
        for chunk, chain in lift.chain.evidence(EVIDENCE):
            _gain(best, chunk, Lift(lift.gain, chain))
    for link in named if settings.told > 0 else ():
        for one in () if read.clock.over else told(read, link, len(named) == 1):
            for chunk in (*one.passages, one.chain.edges[-1].chunk):
                _gain(best, chunk, Lift(settings.told * one.lead, one.chain))
    return best


def _stated(read: GraphRead, named: Sequence[Link]) -> list[Lift]:
    """What paths between the names and chains from each of them gain."""
    settings, finder = read.graph.settings, PathFinder(read.graph, read.clock)
    found = [
        Lift(settings.path / len(chain.edges), chain)
        for one, other in permutations(named, 2)
        if (chain := finder.stated_between(one.entity.id, other.entity.id, settings.hops))
    ]
    hops = Hops(read, finder)
    for link in named:
        if not read.clock.over:
            found += [Lift(settings.path * one.share**2, one.chain) for one in hops(link)[:CHAINS]]
    return found


def _gain(best: dict[str, Lift], chunk: str, lift: Lift) -> None:
    """Let ``chunk`` gain what ``lift`` says if it is more; a longer chain, which says more, stays its way."""
    before = best.get(chunk)
    if before is None or lift.gain > before.gain:
        longer = before is not None and len(before.chain.edges) > len(lift.chain.edges)
        best[chunk] = Lift(lift.gain, before.chain if before is not None and longer else lift.chain)


def _apart(links: Sequence[Link]) -> list[Link]:
    """One link for each name, without names that stand inside a longer one."""
    first: dict[str, Link] = {}
    for link in links:
        first.setdefault(link.said.casefold(), link)
    return [
        link for said, link in first.items() if not any(said != other and said in other for other in first)
    ]
