"""The author's sections among the leaves of a tree: each is a stretch of places, one after the other."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from .skeleton import Leaf

Range = tuple[int, int]
"""Places from the first up to, but not including, the second."""

_start = attrgetter("start")


@dataclass(slots=True)
class Stretch:
    """A section: the places from ``start`` up to ``end``, and the sections directly in it, in order. A
    document is one without a title."""

    title: str
    start: int
    end: int
    inner: list[Stretch] = field(default_factory=list)

    def around(self, place: int, end: int) -> Stretch | None:
        """The section directly in this one that holds all places from ``place`` up to ``end``."""
        at = bisect_right(self.inner, place, key=_start) - 1
        found = self.inner[at] if at >= 0 else None
        return found if found and end <= found.end else None


class Stretches:
    """The sections of all documents. ``leaves`` are those of one document after those of another, in reading
    order; a leaf's place is its number among them."""

    def __init__(self, leaves: Iterable[Leaf]) -> None:
        self._documents = list(_documents(leaves))

    def within(self, ranges: Sequence[Range]) -> list[Stretch]:
        """The outermost sections of one document that lie whole in ``ranges``, which are ascending and leave
        gaps between them, and that are not all that there is in them."""
        first, end = ranges[0][0], ranges[-1][1]
        section = self._documents[bisect_right(self._documents, first, key=_start) - 1]
        while deeper := section.around(first, end):
            section = deeper
        return [each for held in ranges for each in _inside(section.inner, held)]


def joined(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """The places of all ``ranges``, each once, in as few ranges as there can be, ascending."""
    found: list[Range] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


def shared_depth(one: Sequence[str], other: Sequence[str]) -> int:
    """How many titles two paths have in common, from the top down."""
    depth = 0
    while depth < min(len(one), len(other)) and one[depth] == other[depth]:
        depth += 1
    return depth


def _inside(sections: Sequence[Stretch], held: Range) -> Iterator[Stretch]:
    for at in range(bisect_left(sections, held[0], key=_start), len(sections)):
        if sections[at].end > held[1]:
            break
        yield sections[at]


def _documents(leaves: Iterable[Leaf]) -> Iterator[Stretch]:
    document: str | None = None
    path: tuple[str, ...] = ()
    line: list[Stretch] = []
    for place, leaf in enumerate(leaves):
        if leaf.document != document:
            document, path, line = leaf.document, (), [Stretch("", place, place)]
            yield line[0]
        shared = shared_depth(path, leaf.section)
        del line[shared + 1 :]
        for title in leaf.section[shared:]:
            line[-1].inner.append(Stretch(title, place, place))
            line.append(line[-1].inner[-1])
        path = leaf.section
        for section in line:
            section.end = place + 1
