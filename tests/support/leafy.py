"""Made-up leaves: documents of sections whose chunks lie around the section's direction."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterable, Sequence

import numpy as np
from treegraph.indexer.models.ports import Vectors
from treegraph.indexer.tree.skeleton import Leaf, Leaves, Skeleton

Pair = tuple[Leaf, Vectors]
DIMENSION = 24


def direction(rng: np.random.Generator, around: Vectors | None = None, spread: float = 0.5) -> Vectors:
    """A random unit vector, (DIMENSION,), near another one if given."""
    vector = rng.normal(size=DIMENSION)
    if around is not None:
        vector = around + spread * vector / np.linalg.norm(vector)
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def document(
    name: str, sections: Sequence[tuple[str, ...]], seed: int = 0, tokens: int = 150, per: int = 6
) -> list[Pair]:
    """A document of ``per`` chunks in each of its sections, in order."""
    rng = np.random.default_rng([seed, *name.encode()])
    whole = direction(rng)
    pairs: list[Pair] = []
    for path in sections:
        centre = direction(rng, whole, 0.9)
        for _ in range(per):
            at = len(pairs)
            leaf = Leaf(str(uuid.uuid5(uuid.NAMESPACE_OID, f"{name}/{seed}/{at}")), name, at, path, tokens)
            pairs.append((leaf, direction(rng, centre)))
    return pairs


def manual(name: str, chapters: int, seed: int = 0, per: int = 6) -> list[Pair]:
    """A document of chapters of 1 to 5 sections each."""
    rng = random.Random(f"{name}{seed}")
    paths: list[tuple[str, ...]] = []
    for chapter in range(chapters):
        paths.append((f"{chapter} Chapter",))
        paths += [(f"{chapter} Chapter", f"{chapter}.{number}") for number in range(rng.randint(1, 5))]
    return document(name, paths, seed, per=per)


def flat(count: int, name: str = "doc", seed: int = 0) -> list[Pair]:
    """A document of ``count`` chunks without an outline, in runs of seven on one subject."""
    return document(name, [()] * -(-count // 7), seed, per=7)[:count]


def leaves(pairs: Iterable[Pair]) -> Leaves:
    """The pairs as the shapes take them."""
    held = sorted(pairs, key=lambda pair: (pair[0].document, pair[0].ordinal))
    vectors = [vector for _, vector in held] or np.empty((0, DIMENSION))
    return Leaves([leaf for leaf, _ in held], np.array(vectors, dtype=np.float32))


def beneath(skeleton: Skeleton, branch: str) -> set[str]:
    """The leaves beneath a branch."""
    if branch not in skeleton.branches:
        return {branch}
    return {leaf for child in skeleton.branches[branch].children for leaf in beneath(skeleton, child)}
