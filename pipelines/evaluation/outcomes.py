"""What came of the questions: per question, per configuration, and as a whole. All of it goes to JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

LISTS = ("dense", "sparse", "blended", "fused", "reranked")
"""The lists and steps in which a hit has a rank, in the order in which a search goes through them."""


@dataclass(frozen=True, slots=True)
class FoundHit:
    """One of a question's first hits. ``places`` are those that it counts as, ``gold`` whether one of
    them is gold, ``tokens`` its text's, ``ranks`` by list and step (None where it was not in it)."""

    id: str
    kind: str
    text: str
    score: float
    cited: str
    places: tuple[str, ...]
    gold: bool
    tokens: int
    ranks: Mapping[str, int | None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one question in one configuration.

    ``values`` is metric -> value. ``standing`` is, for each gold place, its rank among the places found
    (``final``) and the best rank of a hit there in each of ``LISTS``; None where it was not found.
    ``seconds`` is the whole search, the question's embedding included. ``error`` names what went wrong.
    """

    question: str
    values: Mapping[str, float]
    standing: Mapping[str, Mapping[str, int | None]]
    hits: tuple[FoundHit, ...]
    seconds: float
    degraded: tuple[str, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """A question's outcome without the metrics of its ranking, and that ranking: distinct places."""

    outcome: Outcome
    ranking: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """A mean over questions with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Slice:
    """The questions that have ``value`` in ``field`` (a field of the query, ``document`` or
    ``language``)."""

    field: str
    value: str
    queries: int
    metrics: Mapping[str, Measured]


@dataclass(frozen=True, slots=True)
class Row:
    """One configuration over one part. ``config`` is axis -> value, as in ``{"context": "none", "route":
    "hybrid"}``. ``seconds`` has p50, p95 (a search) and build; ``tokens`` by stage, each of name -> count,
    and ``cost`` by stage, are what models took when the index was built. ``asked`` is a digest of the
    questions, their gold and how much of the hits counts: only rows in which it is equal compare."""

    set: str
    config: Mapping[str, str]
    queries: int
    metrics: Mapping[str, Measured]
    seconds: Mapping[str, float]
    tokens: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    cost: Mapping[str, float] = field(default_factory=dict)
    slices: tuple[Slice, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """A configuration against the first one, question by question, over one metric: the mean of the
    paired differences with its 95 % interval; ``beyond_noise`` where that leaves out 0."""

    set: str
    config: Mapping[str, str]
    metric: str
    mean: float
    low: float
    high: float
    beyond_noise: bool


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """All rows of an evaluation, the first configuration's first. ``left_out`` says which values of the
    grid were not measured and why; ``notes`` what else a reader must know. ``questions`` is, by set and
    question id, {text, fields}."""

    name: str
    rows: tuple[Row, ...]
    differences: tuple[Difference, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    questions: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
