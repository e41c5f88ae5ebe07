"""The configurations that an evaluation compares: axes with their values, and the product of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...indexer.errors import ConfigurationError, RouteUnavailable
from ...query.routes import decide
from ..config import Config, part_of
from .grid_axes import WRITTEN, Choice, axis_name, choice

Combination = tuple[Choice, ...]
_BUILT: Mapping[str, int] = {"tree": 1, "graph": 1}
"""Structures that this version builds, beside the hybrid layer."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One configuration: ``values`` says by axis what sets it apart, ``config`` is what it comes to.

    ``route``, ``rerank`` and ``ask`` (how it is answered) are what each question is asked with; None leaves
    it to the configuration.
    ``builds`` are those of ``values`` that shape what is indexed: variants that have them alike share an
    index, and differ only in how it is searched.
    """

    values: Mapping[str, str]
    config: Config
    route: str | None = None
    rerank: bool | None = None
    ask: str | None = None
    builds: Mapping[str, str] = field(default_factory=dict)

    @property
    def needs(self) -> frozenset[str]:
        """The structures beside the hybrid layer that it searches: all, where auto is one of the routes that
        are compared; where the configuration just says auto, none."""
        if self.route == "auto":
            return frozenset(_BUILT)
        return frozenset({self.route or self.config.search.route} & _BUILT.keys())


@dataclass(frozen=True, slots=True)
class Grid:
    """The variants in the order of the axes, the values of the last axis changing fastest. ``left_out``
    says which values (``route=tree``), or combinations of them, cannot be measured here, and why."""

    variants: tuple[Variant, ...]
    left_out: Mapping[str, str]

    @property
    def building(self) -> tuple[str, ...]:
        """The axes that shape an index, of which one that is there already has only one value."""
        return tuple(dict.fromkeys(axis for variant in self.variants for axis in variant.builds))


def parse_grid(text: Sequence[str], config: Config, *, reranker: bool = False, llm: bool = False) -> Grid:
    """The grid of ``--compare`` texts: ``AXIS=VALUE,VALUE ...``, the product of all axes over ``config``.

    Axes are ``context``, ``chunk``, ``embed``, ``sparse``, ``fusion``, ``route``, ``rerank``, ``ask`` and
    every ``table.key`` of the configuration. Routes whose structure this version does not build, and what
    needs a model that neither ``config`` names nor the caller hands in (``reranker``, ``llm``), are left
    out, and so are combinations of values that exclude each other. No text: one variant, ``config``
    itself.

    Raises ConfigurationError for an axis or value that there is not, naming what there is, and where
    nothing is left to measure.
    """
    survey = _Survey(config, reranker, llm)
    for combination in itertools.product(*_axes(text).values()):
        survey.add(combination)
    survey.check()
    return Grid(tuple(survey.variants), survey.left_out())


class _Survey:
    """Sorts combinations: into variants, what is not to be had here, and what the configuration refuses."""

    def __init__(self, config: Config, reranker: bool, llm: bool) -> None:
        self._config = config
        self._given = {"reranker": reranker, "llm": llm}
        self.variants: list[Variant] = []
        self._kept: list[Combination] = []
        self._missing: dict[Combination, str] = {}
        self._refused: dict[Combination, str] = {}

    def add(self, combination: Combination) -> None:
        """Put one combination where it belongs."""
        try:
            variant = _variant(combination, self._config)
        except ConfigurationError as error:
            self._refused[combination] = str(error)
            return
        reason = _missing(variant, **self._given)
        if reason:
            self._missing[combination] = reason
        else:
            self.variants.append(variant)
            self._kept.append(combination)

    def check(self) -> None:
        """Raises ConfigurationError for a value that no combination can have, and for no variant at all."""
        possible = {each for known in (*self._kept, *self._missing) for each in known}
        for combination, message in self._refused.items():
            if not possible.issuperset(combination):
                raise ConfigurationError(f"--compare {_named(combination)}: {message}")
        if not self.variants:
            reasons = "; ".join(f"{name}: {reason}" for name, reason in self.left_out().items())
            raise ConfigurationError(f"--compare leaves nothing to measure: {reasons}")

    def left_out(self) -> dict[str, str]:
        """What is not measured and why: the value, or else the pair, that no variant has; else all of it."""
        met = {part for kept in self._kept for part in _parts(kept)}
        found: dict[str, str] = {}
        for combination, reason in (self._missing | self._refused).items():
            least = next((part for part in _parts(combination) if part not in met), combination)
            found.setdefault(_named(least), reason)
        return found


def _parts(combination: Combination) -> Iterator[Combination]:
    """Each choice alone, then each two."""
    for size in (1, 2):
        yield from itertools.combinations(combination, size)


def _axes(text: Sequence[str]) -> dict[str, list[Choice]]:
    """The values of each axis, in the order in which they were named, each once."""
    axes: dict[str, list[Choice]] = {}
    for word in " ".join(text).split():
        name, equals, values = word.partition("=")
        if not equals:
            raise ConfigurationError(
                f"--compare {word!r}: expected AXIS=VALUE,VALUE, as in chunk=structure,fixed"
            )
        axis = axis_name(name)
        known = axes.setdefault(axis, [])
        known += [new for new in (choice(axis, value) for value in values.split(",")) if new not in known]
    sets: dict[object, str] = {}
    for axis, choices in axes.items():
        for key in {key for each in choices for key, _ in each.sets}:
            if sets.setdefault(key, axis) != axis:
                raise ConfigurationError(f"--compare: {sets[key]} and {axis} set the same: leave one out")
    return axes


def _variant(combination: Sequence[Choice], config: Config) -> Variant:
    """The configuration that a combination comes to. Raises ConfigurationError for one that cannot be."""
    tables: dict[str, dict[str, Any]] = {}
    for each in combination:
        for (table, key), value in each.sets:
            tables.setdefault(part_of(table, key), {})[key] = value
    parts = {table: replace(getattr(config, table), **values) for table, values in tables.items()}
    chosen = {each.axis: each.text for each in combination}
    return Variant(
        values=chosen,
        config=replace(config, **parts),
        route=chosen.get("route"),
        rerank={"on": True, "off": False}.get(chosen.get("rerank", "")),
        ask=chosen.get("ask"),
        builds={each.axis: each.text for each in combination if each.builds},
    )


def _missing(variant: Variant, reranker: bool, llm: bool) -> str | None:
    """What a variant needs and is not to be had here."""
    config = variant.config
    try:
        decide(variant.route or config.search.route, _BUILT)
    except RouteUnavailable:
        return f"this version builds no {variant.route or config.search.route}"
    if variant.rerank and not (reranker or config.rerank.model):
        return "no reranker is configured ([rerank] model)"
    if config.context.by == "model" and not (llm or config.llm.model):
        return "no language model is configured ([llm], or --llm)"
    if variant.ask in WRITTEN and not (llm or config.llm.model):
        return "a language model has to write it, and none is configured ([llm], or --llm)"
    return None


def _named(combination: Sequence[Choice]) -> str:
    return " ".join(str(each) for each in combination)
