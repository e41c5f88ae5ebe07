"""Tables that fit the terminal: figures lose first their line, then the least important their column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.measure import Measurement
from rich.text import Text

from .shown import one_line

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Table

Make = Callable[[Sequence[str], bool], "Table"]
"""Makes the table of these columns; where the second is true, with intervals under their figures."""
_UNBOUNDED = 100_000


class Fitting:
    """A Rich renderable: the first layout that there is room for.

    On one line with all ``columns``; else with intervals under the figures; else without the first few of
    ``least`` (columns in the order in which they go), which is said below the table. Never without the
    columns that are not in ``least``.
    """

    def __init__(self, make: Make, columns: Sequence[str], least: Sequence[str]) -> None:
        self._make = make
        self._columns = columns
        self._least = [name for name in least if name in columns]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        unbounded = options.update(max_width=_UNBOUNDED)
        for layout in self._layouts():
            if Measurement.get(console, unbounded, layout[0]).maximum <= options.max_width:
                break
        table, gone = layout
        yield table
        if gone:
            yield Text(f"no room for {one_line(', '.join(gone))}: a wider terminal or --json has them", "dim")

    def _layouts(self) -> Iterator[tuple[Table, list[str]]]:
        yield self._make(self._columns, False), []
        for count in range(len(self._least) + 1):
            gone = self._least[:count]
            yield self._make([name for name in self._columns if name not in gone], True), gone
