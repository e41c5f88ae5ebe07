"""Configuration values against the types of dataclass fields: from TOML, and from plain text.

The types understood are those that settings are made of: str, int, float, bool, Literal, tuples of one
type, mappings from str, and any of these with ``| None``.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Literal, Union, get_args, get_origin

_WORDS = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}
_TRUE = frozenset({"true", "1", "yes", "on"})
_FALSE = frozenset({"false", "0", "no", "off"})


class Mismatch(Exception):
    """A value is not of the type that its key asks for. ``expected`` and ``got`` are in words."""

    def __init__(self, expected: str, got: str) -> None:
        super().__init__(f"expected {expected}, got {got}")
        self.expected = expected
        self.got = got


def expected(hint: Any) -> str:
    """What a type asks for, in words: ``one of "text", "ocr"``."""
    hint = bare(hint)
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(f'"{value}"' for value in get_args(hint))
    if get_origin(hint) is tuple:
        return f"a list, each {expected(get_args(hint)[0])}"
    if is_mapping(hint):
        return f"a table whose values are each {expected(get_args(hint)[1])}"
    return _WORDS[hint]


def bare(hint: Any) -> Any:
    """The type without ``| None``; an alias is looked through."""
    hint = getattr(hint, "__value__", hint)
    if get_origin(hint) in (Union, types.UnionType):
        inner = [part for part in get_args(hint) if part is not type(None)]
        if len(inner) != 1:
            raise TypeError(f"settings cannot be of type {hint}")
        return bare(inner[0])
    return hint


def is_mapping(hint: Any) -> bool:
    """Whether the type is a mapping, which only a file can give."""
    origin = get_origin(bare(hint))
    return isinstance(origin, type) and issubclass(origin, Mapping)


def convert(hint: Any, value: object) -> object:
    """``value``, as TOML gives it, as the type ``hint``. Raises Mismatch."""
    hint = bare(hint)
    origin = get_origin(hint)
    if origin is Literal:
        # 1 == True in Python, so the type is compared too.
        if any(value == choice and type(value) is type(choice) for choice in get_args(hint)):
            return value
    elif origin is tuple:
        if isinstance(value, list | tuple):
            return tuple(convert(get_args(hint)[0], item) for item in value)
    elif is_mapping(hint):
        if isinstance(value, Mapping):
            return {str(key): convert(get_args(hint)[1], item) for key, item in value.items()}
    elif hint is float:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    elif isinstance(value, hint) and not (hint is int and isinstance(value, bool)):
        return value
    raise Mismatch(expected(hint), describe(value))


def convert_text(hint: Any, text: str) -> object:
    """Text from the environment or a flag as the type ``hint``; a list is split at commas.

    Raises Mismatch.
    """
    hint = bare(hint)
    if get_origin(hint) is tuple:
        item = get_args(hint)[0]
        return tuple(convert_text(item, part.strip()) for part in text.split(",") if part.strip())
    if hint is bool and text.casefold() in _TRUE | _FALSE:
        return text.casefold() in _TRUE
    if hint in (int, float):
        try:
            return hint(text)
        except ValueError:
            raise Mismatch(expected(hint), describe(text)) from None
    return convert(hint, text)


def describe(value: object) -> str:
    """A value for an error message: short, and its type where that is what is wrong."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list | tuple):
        return "a list"
    shown = repr(value) if not isinstance(value, bool) else str(value).lower()
    return shown if len(shown) <= 80 else shown[:77] + "..."


def field_types(cls: type) -> dict[str, Any]:
    """Field name to resolved type of a settings dataclass, in the order of its fields."""
    hints = typing.get_type_hints(cls)
    return {field.name: hints[field.name] for field in fields(cls)}
