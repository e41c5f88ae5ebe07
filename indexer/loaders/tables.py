"""Tables as Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def markdown_table(rows: Sequence[Sequence[str]]) -> str | None:
    """A GitHub Markdown table whose first row is the header; None where there is no cell.

    Short rows are filled up, line ends in a cell become spaces, and ``|`` is escaped.
    """
    width = max((len(row) for row in rows), default=0)
    if width == 0:
        return None
    lines = [
        "| " + " | ".join(_cell(cell) for cell in [*row, *[""] * (width - len(row))]) + " |" for row in rows
    ]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
