"""The axes of a grid: what each is called, which values it takes, what a value sets."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from ...indexer.errors import ConfigurationError
from ...query.routes import ROUTES
from ..config import part_of, schema
from ..config_secrets import check_url
from ..config_values import Mismatch, bare, convert_text, is_mapping

Key = tuple[str, str]

_KEYS: Mapping[str, Key] = {
    "context": ("context", "by"),
    "chunk": ("chunk", "by"),
    "embed": ("embed", "model"),
    "sparse": ("embed", "sparse"),
    "route": ("search", "route"),
}
"""Axes that are another word for one key."""
EXTRACT, WRITTEN = "extract", ("single", "agentic")
"""How answers are made (``Index.ask``): of the documents' sentences, or by a language model, which may search
again."""
_NAMES = {f"{table}.{key}": name for name, (table, key) in _KEYS.items()}
NAMED = ("context", "chunk", "embed", "sparse", "fusion", "route", "rerank", "ask")
"""The axes that have a name of their own."""
_URLS = (("llm", "base_url"), ("stores", "qdrant"))
_SEARCHING = ("search", "rerank", "tree_read", "graph_read", "router", "answer")
"""Settings that shape no index."""
_FUSED_BY: Mapping[str, tuple[str, float | None]] = {
    "adaptive": ("maximum", None),
    "dense": ("maximum", 1.0),
    "sparse": ("maximum", 0.0),
    "minmax": ("minmax", None),
    "rrf": ("rrf", None),
}
"""``[search]`` fusion and weight by the word of the fusion axis; a number is a fixed weight."""
_MODELS: Mapping[Key, tuple[str, ...]] = {
    ("embed", "model"): ("minilm", "multilingual", "bge-m3", "bge-m3:", "onnx:", "llama:"),
    ("embed", "sparse"): ("words", "bge-m3", "bge-m3:"),
    ("rerank", "model"): ("", "onnx:", "flag:", "llama:"),
}
"""What a model's name is, or begins with: a wrong one is said before hours of work, not after."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of an axis: its name and text as they are reported, and what it sets."""

    axis: str
    text: str
    sets: tuple[tuple[Key, Any], ...] = ()

    def __str__(self) -> str:
        return f"{self.axis}={self.text}"

    @property
    def builds(self) -> bool:
        """Whether it shapes what is indexed."""
        return any(part_of(*key) not in _SEARCHING for key, _ in self.sets)


def axis_name(text: str) -> str:
    """The name by which an axis is reported: ``chunk`` for ``chunk.by``. Raises ConfigurationError."""
    name = _NAMES.get(text, text)
    if name in NAMED or _key(name) is not None:
        return name
    close = difflib.get_close_matches(text, [*NAMED, *_all_keys()], n=1)
    hint = f"did you mean {close[0]}? " if close else ""
    raise ConfigurationError(
        f"--compare has no axis {text!r}; {hint}there are {', '.join(NAMED)}, and every table.key of the "
        "configuration (treegraph config lists them)"
    )


def choice(axis: str, text: str) -> Choice:
    """The value ``text`` of the axis ``axis``. Raises ConfigurationError that says what it can be."""
    if axis == "fusion":
        return Choice(axis, text, _fusion(text))
    if axis == "rerank":
        if text not in ("on", "off"):
            raise ConfigurationError(f"--compare rerank={text}: expected on or off")
        return Choice(axis, text)
    if axis == "route" and text not in ROUTES:
        raise ConfigurationError(f"--compare route={text}: expected one of {', '.join(ROUTES)}")
    if axis == "ask":
        if text not in (EXTRACT, *WRITTEN):
            raise ConfigurationError(f"--compare ask={text}: expected {EXTRACT}, {' or '.join(WRITTEN)}")
        return Choice(axis, text)
    key = _KEYS.get(axis) or _key(axis)
    if key is None:
        raise ConfigurationError(f"--compare has no axis {axis!r}")
    return Choice(axis, text, ((key, _typed(axis, key, text)),))


def _fusion(text: str) -> tuple[tuple[Key, Any], ...]:
    if text in _FUSED_BY:
        fusion, weight = _FUSED_BY[text]
    else:
        try:
            fusion, weight = "maximum", float(text)
        except ValueError:
            raise ConfigurationError(
                f"--compare fusion={text}: expected {', '.join(_FUSED_BY)}, or the dense list's share, 0 to 1"
            ) from None
    return (("search", "fusion"), fusion), (("search", "weight"), weight)


def _typed(axis: str, key: Key, text: str) -> Any:
    hint = schema()[key[0]][key[1]]
    where = f"--compare {axis}={text}"
    if get_origin(bare(hint)) is tuple or is_mapping(hint):
        raise ConfigurationError(f"{where}: [{key[0]}] {key[1]} can only be given in the configuration file")
    if type(None) in get_args(hint) and text == "none":
        return None
    try:
        value = convert_text(hint, text)
    except Mismatch as error:
        raise ConfigurationError(f"{where}: {error}") from None
    if key in _URLS and text:
        check_url(*key, text, "--compare")
    if key in _MODELS and not _names_a_model(text, _MODELS[key]):
        known = ", ".join(f"{name}..." if name.endswith(":") else name or "nothing" for name in _MODELS[key])
        raise ConfigurationError(f"{where}: expected one of {known}")
    return value


def _names_a_model(text: str, known: Sequence[str]) -> bool:
    beginnings = tuple(name for name in known if name.endswith(":"))
    return (text.startswith(beginnings) and text not in beginnings) or text in set(known) - set(beginnings)


def _key(name: str) -> Key | None:
    table, _, key = name.partition(".")
    return (table, key) if key in schema().get(table, {}) else None


def _all_keys() -> list[str]:
    return [f"{table}.{key}" for table, keys in schema().items() for key in keys]
