"""``look``: what a model that sees says of one page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ...indexer.errors import ConfigurationError
from ..page_names import page_named
from .arguments import LookArguments
from .paging import Entry, Found
from .places import NOTE, TITLE, clip, filled
from .refusal import Refusal
from .shapes import Look as LookShape
from .tool import Desk, Tool

if TYPE_CHECKING:
    from ..looked import Looked

Look = Callable[..., "Looked"]
"""``look(name, page, question, labels=...)``, as :meth:`..index.Index.look`."""


def look_tool(look: Look) -> Tool:
    """The tool that shows a page by ``look``, as the reader may see it."""
    return Tool(
        "look",
        "Look at a page",
        "Show the picture of one page to a model that sees and ask it: for charts, drawings and scans whose "
        "values are not in the text. It costs a call of a model: read the page first.",
        LookArguments,
        LookShape,
        partial(_run, look),
        dear=True,
    )


def _run(look: Look, desk: Desk, asked: LookArguments) -> Found:
    name, number = page_named(asked.page)
    try:
        looked = look(name, number, asked.question, labels=desk.labels)
    except ConfigurationError:  # nothing has this name, or no such page, for this reader
        raise Refusal(
            f"there is no page to look at under {clip(asked.page, TITLE)!r}{desk.meant(asked.page)}",
            "sources and how many pages they have come from documents, ids from search; a document without "
            "pages has none to look at",
        ) from None
    head: Entry = {"note": NOTE, "source": looked.source, "page": looked.page, "found": looked.found}
    head["model"] = looked.model
    for citation in looked.citations:
        head |= filled(origin=citation.origin, confidence=citation.confidence)
    if not looked.found:
        head["hint"] = "look at a page beside it, or search for what is asked"
    return Found(head, "parts", [partial(dict, {"text": looked.text})])
