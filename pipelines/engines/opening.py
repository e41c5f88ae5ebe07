"""Which engine computes."""

from __future__ import annotations

from .engine import Engine
from .local import LocalEngine
from .settings import RunSettings


def open_engine(settings: RunSettings) -> Engine:
    """The engine that is asked for. Nothing is started before its first work."""
    if settings.engine == "ray":
        from .ray_engine import RayEngine

        return RayEngine(settings)
    return LocalEngine()
