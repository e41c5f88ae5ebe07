"""Values against types, for the kinds of types that settings have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from treegraph.pipelines.config_values import (
    Mismatch,
    convert,
    convert_text,
    expected,
    field_types,
    is_mapping,
)

Choice = Literal["a", "b"]
TYPES: list[Any] = [
    str,
    int,
    float,
    bool,
    Choice,
    tuple[str, ...],
    tuple[int, ...],
    Mapping[str, str],
    float | None,
]

toml_values = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(TYPES), toml_values)
def test_a_value_is_converted_to_its_type_or_refused_in_words(hint: Any, value: object) -> None:
    refusal = ""
    try:
        converted = convert(hint, value)
    except Mismatch as error:
        refusal = str(error)
        converted = value
    if refusal:
        assert refusal.startswith(f"expected {expected(hint)}, got ") or isinstance(value, list | dict)
        assert len(refusal) < 200
    else:
        assert converted == (tuple(value) if isinstance(value, list) else value)
        assert convert(hint, converted) == converted


@given(st.integers(), st.floats(allow_nan=False), st.booleans())
def test_text_gives_what_it_spells(whole: int, number: float, switch: bool) -> None:
    assert convert_text(int, str(whole)) == whole
    assert convert_text(float | None, repr(number)) == number
    assert convert_text(bool, str(switch)) is switch
    assert convert_text(tuple[int, ...], f"{whole}, {whole} ,") == (whole, whole)


@pytest.mark.parametrize(("hint", "value"), [(int, True), (int, 1.0), (float, False), (bool, 1), (str, 1)])
def test_types_are_not_mixed_up(hint: Any, value: object) -> None:
    with pytest.raises(Mismatch):
        convert(hint, value)


def test_a_whole_number_is_a_number() -> None:
    assert repr(convert(float, 3)) == "3.0"


def test_the_fields_of_settings_have_words() -> None:
    @dataclass
    class Settings:
        mode: Choice
        limits: Mapping[str, int]

    hints = field_types(Settings)
    assert [expected(hint) for hint in hints.values()] == [
        'one of "a", "b"',
        "a table whose values are each a whole number",
    ]
    assert [is_mapping(hint) for hint in hints.values()] == [False, True]
