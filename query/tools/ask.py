"""``ask``: a finished answer, with what it rests on and what is doubtful about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from .arguments import AskArguments
from .listed import listed
from .paging import Entry, Found
from .places import NOTE, SENTENCE, TITLE, clip, filled, named_place
from .search import narrowing
from .shapes import Answer as AnswerShape
from .tool import Desk, Tool

if TYPE_CHECKING:
    from ..answer.result import Answer, Conflict

Ask = Callable[..., "Answer"]
"""``ask(question, labels=..., filters=..., sources=..., as_of=...)``, as :meth:`..index.Index.ask`."""


def ask_tool(ask: Ask) -> Tool:
    """The tool that answers by ``ask``, as the reader's."""
    return Tool(
        "ask",
        "Ask for an answer",
        "Give a finished answer from the documents, with its places as [1] and what is doubtful about it. It "
        "costs calls of a model and takes longer: search and read are cheaper, and show more.",
        AskArguments,
        AnswerShape,
        partial(_run, ask),
        dear=True,
    )


def _run(ask: Ask, desk: Desk, asked: AskArguments) -> Found:
    answer = ask(asked.question, labels=desk.labels, **narrowing(asked))
    head: Entry = {"note": NOTE, "found": answer.found, "grounded": answer.grounded}
    head |= filled(model=answer.model, degraded=list(answer.result.degraded))
    if not answer.found:
        head["hint"] = "read the places nearest to the question, or search with other words"
    entries = [{"kind": "answer", "text": answer.text}, *_told(answer)]
    return Found(head, "parts", [partial(dict, entry) for entry in entries], first=listed(answer.result))


def _told(answer: Answer) -> Iterator[Entry]:
    """What is doubtful, where editions differ, and the places."""
    for sentence in answer.sentences:
        if sentence.flags:
            flags = [clip(flag, SENTENCE) for flag in sentence.flags]
            yield {"kind": "doubt", "text": sentence.text, "flags": flags}
    for conflict in answer.conflicts:
        yield {"kind": "conflict", "editions": _editions(conflict)}
    for mark, citation in enumerate(answer.citations, start=1):
        yield {"kind": "place", "mark": mark, **named_place(citation)}
    for citation in answer.nearest:
        yield {"kind": "nearest", **named_place(citation)}


def _editions(conflict: Conflict) -> dict[str, str]:
    """What each edition says, by its name, its date or its source."""
    return {
        clip(one.edition or str(one.valid_from or one.citation.source), TITLE): clip(one.text, SENTENCE)
        for one in conflict.statements
    }
