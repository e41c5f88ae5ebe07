"""Rows of tables as lines of an extract."""

from __future__ import annotations

from treegraph.query.answer.rows import table_rows


def read(text: str) -> list[str]:
    return [row.text for row in table_rows(text)]


HEAD = "| Valve | Pressure | Size |\n| --- | --- | --- |\n"
ROWS = "| V-150 | 16 bar | DN 50 |\n| V-152 | 25 bar |  |\n"


def test_a_row_says_its_columns() -> None:
    assert read(HEAD + ROWS) == [
        "V-150: Pressure 16 bar; Size DN 50",
        "V-152: Pressure 25 bar",
    ]


def test_rows_of_a_table_that_began_before_are_rows_too() -> None:
    assert read(ROWS + "\nValves are inspected.") == ["V-150: 16 bar; DN 50", "V-152: 25 bar"]


def test_bars_within_a_text_are_no_table() -> None:
    assert read("Use a pipe:\n\n| sort | uniq\n\nand so on.") == []


def test_an_escaped_bar_is_within_its_cell_and_a_passage_may_end_within_a_row() -> None:
    head = "| Operator | Meaning |\n| --- | --- |\n"
    assert read(head + "| a \\| b | either |\n| a & b | bo") == [
        "a | b: Meaning either",
        "a & b: Meaning bo",
    ]
