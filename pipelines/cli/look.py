"""``treegraph look``: a question about one page, answered by a model that looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...query.page_names import page_named
from ..plain_text import safe
from .ask import NOT_FOUND
from .common import Common, command
from .output import emit, show
from .search import parse_labels, question_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from ...query.looked import Looked


@command("look", short_help="Show a page to a model that sees, and ask it.")
@click.argument("page", metavar="SOURCE@PAGE")
@click.argument("question")
@click.option("--vision", metavar="MODEL@URL", help="The model that looks ([vision]).")
@click.option("--labels", metavar="a,b", help='As a reader with these labels; "" is the public.')
def look(common: Common, page: str, question: str, vision: str | None, labels: str | None) -> int:
    """Show the picture of a page to a model that sees (--vision, or [vision] in the configuration), with the
    text that was taken from it, and print what it says of QUESTION, cited.

    SOURCE@PAGE is a document's source and a page, or the id of a hit, whose page is meant. The file must
    still be what was indexed. Where the page does not show it, the exit code is 4.
    """
    from .flags import vision_given

    config = common.effective(vision_given(vision)).config
    reader = parse_labels(labels)
    from ..opening import open_index

    name, number = page_named(page)
    with open_index(common.index_path, config=config) as index:
        looked = index.look(name, number, question_text(question), labels=reader)
    if common.json:
        emit(looked.to_json())
    else:
        show(*_render(looked))
    return 0 if looked.found else NOT_FOUND


def _render(looked: Looked) -> Iterator[RenderableType]:
    from rich.text import Text

    from ...query.look import ALONE
    from .hits import place

    yield Text(safe(looked.text))
    for citation in looked.citations:
        yield ""
        yield place(citation)
        sure = (citation.confidence or 0) > ALONE
        yield Text("the page's text says it as well" if sure else "in the picture alone", style="dim")
    cost = f", cost {'unknown' if looked.cost is None else f'{looked.cost:.4f}'}"
    tokens = looked.tokens
    yield Text(f"{safe(looked.model)}: {tokens.tokens_in:,} in, {tokens.tokens_out:,} out{cost}", style="dim")
