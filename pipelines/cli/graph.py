"""``treegraph graph``: entities, what joins them, and the merges and splits that a person makes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from .common import Common, command, common_options
from .interrupt import cancelled_by_interrupt
from .output import emit, note, say
from .progress import progress
from .search import parse_labels

if TYPE_CHECKING:
    from ...indexer.graph.edits import Edits, Merge, Split


class _EntityOrCommand(click.Group):
    """A group whose first word is one of its commands, or else the name of an entity to show."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """See :class:`click.Group`."""
        words = [word for word in args if not word.startswith("-")]
        if words and words[0] not in self.commands:
            args = ["show", *args]
        return super().parse_args(ctx, args)


@click.group("graph", cls=_EntityOrCommand, short_help="An entity, its relations and its passages.")
@common_options
def graph() -> None:
    """Show an entity (`treegraph graph NAME`), or change by hand what counts as one.

    An entity is named by its name, an alias or its id; one whose name is that of a command here is shown by
    `treegraph graph show NAME`.
    """


@command("show", short_help="An entity, or the path between two.")
@click.argument("name")
@click.option("--to", "other", metavar="NAME", help="Show the path from NAME to this entity instead.")
@click.option("--labels", metavar="a,b", help='As a reader with these labels; "" is the public.')
def show_entity(common: Common, name: str, other: str | None, labels: str | None) -> int:
    """Show an entity: aliases, relations with conditions and evidence, its communities and passages."""
    config = common.effective().config
    from ...query.graph_lines import entity_lines, path_lines
    from ..opening import open_index

    with open_index(common.index_path, config=config) as index:
        reader = parse_labels(labels)
        if other is None:
            view = index.entity(name, reader)
            document, lines = view.to_json(), entity_lines(view)
        else:
            path = index.entity_path(name, other, reader)
            document, lines = path.to_json(), path_lines(path)
    if common.json:
        emit(document)
    else:
        say("\n".join(lines))
    return 0


@command("merge", short_help="Two names mean one thing.")
@click.argument("first")
@click.argument("second")
def merge(common: Common, first: str, second: str) -> int:
    """Take the names FIRST and SECOND for one entity from now on; later builds keep to it.

    One name twice joins what goes by that name: `treegraph graph merge P-12 P-12`.
    """
    from ...indexer.names import form

    if form(first) and form(first) == form(second):
        _note_single(common, first)
        return _edit(common, lambda edits: edits.merge(first, second), first)
    return _edit(common, lambda edits: edits.merge(first, second), first, second)


@command("split", short_help="A name means nothing that other names mean.")
@click.argument("name")
@click.option("--by-document", is_flag=True, help="It means another thing in every document, too.")
def split(common: Common, name: str, by_document: bool) -> int:
    """Take NAME for an entity of its own from now on; later builds keep to it."""
    return _edit(common, lambda edits: edits.split(name, "document" if by_document else "name"), name)


@command("edits", short_help="The merges and splits made by hand.")
@click.option("--undo", type=click.IntRange(1), metavar="N", help="Take back the edit with this number.")
def edits(common: Common, undo: int | None) -> int:
    """List the merges and splits made by hand, numbered, or take one back."""
    from ..graph_edits import graph_edits

    known = graph_edits(common.index_path)
    listed: list[Merge | Split] = [*known.merges, *known.splits]
    if undo is not None:
        if undo > len(listed):
            raise click.UsageError(f"there are {len(listed)} edits; see: treegraph graph edits")
        return _edit(common, lambda now: now.without(listed[undo - 1]))
    if common.json:
        emit({"schema": 1, "merges": [[m.first, m.second] for m in known.merges],
              "splits": [[s.name, s.by] for s in known.splits]})  # fmt: skip
        return 0
    lines = [f"merge  {m.first}  {m.second}" for m in known.merges]
    lines += [f"split  {s.name}  (by {s.by})" for s in known.splits]
    say("\n".join(f"{number:3}  {line}" for number, line in enumerate(lines, start=1)) or "no edits by hand")
    return 0


for _each in (show_entity, merge, split, edits):
    graph.add_command(_each)


def _edit(common: Common, change: Callable[[Edits], Edits], *names: str) -> int:
    """Make an edit, which is about these ``names``."""
    config = common.effective().config
    from ..graph_edits import edit_graph

    with cancelled_by_interrupt(common) as cancel, progress("graph", common.quiet) as listen:
        report = edit_graph(common.index_path, change, config=config, on_event=listen, cancel=cancel)
    if common.json:
        emit(report.to_json())
    elif report.generation is None:
        note("treegraph: that changes nothing")
    else:
        counts = f"{report.entities or 0:,} entities, {report.relations or 0:,} relations"
        say(f"generation {report.generation}: {counts}")
    _note_unknown(common, names)
    return 0


def _note_single(common: Common, name: str) -> None:
    """Say so where one entity alone goes by ``name`` already."""
    from ...indexer.errors import TreegraphError
    from ..opening import open_index

    try:
        with open_index(common.index_path, config=common.effective().config) as index:
            single = not index.entity(name).others
    except TreegraphError:
        return  # the edit says what is wrong, or that there is no such name
    if single:
        note(f"treegraph: {name} is one entity already; the edit holds for what later builds find")


def _note_unknown(common: Common, names: Sequence[str]) -> None:
    """Say of which of ``names`` there is nothing: it may be misspelt."""
    if not names:
        return
    from ...indexer.errors import ConfigurationError
    from ..opening import open_index

    with open_index(common.index_path, config=common.effective().config) as index:
        for name in names:
            try:
                index.entity(name)
            except ConfigurationError as error:
                note(
                    f"treegraph: {error}; the edit is remembered until there is one, "
                    "or take it back with: treegraph graph edits --undo N"
                )
