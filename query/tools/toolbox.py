"""The tools of one reader: a call goes in, a page of what was found comes out, or what to try instead."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any
from zlib import crc32

from pydantic import ValidationError

from ...indexer.errors import GenerationGone, TreegraphError
from ..state import State
from .arguments import Arguments, input_schema, search_arguments
from .ask import Ask, ask_tool
from .cursor import Cursors, Place
from .documents import DOCUMENTS
from .graph import NEIGHBOURS, PATH
from .kept import ANSWERS_KEPT, KEPT, Kept
from .look import Look, look_tool
from .outline import OUTLINE
from .paging import Entry, Pager, Pictures, dump
from .pictures import sent
from .places import SENTENCE, TITLE, clip
from .read import READ
from .refusal import Refusal
from .search import SEARCH
from .tool import Desk, Tool

log = logging.getLogger(__name__)

TOOLS = (DOCUMENTS, OUTLINE, SEARCH, READ, NEIGHBOURS, PATH)
"""Those that need no model."""
AGAIN = (
    "repeat the call without the cursor, which costs a call of the model and may answer otherwise; search "
    "and read cost none"
)
"""What to do where a result is gone that is not found again unasked."""
TRIES = 3
"""How often a call is begun anew where the index moved on while it was answered."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a call: ``text`` is the JSON text of ``document``. ``failed`` says that it is an error:
    what was wrong, and what to try. ``pictures`` are PNG bytes of what it names as ``images``, as far as
    there is room."""

    text: str
    document: Entry
    failed: bool = False
    pictures: tuple[bytes, ...] = ()


def tools_of(
    route: str = "auto", k: int = 10, ask: Ask | None = None, look: Look | None = None
) -> tuple[Tool, ...]:
    """The tools, in the order in which an agent looks around; ``route`` and ``k`` hold where it does not
    choose. There is one to ``look`` and one to ``ask`` only where that is given."""
    chosen = search_arguments(route, k)
    tools = tuple(replace(tool, arguments=chosen) if tool is SEARCH else tool for tool in TOOLS)
    return (*tools, *([look_tool(look)] if look else []), *([ask_tool(ask)] if ask else []))


class Toolbox:
    """Answers calls of ``tools`` for one reader, each within about ``tokens`` tokens. Safe from several
    threads."""

    def __init__(self, desk: Desk, tokens: int, tools: Sequence[Tool] = TOOLS) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self._desk = desk
        self._pager = Pager(tokens)
        self._cursors = Cursors()
        self._kept = {False: Kept(KEPT), True: Kept(ANSWERS_KEPT)}

    def call(self, name: str, arguments: Mapping[str, Any]) -> Reply:
        """Call the tool ``name``, which there must be. A failure becomes a reply that says what to try."""
        trace, begin = secrets.token_hex(4), perf_counter()
        try:
            reply = self._answer(self.tools[name], arguments, trace)
        except Refusal as refusal:
            reply = self._failed(refusal, trace)
        except GenerationGone:
            reply = self._failed(Refusal("nothing is in this index yet", "try again later"), trace)
        except TreegraphError as error:
            # What these say is for whoever keeps the index: it may name files and servers.
            log.warning("%s failed (trace %s): %s", name, trace, error)
            reply = self._failed(_unavailable(error.reason, trace), trace)
        except Exception as error:
            # The outer edge: an agent gets a reply whatever a bug raises, and the log has the rest.
            log.error("%s failed (trace %s): %r", name, trace, error, exc_info=error)
            reply = self._failed(_unavailable("internal error", trace), trace)
        log.info("%s (trace %s) took %.3f s", name, trace, perf_counter() - begin)
        return reply

    def _answer(self, tool: Tool, arguments: Mapping[str, Any], trace: str) -> Reply:
        """One page of one generation: a call during which another is published is begun anew."""
        asked, index = _checked(tool, arguments), self._desk.index
        for _ in range(TRIES):
            len(index.documents)  # moves along first, where something was published
            state = index.state
            if state is None or state.generation is None:
                raise GenerationGone("nothing is published in this index")
            try:
                start = Place(state.generation, _mark(state))
                document, pictures = self._page(tool, asked, state, start)
                seen = sent(document, pictures)
            except (Refusal, TreegraphError):
                if state == index.state:
                    raise
                continue  # what it was after may have gone with its generation
            if state == index.state:
                reply = _reply({"generation": state.generation, "trace": trace, **document})
                return replace(reply, pictures=seen)
        raise Refusal("the index is changing just now", "try again in a moment")

    def _page(self, tool: Tool, asked: Arguments, state: State, start: Place) -> tuple[Entry, Pictures]:
        """The page of ``state`` that was asked for; ``start`` is where the first begins."""
        call = f"{tool.name} {asked.call}"
        place = self._cursors.open(asked.cursor, call) if asked.cursor else start
        if (place.generation, place.mark) != (start.generation, start.mark):
            same = place.generation == start.generation
            moved = f"moved from generation {place.generation} to {start.generation}"
            raise Refusal(
                f"the index has {'been replaced by another' if same else moved}, and this cursor is of the "
                "former",
                "repeat the call without the cursor: the documents may have changed",
            )
        key, kept = (call, state), self._kept[tool.dear]
        found = kept.get(key) if asked.cursor else None
        if found is None:
            if asked.cursor and tool.dear:
                raise Refusal("the result that this cursor goes on in is no longer kept", AGAIN)
            found = tool.run(self._desk, asked)
            if state == self._desk.index.state:
                kept.put(key, found)
        page = self._pager.page(found, place.item, place.offset)
        if page.rest is None:
            return page.document, found.pictures
        more = self._cursors.seal(replace(start, item=page.rest[0], offset=page.rest[1]), call)
        return {"more": more, **page.document}, found.pictures

    def _failed(self, refusal: Refusal, trace: str) -> Reply:
        document = {
            "generation": self._desk.index.generation,
            "trace": trace,
            "error": refusal.message,
            "try": refusal.advice,
        }
        return _reply(document, failed=True)


def _mark(state: State) -> int:
    """A number that another state of the same generation hardly has."""
    return crc32(f"{state.index_id} {state.built}".encode())


def _reply(document: Entry, failed: bool = False) -> Reply:
    text = dump(document)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # lone surrogates, from file names that are not UTF-8
        text = text.encode("utf-8", "replace").decode("utf-8")
        document = json.loads(text)
    return Reply(text, document, failed)


def _unavailable(reason: str, trace: str) -> Refusal:
    return Refusal(
        f"the index could not answer ({reason})",
        f"try again, or another tool; whoever keeps the server finds the reason in its log under {trace}",
    )


def _checked(tool: Tool, arguments: Mapping[str, Any]) -> Arguments:
    """The arguments, as they must be; a null stands for one that is left out. Raises Refusal that names each
    one that is not."""
    given = {name: value for name, value in arguments.items() if value is not None}
    try:
        return tool.arguments.model_validate(given)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False, include_input=False)
    schema = input_schema(tool.arguments)
    needed = schema.get("required", ())
    names = [f"{name} (needed)" if name in needed else name for name in schema["properties"]]
    wrong = []
    for problem in problems[:5]:
        where = clip(".".join(str(part) for part in problem["loc"]), TITLE)
        unknown = problem["type"] == "extra_forbidden"
        wrong.append(f"{where}: {'there is no such argument' if unknown else problem['msg']}")
    raise Refusal(clip("; ".join(wrong), SENTENCE), f"{tool.name} takes {', '.join(names)}")
