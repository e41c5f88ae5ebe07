"""Searches and answers as spans of a trace: what they took, step by step, and none of their text."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING

from ..indexer.tracing import span, step

if TYPE_CHECKING:
    from .answer.result import Answer
    from .result import SearchResult

_STEPS = ("route", "embed", "retrieve", "rerank")
"""The steps of a search, one after the other."""


def traced_search(search: Callable[[], SearchResult]) -> SearchResult:
    """What ``search`` finds, told as a span with one for each step."""
    with span("treegraph.search") as note:
        at = perf_counter()
        found = search()
        for name in _STEPS:
            ended = at + found.seconds[name]
            step(f"treegraph.search.{name}", at, ended)
            at = ended
        note(
            {
                "treegraph.generation": found.generation,
                "treegraph.route": found.route.used,
                "treegraph.hits": len(found.hits),
                "treegraph.degraded": found.degraded,
            }
        )
    return found


def traced_answer(answer: Callable[[], Answer]) -> Answer:
    """What ``answer`` says, told as a span; searches and calls of a model are spans of their own in it."""
    with span("treegraph.ask") as note:
        said = answer()
        note(
            {
                "treegraph.grounded": said.grounded,
                "treegraph.calls": said.calls,
                "treegraph.sentences": len(said.sentences),
                "treegraph.found": said.found,
            }
        )
    return said
