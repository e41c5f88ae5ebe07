"""Where a build computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class RunSettings:
    """``engine``: ``local`` is this process and its children; ``ray`` has files read, cut and situated, texts
    embedded and chunks extracted on the workers of a Ray cluster.

    ``address`` names one that runs (``auto``, or its HOST:PORT); empty: one is started on this machine for as
    long as the build takes. ``workers`` are the processors to use of it, 0 for all.
    """

    engine: Literal["local", "ray"] = "local"
    address: str = ""
    workers: int = 0

    def __post_init__(self) -> None:
        if self.workers < 0:
            raise ValueError(f"workers must be 0 (all) or more, not {self.workers}")
        if self.address.startswith("ray://"):
            raise ValueError(
                "address must be that of a cluster which this machine is a node of (auto, or HOST:PORT): "
                "ray:// clients are not supported"
            )
