"""Clusters as the paper makes them (Sarthi et al. 2024, arXiv 2401.18059, section 3): UMAP, then Gaussian
mixtures whose number BIC chooses, over everything and then within each of the clusters found, with soft
assignment."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelUnavailable
from ..models.ports import Vectors

_DIMENSION = 10
_LOCAL_NEIGHBOURS = 10
_MOST_CLUSTERS = 50
_THRESHOLD = 0.1
_SEED = 224

Group = list[int]


@dataclass(frozen=True, slots=True)
class Mixture:
    """Partitions by UMAP and Gaussian mixtures. A row is in every group that it belongs to with a
    probability above .1, the most probable one in any case. Needs the ``tree-paper`` extra."""

    reading: float = 0.0
    between: bool = False

    def __post_init__(self) -> None:
        for package in ("umap", "sklearn"):
            if find_spec(package) is None:
                raise ModelUnavailable(
                    f"the tree shape gmm needs the package {package}: pip install 'treegraph[tree-paper]'"
                )

    def partition(self, rows: Vectors, most: int) -> list[Group]:
        """Groups of rows, which may overlap and may have more than ``most`` members: those are clustered
        again by the caller, as the paper does with what exceeds its summarizer."""
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped, import-not-found, unused-ignore]

        everything = list(range(len(rows)))
        with threadpool_limits(limits=1):
            if len(rows) <= most:
                return _soft(rows, _DIMENSION, everything)
            broad = _soft(rows, max(2, int((len(rows) - 1) ** 0.5)), everything)
            fine = [
                [group[at] for at in part]
                for group in broad
                for part in _soft(rows[group], _LOCAL_NEIGHBOURS, list(range(len(group))))
            ]
        return sorted({tuple(sorted(group)): sorted(group) for group in fine}.values())


def _soft(rows: Vectors, neighbours: int, group: Group) -> list[Group]:
    """``group`` (which are the rows') in overlapping parts, all of it in at least one."""
    if len(rows) <= _DIMENSION + 1 or (rows == rows[0]).all():
        return [group]
    chance = _memberships(_reduced(rows, neighbours))
    inside = chance > _THRESHOLD
    inside[np.arange(len(rows)), chance.argmax(axis=1)] = True
    return [[group[at] for at in np.flatnonzero(column).tolist()] for column in inside.T if column.any()]


def _reduced(rows: Vectors, neighbours: int) -> NDArray[Any]:
    """UMAP to ten dimensions, seeded and on one thread."""
    import umap  # type: ignore[import-untyped, import-not-found, unused-ignore]

    with _quiet():
        reducer = umap.UMAP(
            n_neighbors=min(neighbours, len(rows) - 1),
            n_components=min(_DIMENSION, len(rows) - 2),
            metric="cosine",
            random_state=_SEED,
            n_jobs=1,
        )
        reduced: NDArray[Any] = np.nan_to_num(reducer.fit_transform(rows))
    return reduced


def _memberships(points: NDArray[Any]) -> NDArray[np.float64]:
    """Probability of each point in each component of the mixture with the lowest BIC."""
    from sklearn.mixture import GaussianMixture  # type: ignore[import-untyped, import-not-found, unused-ignore]

    best: tuple[float, Any] | None = None
    with _quiet():
        for count in range(1, min(_MOST_CLUSTERS, len(points))):
            mixture = GaussianMixture(n_components=count, random_state=_SEED).fit(points)
            score = float(mixture.bic(points))
            if best is None or score < best[0]:
                best = score, mixture
    assert best is not None
    chance: NDArray[np.float64] = best[1].predict_proba(points)
    return chance


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the two packages' warnings on repeated points and small neighbourhoods."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
