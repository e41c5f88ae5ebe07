"""What ``treegraph eval`` and ``treegraph eval own`` both take: how to measure, and what to make of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .common import Common
from .flags import caps_options, llm_given

if TYPE_CHECKING:
    from ..config import Config
    from ..spending import Spending

_FILE = click.Path(path_type=Path, dir_okay=False)
_FOLDER = click.Path(path_type=Path, file_okay=False)
_OPTIONS = (
    click.option(
        "--compare",
        multiple=True,
        metavar="GRID",
        help='Configurations to compare: "chunk=structure,fixed fusion=adaptive,rrf".',
    ),
    click.option(
        "--against", type=_FILE, metavar="FILE", help="The --json of an earlier run; a loss is exit 5."
    ),
    click.option(
        "--tolerance",
        type=click.FloatRange(0, 1),
        default=0.005,
        show_default=True,
        help="How much a mean may fall before it is a loss.",
    ),
    click.option("--html", type=_FILE, metavar="FILE", help="Write a page with plots and every question."),
    click.option(
        "--work", type=_FOLDER, metavar="DIR", help="Keep indexes here (default: the cache folder)."
    ),
    click.option("--limit", type=click.IntRange(1), metavar="N", help="Ask a sample of N questions a part."),
    click.option("--seed", type=int, default=0, show_default=True, help="Chooses every sample."),
    click.option(
        "--budget",
        type=click.IntRange(1),
        show_default="2000; of answers [answer] budget",
        metavar="TOKENS",
        help="Tokens of evidence.",
    ),
    click.option("--slices/--no-slices", default=True, help="Show the metrics of kinds of questions."),
    click.option("--llm", metavar="MODEL@URL", help="The language model, for what needs one ([llm])."),
)
_ANSWERS = (
    click.option("--answers", is_flag=True, help="Measure answers (treegraph ask) instead of hits."),
    click.option(
        "--withhold",
        type=click.IntRange(1),
        metavar="N",
        help="With --answers: ask N questions also without their documents: what is refused then?",
    ),
    click.option(
        "--judge", metavar="MODEL@URL", help="With --answers: this model says which answers are right."
    ),
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The values of these options."""

    compare: tuple[str, ...]
    against: Path | None
    tolerance: float
    html: Path | None
    work: Path | None
    limit: int | None
    seed: int
    budget: int | None
    slices: bool
    llm: str | None
    answers: bool = False
    withhold: int | None = None
    judge: str | None = None
    spending: Spending | None = None

    def config(self, common: Common) -> Config:
        """The configuration, with the model of --llm. Raises ConfigurationError."""
        return common.effective(llm_given(self.llm)).config

    @property
    def work_folder(self) -> Path:
        """Where indexes and what is under way are kept."""
        from ...indexer.models.model_files import cache_folder

        return self.work or cache_folder() / "eval"


def measuring_options(function: Callable[..., int]) -> Callable[..., int]:
    """Add these options to a command's function, which gets them as a :class:`Wanted` after the Common;
    those of :func:`answer_options` too, where that stands below it."""

    @wraps(function)
    def call(common: Common, **values: Any) -> int:
        from ..spending import Caps, Spending

        caps = Caps(*(values.pop(name) for name in ("max_cost", "max_calls", "max_seconds")))
        given = {each.name: values.pop(each.name) for each in fields(Wanted) if each.name in values}
        wanted = Wanted(**given, spending=None if caps == Caps() else Spending(caps))
        return function(common, wanted, **values)

    for option in reversed(_OPTIONS):
        call = option(call)
    return caps_options(call)


def answer_options(function: Callable[..., int]) -> Callable[..., int]:
    """Add the options of measuring answers."""
    for option in reversed(_ANSWERS):
        function = option(function)
    return function
