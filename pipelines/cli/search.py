"""``treegraph search``: hits for a question, each with file, pages and section."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from .common import Common, command
from .output import emit, say_degraded, show

if TYPE_CHECKING:
    from ..config_layers import Given, Key

ROUTES = ("auto", "hybrid", "tree", "graph", "all")


def question_text(argument: str) -> str:
    """The question as text: where the locale could not read its bytes, they are taken for UTF-8."""
    if argument.isascii() or not any("\ud800" <= character <= "\udfff" for character in argument):
        return argument
    return os.fsencode(argument).decode("utf-8", "replace")


def parse_labels(text: str | None) -> tuple[str, ...] | None:
    """The labels of ``a,b``; empty text is the public's view, None the owner's."""
    if text is None:
        return None
    return tuple(part.strip() for part in text.split(",") if part.strip())


@command("search", short_help="Hits for a question, each with its page.")
@click.argument("question")
@click.option("-k", type=click.IntRange(1, 10_000), metavar="N", help="How many hits ([search] k).")
@click.option("--route", type=click.Choice(ROUTES), help="Which structure answers; all: side by side.")
@click.option(
    "--labels", metavar="a,b", help='See only what a reader with these labels may; "" is the public.'
)
@click.option(
    "--filter", "filters", multiple=True, metavar="FIELD=VALUE", help="Also !=, <, <=, >, >=, and a..b."
)
@click.option(
    "--source", "sources", multiple=True, metavar="GLOB", help="Only documents whose source matches."
)
@click.option(
    "--as-of", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE", help="What was valid on that day."
)
@click.option("--min-relevance", type=click.FloatRange(0, 1), metavar="X", help="Leave out hits below this.")
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    metavar="X",
    help="Leave out passages of which OCR or a model was less sure.",
)
@click.option("--neighbours", type=click.IntRange(min=0), metavar="N", help="Show N chunks on either side.")
@click.option("--explain", is_flag=True, help="Show why this route, each list's rank and the terms' weights.")
@click.option("--deadline", type=click.FloatRange(0), metavar="S", help="Give what is there after S seconds.")
@click.option("--rerank/--no-rerank", default=None, help="With the configured reranker, or without.")
def search(
    common: Common,
    question: str,
    k: int | None,
    route: str | None,
    labels: str | None,
    filters: tuple[str, ...],
    sources: tuple[str, ...],
    as_of: datetime | None,
    min_relevance: float | None,
    min_confidence: float | None,
    neighbours: int | None,
    explain: bool,
    deadline: float | None,
    rerank: bool | None,
) -> int:
    """Print the passages that bear on QUESTION, best first, each with its file, pages and section.

    No language model is needed. The number in front of each hit is its relevance, from 0 to 1, which
    means the same from question to question; hits stand in the order of their score, which --json shows
    and which need not be that of their relevance. A question that begins with a dash comes after --.
    """
    asked = None if route == "all" else route
    flags = {
        "k": k,
        "route": asked,
        "min_relevance": min_relevance,
        "min_confidence": min_confidence,
        "neighbours": neighbours,
    }
    config = common.effective(_given(flags)).config
    from ..opening import open_index

    with open_index(common.index_path, config=config) as index:
        options: dict[str, Any] = {
            "k": config.search.k,
            "labels": parse_labels(labels),
            "filters": filters,
            "sources": sources,
            "as_of": as_of.date() if as_of else None,
            "neighbours": config.search.neighbours,
            "min_relevance": config.search.min_relevance,
            "min_confidence": config.search.min_confidence,
            "explain": explain,
            "rerank": rerank,
            "deadline": deadline,
        }
        text = question_text(question)
        if route == "all":
            from .search_all import every_route

            return every_route(common, index, text, options)
        result = index.search(text, route=config.search.route, **options)
    say_degraded(result)
    if common.json:
        emit(result.to_json())
    else:
        from .hits import render_result

        show(*render_result(result))
    return 0


def _given(flags: Mapping[str, object]) -> dict[Key, Given]:
    from ..config_layers import Given

    names = {"k": "-k"}
    return {
        ("search", key): Given(value, "flag", names.get(key, f"--{key.replace('_', '-')}"))
        for key, value in flags.items()
        if value is not None
    }
