"""The names of columns, read off the context of rows whose head stands elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
from treegraph.query.answer.row_names import RowNames, row_names

HEAD = "| Name | Volt | Use |\n| --- | --- | --- |"


def chunk(context: str, text: str, *section: str) -> dict[str, Any]:
    return {"text": text, "context": context, "section": list(section)}


@pytest.mark.parametrize(
    ("above", "section", "over"),
    [
        ("Plant > Board\nTable 4: Relays\n", ("Board",), "Table 4: Relays"),
        ("Plant > Board\nTable 4: Relays\nSpare\n", ("Board",), "Table 4: Relays, Spare"),
        ("Plant\n", (), ""),
        ("Table 4: Relays\n", (), "Table 4: Relays"),
    ],
)
def test_names_and_what_is_over_the_rows(above: str, section: tuple[str, ...], over: str) -> None:
    context = f"{above}Name: K1; Volt: 12; Use: pump; fan\nName: K2; Use: ratio 2: 1"
    held = chunk(context, "| K1 | 12 | pump; fan |\n| K2 |  | ratio 2: 1 |\n", *section)
    assert row_names(held, "Plant") == RowNames(HEAD, over)


@pytest.mark.parametrize(
    ("context", "text"),
    [
        ("Plant", "| K1 | 12 |\n| K2 | 13 |"),
        ("Name: K1; Volt: 12\nName: K3; Volt: 13", "| K1 | 12 |\n| K2 | 13 |"),
        ("Name: K1; Volt: 12", "| Name | Volt |\n| --- | --- |\n| K1 | 12 |"),
        ("Name: K1; Volt: 12", "| K1 | 12 |\n\nIt is green."),
        ("K1; 12", "| K1 | 12 |"),
        ("; ".join(f"Unit {n}: yes" for n in range(40)) + ".", "| yes " * 40 + "|"),
    ],
)
def test_rows_that_the_context_does_not_name_have_no_names(context: str, text: str) -> None:
    assert row_names(chunk(context, text), "Plant") is None
