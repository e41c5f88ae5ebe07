"""An answer for people: its sentences, then the numbered sources, and what is to be said about them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ..plain_text import safe
from .hits import listed, pages, place
from .output import one_line, write

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ...indexer.types import Citation
    from ...query.answer.result import Answer, Conflict, Step

_MARK, _DIM, _WARN = "bold cyan", "dim", "yellow"
_FLAGGED = 6
"""Sentences that are pointed out one by one."""
_MARKS = re.compile(r"\[\d+\](?:\[\d+\])*$|(?<= )(?:\[\d+\])+", re.MULTILINE)


class Streaming:
    """Writes an answer to the terminal as it comes; ``text`` is what was written."""

    def __init__(self) -> None:
        self.text = ""

    def __call__(self, piece: str) -> None:
        self.text += piece
        write(safe(piece).encode("utf-8"))

    def end(self) -> None:
        """Close the last line."""
        if self.text:
            write(b"\n")


def render_answer(answer: Answer, shown: bool = False, steps: bool = False) -> Iterator[RenderableType]:
    """The answer with its sources; without its text where that was ``shown`` already. With ``steps`` comes
    the trace of an agentic one."""
    if not shown:
        text = Text(safe(answer.text))
        for found in _MARKS.finditer(text.plain):
            text.stylize(_MARK, *found.span())
        yield text
    yield ""
    if answer.result.question != answer.question:
        yield Text(f"searched for: {one_line(answer.result.question)}", style=_DIM)
    if answer.found:
        yield _places(answer.citations, numbered=True)
    elif answer.nearest:
        yield Text("nearest:", style=_DIM)
        yield _places(answer.nearest, numbered=False)
    for conflict in answer.conflicts:
        yield from _conflict(conflict)
    yield from _flags(answer)
    if steps:
        yield from _steps(answer.steps)
    if answer.result.explanation is None and answer.result.enumeration is not None:
        yield ""
        yield from listed(answer.result.enumeration)
    if answer.result.explanation is not None:
        from .hits import render_result

        yield ""
        yield from render_result(answer.result)


def _places(citations: Sequence[Citation], numbered: bool) -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right", min_width=4)
    grid.add_column(overflow="fold")
    for number, citation in enumerate(citations, start=1):
        where = Text.assemble(place(citation))
        if citation.section:
            where.append(f"  {one_line(' > '.join(citation.section))}", style=_DIM)
        grid.add_row(Text(f"[{number}]" if numbered else "", style=_MARK), where)
    return grid


def _conflict(conflict: Conflict) -> Iterator[RenderableType]:
    yield ""
    yield Text("editions differ:", style=_WARN)
    for statement in conflict.statements:
        dates = [f"edition {statement.edition}"] if statement.edition else []
        dates += [f"from {statement.valid_from.isoformat()}"] if statement.valid_from else []
        where = f"{statement.citation.source} {pages(statement.citation.pages)}".strip()
        yield Text(f"  {one_line(', '.join([where, *dates]))}: {one_line(statement.text)}")


def _steps(steps: Sequence[Step]) -> Iterator[RenderableType]:
    """A line for each search, and beneath the last of a round what was made of it."""
    if steps:
        yield ""
        yield Text("searches:", style=_DIM)
    for step in steps:
        new = f"{step.found} new by {step.route or 'no route'}"
        yield Text.assemble(f"  {step.round}. {one_line(step.question)}", (f"  {new}", _DIM))
        for said in (f"missing: {step.missing}" if step.missing else "", step.why):
            if said:
                yield Text(f"     {one_line(said)}", style=_DIM)


def _flags(answer: Answer) -> Iterator[RenderableType]:
    flagged = [sentence for sentence in answer.sentences if sentence.flags]
    if flagged:
        yield ""
        yield Text("not in what it cites:", style=_WARN)
    for sentence in flagged[:_FLAGGED]:
        yield Text(f"  {one_line(', '.join(sentence.flags))}: {one_line(sentence.text)}", style=_DIM)
    if len(flagged) > _FLAGGED:
        yield Text(f"  and {len(flagged) - _FLAGGED} more", style=_DIM)
