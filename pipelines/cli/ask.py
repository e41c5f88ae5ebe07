"""``treegraph ask``: an answer to a question, each sentence with the page that it stands on."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .common import Common, command
from .flags import caps_options
from .output import emit, note, show
from .search import parse_labels, question_text, search

if TYPE_CHECKING:
    from ...query.answer.result import Answer
    from ..config_layers import Given, Key

NOT_FOUND = 4
"""Exit code: the documents do not say."""
_AS_IN_SEARCH = ("k", "route", "labels", "filters", "sources", "as_of", "explain", "deadline")


@command("ask", short_help="An answer in sentences, each with its page.")
@click.argument("question")
@click.option("--llm", metavar="MODEL@URL", help="Let this model write the answer ([llm]).")
@click.option("--language", metavar="CODE", help="The language of a model's answer ([answer] language).")
@click.option(
    "--budget", type=click.IntRange(min=50), metavar="N", help="Tokens of evidence ([answer] budget)."
)
@click.option("--agentic", is_flag=True, help="Let the model say what is missing, and search in rounds.")
@click.option(
    "--history",
    "history",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="What was asked and answered before: JSON turns, or an earlier ask --json; may be repeated.",
)
@caps_options
def ask(
    common: Common,
    question: str,
    llm: str | None,
    language: str | None,
    budget: int | None,
    agentic: bool,
    history: tuple[Path, ...],
    labels: str | None,
    filters: tuple[str, ...],
    sources: tuple[str, ...],
    as_of: datetime | None,
    explain: bool,
    deadline: float | None,
    max_cost: float | None,
    max_calls: int | None,
    max_seconds: float | None,
    **flags: Any,
) -> int:
    """Answer QUESTION from the documents, each sentence with file, page and section.

    With a model (--llm, or [llm] in the configuration) the answer is written by it, from passages that are
    found here, and what it says is held against them. Without one it is an extract: the sentences of the
    documents that bear most on the question. Where the documents do not say, the exit code is 4. With
    --agentic the model judges what was found and names further searches; -v or --explain shows them.
    """
    config = common.effective(_given(llm, {**flags, "language": language, "budget": budget})).config
    from ..opening import open_index
    from .answers import Streaming, render_answer
    from .turns import read_turns

    turns = [turn for file in history for turn in read_turns(file)]
    streaming = Streaming() if sys.stdout.isatty() and not common.json else None
    with open_index(
        common.index_path,
        config=config,
        max_cost=max_cost,
        max_calls=max_calls,
        max_seconds=max_seconds,
    ) as index:
        answer = index.ask(
            question_text(question),
            k=config.search.k,
            route=config.search.route,
            labels=parse_labels(labels),
            filters=filters,
            sources=sources,
            as_of=as_of.date() if as_of else None,
            history=turns,
            agentic=agentic,
            on_text=streaming,
            deadline=deadline,
            explain=explain,
        )
    if streaming:
        streaming.end()
    _remark(answer, streaming)
    if common.json:
        emit(answer.to_json())
    else:
        shown = streaming is not None and streaming.text == answer.text
        show(*render_answer(answer, shown, steps=explain or common.verbose > 0))
    return 0 if answer.found else NOT_FOUND


_after = [parameter.name for parameter in ask.params].index("question") + 1
ask.params[_after:_after] = [parameter for parameter in search.params if parameter.name in _AS_IN_SEARCH]


def _remark(answer: Answer, streaming: Any) -> None:
    """Say on stderr what was done without."""
    for step in answer.result.degraded:
        if step == "llm":
            note(f"treegraph: this is an extract of the documents, since the model failed: {answer.failure}")
        else:
            note(f"treegraph: done without {step} (-v shows why)")
    if streaming is not None and streaming.text and streaming.text != answer.text:
        note("treegraph: what was shown so far is not the answer; this is:")


def _given(llm: str | None, flags: Mapping[str, object]) -> dict[Key, Given]:
    from ..config_layers import Given
    from .flags import llm_given

    tables = {"k": "search", "route": "search", "language": "answer", "budget": "answer"}
    given: dict[Key, Given] = {
        (tables[key], key): Given(value, "flag", "-k" if key == "k" else f"--{key}")
        for key, value in flags.items()
        if value is not None
    }
    return given | llm_given(llm)
