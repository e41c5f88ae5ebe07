"""``treegraph eval``: how well an index answers, on a labelled set or on one's own documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from .common import Command, Common, command
from .evaluate_options import Wanted, answer_options, measuring_options
from .evaluate_routes import routes

OWN, ROUTES = "own", "routes"
"""What stands in the place of a set to have questions made, or routes compared; a folder of that name is
``./own``."""


class _WithOwn(Command):
    """``eval SET``; ``eval own SOURCE...`` and ``eval routes SET...`` have options of their own."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the command that the first argument asks for."""
        at = _first_argument(args, [*self.params, *own.params, *routes.params])
        for name, other in {OWN: own, ROUTES: routes}.items():
            if at is not None and args[at] == name:
                return other.make_context(f"{info_name} {name}", args[:at] + args[at + 1 :], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


def _first_argument(args: Sequence[str], params: Iterable[click.Parameter]) -> int | None:
    """Where the first argument stands that is neither an option nor an option's value."""
    options = [param for param in params if isinstance(param, click.Option)]
    valued = {name for option in options if not (option.is_flag or option.count) for name in option.opts}
    at = 0
    while at < len(args):
        if not args[at].startswith("-"):
            return at
        at += 2 if args[at] in valued else 1
    return None


@command("eval", cls=_WithOwn, short_help="Measure how well an index answers labelled questions.")
@click.argument("chosen", metavar="SET", type=click.Path(path_type=Path))
@click.option(
    "--pdfs", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Where the PDFs are."
)
@measuring_options
@answer_options
def evaluation(common: Common, wanted: Wanted, chosen: Path, pdfs: Path | None) -> int:
    """Ask the questions of SET, and say how well an index of its documents answers them.

    SET is a folder with corpus.jsonl, queries.jsonl and qrels.tsv; or with PDFs in pdf/ (or --pdfs) and
    queries.jsonl, whose lines name a PDF and 0-based pages (page0, pages0); or a .jsonl of such lines.
    Indexes are built for it and kept for the next time; -i measures an index that is there, as it is.

    With --answers what treegraph ask says is measured: against the answers in the set (answer, aliases),
    and by what it cites. --compare "ask=extract,single,agentic" shows what a model buys.

    \b
    treegraph eval own SOURCE...   makes the questions from your own documents (eval own --help)
    treegraph eval routes SET...   what choosing a route for each question buys (eval routes --help)
    """
    from ..evaluation.sets.reading import read_set
    from .evaluate_run import measure

    config = wanted.config(common)
    return measure(common, wanted, config, read_set(chosen, pdfs))


@command("own", short_help="Measure on questions made from your own documents.")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--questions", metavar="index,captions,...", help="Which kinds of questions (default: all that can be)."
)
@click.option("--save", type=click.Path(path_type=Path), metavar="DIR", help="Write them as a set, to edit.")
@click.option(
    "--per-kind", type=click.IntRange(1), default=200, show_default=True, help="The most of each kind."
)
@click.option(
    "--titles",
    type=click.Choice(["withheld", "indexed"]),
    default="withheld",
    show_default=True,
    help="Whether titles that scope questions ask for are kept from the index.",
)
@click.option("--only-questions", is_flag=True, help="Make the questions, and measure nothing.")
@measuring_options
@answer_options
def own(
    common: Common,
    wanted: Wanted,
    sources: tuple[str, ...],
    questions: str | None,
    save: Path | None,
    per_kind: int,
    titles: str,
    only_questions: bool,
) -> int:
    """Make questions from the documents in each SOURCE, and say how well an index of them answers those.

    They come from what authors left: the printed index, captions, defined terms, cross-references, and
    sections taken out of the outline before it is indexed (scope, scattered). With --llm a model also
    writes some. --save keeps them; treegraph eval DIR asks them again.
    """
    from ..evaluation.sets.reading import check_folder, write_set
    from .evaluate_own import make_questions, questions_only
    from .evaluate_run import checked, measure

    config = wanted.config(common)
    if not only_questions:
        checked(common, wanted, config)
    if save:
        check_folder(save)
    made = make_questions(common, wanted, config, sources, questions, per_kind)
    if save:
        write_set(made, save, seed=wanted.seed)
    if only_questions:
        return questions_only(common, made, save)
    if titles == "indexed":
        said = "titles that scope questions ask for are in the index, which flatters every figure of them"
        made = replace(made, notes=(*made.notes, said))
    return measure(common, wanted, config, made, titles=titles == "indexed")
