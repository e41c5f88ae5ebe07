"""Whether a tree holds together, and how well its branches hold what is alike."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .plan import bulky
from .skeleton import Leaves, Limits, Skeleton


def faults(skeleton: Skeleton, leaves: Leaves, limits: Limits) -> list[str]:
    """What is wrong with a tree over ``leaves``, one sentence a fault; empty where it is sound."""
    if not leaves.items:
        return [] if skeleton == Skeleton() else ["a tree over nothing"]
    if skeleton.root is None:
        return ["a tree without a root"]
    return [
        *_unsound_branches(skeleton, leaves, limits),
        *_unreached(skeleton, leaves),
        *_wrong_levels(skeleton),
        *_wrong_documents(skeleton, leaves),
    ]


def cohesion(skeleton: Skeleton, leaves: Leaves) -> float:
    """Mean cosine of each leaf with the centre of the leaves of its parent, over all pairs of a leaf and a
    parent; 1 where there are none."""
    position = {leaf.id: at for at, leaf in enumerate(leaves.items)}
    total, pairs = 0.0, 0
    for branch in skeleton.branches.values():
        held = [position[child] for child in branch.children if child in position]
        if not held:
            continue
        rows = leaves.vectors[held].astype(np.float64)
        norms = np.linalg.norm(rows, axis=1)
        centre = leaves.vectors[_beneath(skeleton, branch.id, position)].sum(axis=0, dtype=np.float64)
        length = np.linalg.norm(centre)
        if length > 0:
            total += float((rows @ centre / np.where(norms > 0, norms, 1.0) / length).sum())
        pairs += len(held)
    return total / pairs if pairs else 1.0


def _beneath(skeleton: Skeleton, root: str, position: dict[str, int]) -> list[int]:
    found: set[int] = set()
    seen: set[str] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if node in position:
            found.add(position[node])
        elif node not in seen and node in skeleton.branches:
            seen.add(node)
            stack.extend(skeleton.branches[node].children)
    return sorted(found)


def _unsound_branches(skeleton: Skeleton, leaves: Leaves, limits: Limits) -> Iterator[str]:
    by_id = {leaf.id: leaf for leaf in leaves.items}
    for key, branch in skeleton.branches.items():
        children = branch.children
        if key != branch.id or key in by_id:
            yield f"branch {key} goes by two ids or by a leaf's"
        if len(set(children)) != len(children):
            yield f"branch {key} has a child twice"
        for child in children:
            if child not in by_id and child not in skeleton.branches:
                yield f"branch {key} has a child {child} that is not there"
        alone = len(children) == 1 and (only := by_id.get(children[0])) and bulky(only, limits)
        if len(children) < 2 and not alone:
            yield f"branch {key} has less than two children"
        if len(children) > limits.members:
            yield f"branch {key} has {len(children)} children"
        tokens = sum(by_id[child].tokens if child in by_id else limits.summary for child in children)
        if tokens > limits.tokens and not alone:
            yield f"branch {key} has {tokens} tokens beneath"


def _unreached(skeleton: Skeleton, leaves: Leaves) -> Iterator[str]:
    seen: set[str] = set()
    stack = [skeleton.root or ""]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            if node in skeleton.branches:
                stack.extend(skeleton.branches[node].children)
    for leaf in leaves.items:
        if leaf.id not in seen:
            yield f"leaf {leaf.id} is not beneath the root"
    for branch in skeleton.branches:
        if branch not in seen:
            yield f"branch {branch} is not beneath the root"


def _wrong_levels(skeleton: Skeleton) -> Iterator[str]:
    """A level is above all of its children's, so that no branch is beneath itself."""
    for key, branch in skeleton.branches.items():
        below = [skeleton.branches[child].level for child in branch.children if child in skeleton.branches]
        if branch.level != 1 + max(below, default=0):
            yield f"branch {key} is at level {branch.level}, over children at {sorted(below)}"


def _wrong_documents(skeleton: Skeleton, leaves: Leaves) -> Iterator[str]:
    of: dict[str, str | None] = {leaf.id: leaf.document for leaf in leaves.items}
    for branch in skeleton.upward():
        documents = {of.get(child) for child in branch.children}
        of[branch.id] = documents.pop() if len(documents) == 1 else None
        if branch.document != of[branch.id]:
            yield f"branch {branch.id} is said to be of document {branch.document}, and is of {of[branch.id]}"
