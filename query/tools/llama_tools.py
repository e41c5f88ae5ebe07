"""The tools of an index for agents of LlamaIndex. Its reader's labels are settled when they are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.tools import FunctionTool

from ...indexer.errors import ConfigurationError
from ..routes import ROUTES
from .llama_arguments import (
    AskArguments,
    DocumentsArguments,
    NeighboursArguments,
    OutlineArguments,
    PathArguments,
    ReadArguments,
    SearchArguments,
    search_arguments,
)
from .llama_calls import Advice, function_tool
from .llama_text import page
from .llama_tools_ask import answered
from .llama_tools_graph import found_neighbours, found_path
from .llama_tools_read import found_outline, found_reading
from .llama_tools_search import found_documents, found_hits

if TYPE_CHECKING:
    from ..index import Index

LEAST = 500
"""What one result needs for its ids, its place and some text."""

_READABLE = "an id from `search` or `outline`, a source from `documents`, or <source>@<first>-<last>."


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """How the tools answer: to a reader with ``labels`` (None: the owner, []: the public), with at most
    ``budget`` tokens a result. ``route`` and ``k`` hold where the agent does not choose."""

    labels: Sequence[str] | None = None
    budget: int = 2000
    route: str = "auto"
    k: int = 10

    def __post_init__(self) -> None:
        """Raises ConfigurationError for a value out of its range."""
        if isinstance(self.labels, str):
            raise ConfigurationError("labels takes a list of texts, not one text")
        if self.labels is not None:
            object.__setattr__(self, "labels", tuple(self.labels))
        checks = (
            ("budget", self.budget, self.budget >= LEAST, f"at least {LEAST}"),
            ("route", self.route, self.route in ROUTES, f"one of {', '.join(ROUTES)}"),
            ("k", self.k, 1 <= self.k <= 100, "from 1 to 100"),
        )
        for name, value, valid, expected in checks:
            if not valid:
                raise ConfigurationError(f"{name} of the tools is {expected}, not {value!r}")


def index_tools(
    index: Index, settings: ToolSettings, engine: BaseQueryEngine | None = None
) -> list[FunctionTool]:
    """What an agent needs to find its way in an index; ``ask`` only where an ``engine`` answers."""
    tools = [*_overview(index, settings), *_finding(index, settings), *_linking(index, settings)]
    return [*tools, _asking(engine)] if engine is not None else tools


def _overview(index: Index, settings: ToolSettings) -> list[FunctionTool]:
    labels, budget = settings.labels, settings.budget

    def documents(asked: DocumentsArguments) -> str:
        return page(found_documents(index, labels, asked), budget, asked.cursor)

    def outline(asked: OutlineArguments) -> str:
        return page(found_outline(index, labels, asked), budget, asked.cursor)

    return [
        function_tool(
            "documents",
            "Which documents there are: source, title, pages, language, edition, dates, fields.",
            DocumentsArguments,
            documents,
            Advice("it without sources.", "it without sources."),
        ),
        function_tool(
            "outline",
            "The documents from the top: chapters and sections with their pages, as titles, summaries or "
            "text. Begin with titles and go down by id.",
            OutlineArguments,
            outline,
            Advice("it without `of` for ids.", "`documents`, then `search`."),
        ),
    ]


def _finding(index: Index, settings: ToolSettings) -> list[FunctionTool]:
    labels, budget = settings.labels, settings.budget

    def search(asked: SearchArguments) -> str:
        return page(found_hits(index, labels, asked), budget, asked.cursor)

    def read(asked: ReadArguments) -> str:
        return page(found_reading(index, labels, asked), budget, asked.cursor)

    return [
        function_tool(
            "search",
            "Find what the documents say to a question: passages and summaries, best first, each with "
            "source and pages to cite and an id to read on from.",
            search_arguments(settings.route, settings.k),
            search,
            Advice("sources and filters as the tool `documents` shows them.", "route 'hybrid'."),
        ),
        function_tool(
            "read",
            "Read something whole, by its id or by source and pages, and what comes before and after it.",
            ReadArguments,
            read,
            Advice(_READABLE, _READABLE),
        ),
    ]


def _linking(index: Index, settings: ToolSettings) -> list[FunctionTool]:
    labels, budget = settings.labels, settings.budget

    def neighbours(asked: NeighboursArguments) -> str:
        return page(found_neighbours(index, labels, asked), budget, asked.cursor)

    def path(asked: PathArguments) -> str:
        return page(found_path(index, labels, asked), budget, asked.cursor)

    named = Advice("`search` with that name, and names as its passages write them.", "`search`.")
    return [
        function_tool(
            "neighbours",
            "What is stated about a thing (a command, register, part, person ...): its relations to "
            "others, each with the sentence and page that says so.",
            NeighboursArguments,
            neighbours,
            named,
        ),
        function_tool(
            "path",
            "How two things are linked: the shortest chain of statements from one to the other, with pages.",
            PathArguments,
            path,
            named,
        ),
    ]


def _asking(engine: BaseQueryEngine) -> FunctionTool:
    return function_tool(
        "ask",
        "A finished answer from the documents, with the places that it rests on. Costs a model call; "
        "search is cheaper.",
        AskArguments,
        lambda asked: answered(engine, asked),
        Advice("`search` with the same question.", "`search` with the same question."),
    )
