"""The shapes by name."""

from __future__ import annotations

from ..errors import ConfigurationError
from .clusters import ClusterShape
from .leiden import Leiden
from .outline import OutlineShape
from .skeleton import Shape

SHAPES = ("outline", "leiden", "gmm")


def load_shape(name: str) -> Shape:
    """The shape of that name: ``outline``, ``leiden`` or ``gmm``. Raises ConfigurationError for another
    one, ModelUnavailable where its packages are not installed."""
    if name == "outline":
        return OutlineShape()
    if name == "leiden":
        return ClusterShape("leiden", Leiden(between=True))
    if name == "gmm":
        from .mixture import Mixture

        return ClusterShape("gmm", Mixture())
    raise ConfigurationError(f"there is no tree shape {name!r}; there is {', '.join(SHAPES)}")
