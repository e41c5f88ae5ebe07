"""The settings of the tree route, the ``[tree_read]`` table of the configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from ..indexer.errors import ConfigurationError

TreeReading = Literal["evidence", "collapsed", "traversal"]


@dataclass(frozen=True, slots=True)
class TreeReadSettings:
    """How the tree is read: by ``evidence``, ``collapsed`` (all levels at once) or by ``traversal``.

    ``candidates`` of the hybrid route say where in the tree the evidence is. By evidence, a chunk is worth
    its score over the best one's to the ``power``. ``around`` is the share of a place's worth that the
    places around it decide, those ``width`` chunks away counting 1/e of those beside it. A node may be
    chosen where its chunks' mean worth is ``admission`` of that of the ten best places. ``fidelity`` is
    how much of a chunk its node's summary is taken to say, ``detail`` what more text about a place counts
    beside the place itself. The ``lead`` best chunks are always chosen, for who asks for but one fact; a
    node whose other chunks have ``evenness`` of the worth of its best one comes before that one.
    ``budget`` tokens are filled at a time.

    A traversal keeps the ``beam`` best on each level. A node's hit has at most ``citations``.
    """

    read: TreeReading = "evidence"
    candidates: int = 400
    power: float = 2.0
    around: float = 0.95
    width: float = 8.0
    admission: float = 0.5
    fidelity: float = 0.3
    detail: float = 0.3
    lead: int = 5
    evenness: float = 0.45
    budget: int = 2000
    beam: int = 10
    citations: int = 64

    def __post_init__(self) -> None:
        """Raises ConfigurationError for a value out of its range."""
        checks = (
            ("read", self.read, self.read in get_args(TreeReading), "evidence, collapsed or traversal"),
            ("candidates", self.candidates, self.candidates >= 1, "at least 1"),
            ("power", self.power, self.power > 0, "above 0"),
            ("around", self.around, 0 <= self.around <= 1, "between 0 and 1"),
            ("width", self.width, 0 < self.width <= 100, "above 0 and at most 100"),
            ("admission", self.admission, 0 <= self.admission <= 1, "between 0 and 1"),
            ("fidelity", self.fidelity, 0 <= self.fidelity <= 1, "between 0 and 1"),
            ("detail", self.detail, self.detail >= 0, "0 or more"),
            ("lead", self.lead, self.lead >= 0, "0 or more"),
            ("evenness", self.evenness, self.evenness > 0, "above 0"),
            ("budget", self.budget, self.budget >= 1, "at least 1"),
            ("beam", self.beam, self.beam >= 1, "at least 1"),
            ("citations", self.citations, self.citations >= 1, "at least 1"),
        )
        for name, value, valid, expected in checks:
            if not valid:
                raise ConfigurationError(f"tree_read.{name} must be {expected}, not {value!r}")
