"""The page of a benchmark: plots first, then the figures behind them."""

from __future__ import annotations

from collections.abc import Sequence

from ..evaluation.page.plots import Panel, line_plot
from ..evaluation.page.standalone import page, raw_html
from ..evaluation.shown import one_line
from .tables import Table


def render(
    title: str, tables: Sequence[Table], panels: Sequence[Panel] = (), notes: Sequence[str] = ()
) -> str:
    """One self-contained HTML page, which opens from disk and fetches nothing. ``notes`` say what a reader
    must know before the figures. Raises ConfigurationError where Jinja2 is not installed.
    """
    return page(
        "page.html.jinja",
        __package__,
        title=one_line(title),
        notes=list(notes),
        plots=[raw_html(line_plot(panel)) for panel in panels],
        tables=list(tables),
    )
