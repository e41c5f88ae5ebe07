"""The author's sections, as the chunks of a document tell of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from .identity import section_id
from .plan import Plan
from .skeleton import Leaf
from .stretches import shared_depth


@dataclass(slots=True)
class Section:
    """One stretch of a document under one path of titles: its leaves' units and its sections, in reading
    order."""

    id: str
    path: tuple[str, ...]
    parts: list[str | Section] = field(default_factory=list)

    @property
    def parted(self) -> bool:
        """Whether it has sections of its own."""
        return any(isinstance(part, Section) for part in self.parts)


def sections(plan: Plan) -> Iterator[Section]:
    """The sections of every document, each before those within it; a document's first has no path. One is
    filled only when all have been asked for."""
    seen: Counter[tuple[str, tuple[str, ...]]] = Counter()

    def opened(leaf: Leaf, depth: int) -> Section:
        path = leaf.section[:depth]
        section = Section(section_id(leaf.document, path, seen[leaf.document, path]), path)
        seen[leaf.document, path] += 1
        return section

    document: str | None = None
    line: list[Section] = []
    for leaf in plan.items:
        if leaf.document != document:
            document, line = leaf.document, [opened(leaf, 0)]
            yield line[0]
        shared = shared_depth(line[-1].path, leaf.section)
        del line[shared + 1 :]
        for depth in range(shared + 1, len(leaf.section) + 1):
            section = opened(leaf, depth)
            line[-1].parts.append(section)
            line.append(section)
            yield section
        line[-1].parts.append(plan.unit(leaf))
