"""The default shape: the author's outline, with similarity clusters where it is silent.

Sections are inner nodes; what is too much for one of them is clustered inside it, its own chunks and its
subsections alike. The chapters of a document come first: where they and the chunks that stand beside them
(a title page, the contents) are too much for it, those chunks get a branch of their own. Documents are
clustered among themselves until one branch holds all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from .furnish import furnished
from .identity import run_id
from .leiden import Leiden
from .outline_sections import Section, sections
from .plan import Plan
from .region import draw, raised
from .regrowth import regrown
from .skeleton import Leaves, Limits, Skeleton

_ALIKE = Leiden()

_INSIDE = Leiden(reading=2.0)
"""On eight manuals, half of whose middling sections were taken out of their outlines, the branch that came
nearest to such a section had a mean F1 of .70 with 2, .69 with .5 and .67 with 0, at the same cohesion."""

_CHAPTERS = Leiden(reading=8.0)
"""Clusters of chapters hold such as follow one another, and can be told as a range: on eleven manuals all
clusters over sections do with 8, 85 % with 2."""


class OutlineShape:
    """The author's sections as inner nodes."""

    name = "outline"

    def grow(self, leaves: Leaves, limits: Limits, before: Skeleton | None = None) -> Skeleton:
        """The tree along the outline as it is now; see :class:`~.skeleton.Shape`."""
        plan = Plan(leaves, limits, before.branches if before else ())
        if not plan.items:
            return Skeleton()
        held = list(sections(plan))
        plan.reserved.update(section.id for section in held)
        growth = _Growth(plan, before or Skeleton())
        units: dict[str, str] = {}
        whole = _whole(held)
        for section in reversed(held):
            units[section.id] = growth.section(section, units, section.id in whole)
        root = growth.documents([units[section.id] for section in held if not section.path])
        return furnished(plan, root, before)


@dataclass(frozen=True, slots=True)
class _Growth:
    """Grows the regions of one tree."""

    plan: Plan
    before: Skeleton

    def section(self, section: Section, units: Mapping[str, str], whole: bool) -> str:
        """The branch over a section, or the only unit in it; ``units`` has those of its sections, by id.
        Those of a ``whole`` document are its chapters."""
        self.plan.titles[section.id] = section.path
        held = [part if isinstance(part, str) else units[part.id] for part in section.parts]
        if not (whole and section.parted):
            return self._region(held, _INSIDE, section.id)
        # Not further down: with such branches in every section, scope questions on three manuals are
        # answered with a page F1 of .471 and .695 of the terms, instead of .481 and .714.
        if not self.plan.fits(held):
            held = list(self._gathered(section, units))
        if len(held) > 1 and self.plan.fits(held):
            return self._over(section.id, held)  # whatever stood between them before
        return self._region(held, _CHAPTERS, section.id)

    def documents(self, units: Sequence[str]) -> str:
        """The branch over all documents, or the only one."""
        root = self.before.root
        there = root in self.before.branches and root not in self.plan.reserved
        return self._region(units, _ALIKE, root if there else None)

    def _gathered(self, section: Section, units: Mapping[str, str]) -> Iterator[str]:
        """The units of a section's sections, and one for each run of its own leaves before or after them."""
        after = ""
        for loose, parts in groupby(section.parts, key=lambda part: isinstance(part, str)):
            if loose:
                run = run_id(section.id, after)
                self.plan.reserved.add(run)
                yield self._region([part for part in parts if isinstance(part, str)], _INSIDE, run)
            else:
                inner = [part.id for part in parts if isinstance(part, Section)]
                yield from (units[name] for name in inner)
                after = inner[-1]

    def _region(self, units: Sequence[str], by: Leiden, root: str | None) -> str:
        """The branch ``root`` (None: a new one) over ``units``, or the only one of them."""
        if len(units) == 1:
            return units[0]
        was = self.before.branches.get(root) if root else None
        if root is None or was is None:
            return draw(self.plan, raised(self.plan, units, by, root))
        if was.children == tuple(units) and self.plan.fits(units):
            return self._over(root, units)
        return draw(self.plan, regrown(self.plan, units, by, root, self.before.branches))

    def _over(self, root: str, units: Sequence[str]) -> str:
        """The branch ``root`` just over ``units``; as it was, where it was over them."""
        was = self.before.branches.get(root)
        self.plan.draw(root, units, was.drift if was and was.children == tuple(units) else 0)
        return root


def _whole(held: Sequence[Section]) -> set[str]:
    """Of sections, each before those within it, the documents, and such as are all that their document
    holds: a title over the chapters."""
    whole: set[str] = set()
    for section in held:
        if not section.path:
            whole.add(section.id)
        if section.id in whole and len(section.parts) == 1:
            whole.update(part.id for part in section.parts if isinstance(part, Section))
    return whole
