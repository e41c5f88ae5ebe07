"""From the plan to the skeleton: levels, reading order, and what each branch says about its leaves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .order import walk
from .plan import Plan
from .skeleton import Branch, Skeleton


@dataclass(frozen=True, slots=True)
class _Below:
    """What a child passes up: its first leaf's position, its level, its document and the path of titles."""

    first: int
    level: int
    document: str | None
    section: tuple[str, ...]


def furnished(plan: Plan, root: str, before: Skeleton | None) -> Skeleton:
    """The skeleton of the branches beneath ``root``; those that are as they were are the same objects."""
    known: dict[str, _Below] = {}
    branches: dict[str, Branch] = {}
    old = before.branches if before else {}
    for node, children in walk(root, lambda node: plan.branches.get(node, ())).items():
        if not children:
            at = plan.position[node]
            known[node] = _Below(at, 0, plan.items[at].document, plan.items[at].section)
            continue
        branch, known[node] = _branch(plan, node, children, known)
        was = old.get(node)
        branches[node] = was if was is not None and was == branch else branch
    return Skeleton(branches, root)


def _branch(
    plan: Plan, node: str, children: Sequence[str], known: dict[str, _Below]
) -> tuple[Branch, _Below]:
    ordered = tuple(sorted(children, key=lambda child: (known[child].first, child)))
    below = [known[child] for child in ordered]
    documents = {child.document for child in below}
    document = documents.pop() if len(documents) == 1 else None
    path = plan.titles.get(node)
    section = path if path is not None else _in_common(child.section for child in below) if document else ()
    level = 1 + max(child.level for child in below)
    title = path[-1] if path else ""
    branch = Branch(node, ordered, level, title, document, section, plan.drift.get(node, 0))
    return branch, _Below(below[0].first, level, document, section)


def _in_common(paths: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """The longest beginning that all ``paths`` share."""
    shared: tuple[str, ...] | None = None
    for path in paths:
        if shared is None:
            shared = path
        while shared != path[: len(shared)]:
            shared = shared[:-1]
    return shared or ()
