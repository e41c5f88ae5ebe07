"""``treegraph search --route all``: what each route answers, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from ...indexer.errors import RouteUnavailable
from ..marking import question_forms, snippet
from .common import Common
from .hits import place
from .output import emit, one_line, say_degraded, show

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ...indexer.types import Hit
    from ...query.index import Index
    from ...query.result import SearchResult

SIDE_BY_SIDE = ("auto", "hybrid", "tree", "graph")
SNIPPET = 140
"""Characters of a hit's text that are shown."""


def every_route(common: Common, index: Index, question: str, options: Mapping[str, Any]) -> int:
    """Ask ``question`` over every route that the index has, and print what each found.

    As JSON it is the result of auto, with the other results under ``routes`` and what is not built under
    ``left_out``.
    """
    found: dict[str, SearchResult] = {}
    left_out: dict[str, str] = {}
    for route in SIDE_BY_SIDE:
        try:
            found[route] = index.search(question, route=route, **options)
        except RouteUnavailable as error:
            left_out[route] = str(error)
    for result in found.values():
        say_degraded(result)
    if common.json:
        routes = {route: result.to_json() for route, result in found.items() if route != "auto"}
        emit({**found["auto"].to_json(), "routes": routes, "left_out": left_out})
    else:
        show(*_rendered(question, found), *(one_line(f"left out: {text}") for text in left_out.values()))
    return 0


def _rendered(question: str, found: Mapping[str, SearchResult]) -> Iterator[RenderableType]:
    table = Table(box=None, padding=(0, 3, 1, 0), header_style="bold")
    table.add_column("", justify="right")
    for route, result in found.items():
        used = "+".join(result.route.used) if route == "auto" else ""
        seconds = f"{1000 * result.seconds['total']:.0f} ms"
        table.add_column(
            " ".join(filter(None, [route, f"({used})" if used else "", seconds])), overflow="fold"
        )
    forms = question_forms(question)
    for rank, row in enumerate(zip_longest(*(result.hits for result in found.values())), start=1):
        table.add_row(str(rank), *("" if hit is None else _hit(hit, forms) for hit in row))
    yield table
    yield f"auto: {one_line(found['auto'].route.why)}"
    yield _scores(found["auto"])


def _hit(hit: Hit, forms: frozenset[str]) -> Text:
    text = Text(f"{hit.relevance:.2f}  ", style="green")
    if hit.kind != "chunk":
        text.append(f"{hit.kind}  ", style="cyan")
    if hit.citations:
        text.append_text(place(hit.citations[0]))
    part = snippet(one_line(hit.text), forms, SNIPPET)
    return text.append(f"\n{part.text}", style="default")


def _scores(result: SearchResult) -> str:
    ordered: Sequence[tuple[str, float]] = sorted(result.route.scores.items(), key=lambda item: -item[1])
    return "scores: " + ", ".join(f"{route} {score:.2f}" for route, score in ordered)
