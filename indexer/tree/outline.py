"""The default shape: the author's outline, with similarity clusters where it is silent.

Sections are inner nodes; what is too much for one of them is clustered inside it, its own chunks and its
subsections alike; documents are clustered among themselves until one branch holds all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .furnish import furnished
from .identity import section_id
from .leiden import Leiden
from .plan import Plan
from .region import draw, raised
from .regrowth import regrown
from .skeleton import Leaf, Leaves, Limits, Skeleton

_READING = 2.0
"""On eight manuals, half of whose middling sections were taken out of their outlines, the branch that came
nearest to such a section had a mean F1 of .70 with 2, .69 with .5 and .67 with 0, at the same cohesion."""


@dataclass(slots=True)
class _Section:
    """One stretch of a document under one path of titles: its leaves and sections, in reading order."""

    id: str
    path: tuple[str, ...]
    parts: list[str | _Section] = field(default_factory=list)


class OutlineShape:
    """The author's sections as inner nodes."""

    name = "outline"

    def grow(self, leaves: Leaves, limits: Limits, before: Skeleton | None = None) -> Skeleton:
        """The tree along the outline as it is now; see :class:`~.skeleton.Shape`."""
        plan = Plan(leaves, limits, before.branches if before else ())
        if not plan.items:
            return Skeleton()
        sections = list(_sections(plan))
        plan.reserved.update(section.id for section in sections)
        growth = _Growth(plan, before or Skeleton())
        units: dict[str, str] = {}
        for section in reversed(sections):
            held = [part if isinstance(part, str) else units[part.id] for part in section.parts]
            units[section.id] = growth.region(held, section)
        documents = [units[section.id] for section in sections if not section.path]
        return furnished(plan, growth.region(documents), before)


@dataclass(frozen=True, slots=True)
class _Growth:
    """Grows the regions of one tree."""

    plan: Plan
    before: Skeleton

    def region(self, units: Sequence[str], section: _Section | None = None) -> str:
        """The branch over ``units``, or the only one of them: of a section, or (None) of all documents."""
        if len(units) == 1:
            return units[0]
        by = Leiden(_READING if section else 0.0)
        root = section.id if section else self._top()
        if section:
            self.plan.titles[section.id] = section.path
        was = self.before.branches.get(root) if root else None
        if root and was and was.children == tuple(units) and self.plan.fits(units):
            self.plan.draw(root, units, was.drift)
            return root
        if root and was:
            grown = regrown(self.plan, units, by, root, self.before.branches)
        else:
            grown = raised(self.plan, units, by, root)
        return draw(self.plan, grown)

    def _top(self) -> str | None:
        """The branch that was above all documents, if one was."""
        root = self.before.root
        return None if root in self.plan.reserved or root not in self.before.branches else root


def _sections(plan: Plan) -> Iterable[_Section]:
    """The sections of every document, each before those within it; a document's first has no path."""
    seen: Counter[tuple[str, tuple[str, ...]]] = Counter()

    def opened(leaf: Leaf, depth: int) -> _Section:
        path = leaf.section[:depth]
        section = _Section(section_id(leaf.document, path, seen[leaf.document, path]), path)
        seen[leaf.document, path] += 1
        return section

    document: str | None = None
    line: list[_Section] = []
    for leaf in plan.items:
        if leaf.document != document:
            document, line = leaf.document, [opened(leaf, 0)]
            yield line[0]
        shared = 0
        path = line[-1].path
        while shared < min(len(path), len(leaf.section)) and path[shared] == leaf.section[shared]:
            shared += 1
        del line[shared + 1 :]
        for depth in range(shared + 1, len(leaf.section) + 1):
            section = opened(leaf, depth)
            line[-1].parts.append(section)
            line.append(section)
            yield section
        line[-1].parts.append(plan.unit(leaf))
