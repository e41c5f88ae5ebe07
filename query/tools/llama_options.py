"""What is settled when a retriever, an engine or tools are made, so that no question can change it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import date
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ...indexer.errors import ConfigurationError
from ..request import Request
from ..routes import ROUTES
from ..settings import SearchSettings

if TYPE_CHECKING:
    from llama_index.core.callbacks.base import CallbackManager

ScoredBy = Literal["score", "relevance"]
"""Which of a hit's numbers LlamaIndex sees: ``score`` orders one list, ``relevance`` (0..1) compares across
questions."""
_OF_SEARCH = tuple(field.name for field in fields(Request))


class FindOptions(TypedDict, total=False):
    """What a search and an answer both take."""

    k: int | None
    route: str | None
    labels: Sequence[str] | None
    filters: Sequence[str]
    sources: Sequence[str]
    as_of: date | None
    deadline: float | None


class SearchOptions(FindOptions, total=False):
    """The options of :meth:`..index.Index.search` that a retriever takes."""

    neighbours: int | None
    min_relevance: float | None
    min_confidence: float | None
    rerank: bool | None


class RetrieverOptions(SearchOptions, total=False):
    """Those, and what LlamaIndex is told."""

    scored_by: ScoredBy
    callback_manager: CallbackManager


class AskOptions(FindOptions, total=False):
    """The options of :meth:`..index.Index.ask` that a query engine takes."""

    history: Sequence[Any]
    language: str | None
    budget: int | None
    agentic: bool


class EngineOptions(AskOptions, total=False):
    """Those, and what LlamaIndex is told."""

    callback_manager: CallbackManager


class ToolOptions(TypedDict, total=False):
    """The options of :class:`.settings.ToolSettings`."""

    labels: Sequence[str] | None
    budget: int
    route: str
    k: int
    deadline: float | None


def settled(options: FindOptions) -> dict[str, Any]:
    """``options`` as they are now: a list that its owner changes later changes nothing here.

    Raises ConfigurationError for a value that no question could be asked with.
    """
    of_search: dict[str, Any] = {name: value for name, value in options.items() if name in _OF_SEARCH}
    Request("a question", **of_search).settled(SearchSettings())
    route = of_search.get("route")
    if route is not None and route not in ROUTES:
        raise ConfigurationError(f"unknown route {route!r}; use one of {', '.join(ROUTES)}")
    return {
        name: tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
        for name, value in options.items()
    }
