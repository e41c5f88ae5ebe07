"""How long searches take, by route and by the number of clients that ask at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import count
from os import PathLike
from pathlib import Path
from typing import Any

from ...indexer.errors import Cancelled, ConfigurationError, GenerationGone, RouteUnavailable
from ...indexer.stores.folder import IndexFolder
from ...query.index import Index
from ...query.routes import ROUTES, decide
from ..config import Config
from ..events import Event, Listener, ignore_events
from ..opening import index_path, open_index
from .sampled import read_questions, sample_questions
from .search_report import SearchBench, Spread, Timing

CLIENTS = (1, 4, 16)
SAMPLE = 200
"""Questions made of the index's own text where none are given."""
_WARM_UP = "loads what is loaded at the first question"


def bench_search(
    index: str | PathLike[str] | None = None,
    questions: Path | None = None,
    *,
    clients: Sequence[int] = CLIENTS,
    routes: Sequence[str] | None = None,
    sample: int = SAMPLE,
    seed: int = 0,
    config: Config | None = None,
    embedder: Any = None,
    on_event: Listener | None = None,
    cancel: threading.Event | None = None,
) -> SearchBench:
    """Ask ``questions`` (a JSONL file with a ``text`` a line) by every route that the index can answer.

    Without a file the questions are a seeded sample of ``sample`` made of the index's own chunks. Each is
    asked once for the first time, and then once more by every number of ``clients`` at a time. A question
    gets one more space at its end each time, so that no embedder answers from memory. Raises
    ConfigurationError, and what opening and searching raise.
    """
    _check(clients, sample)
    path, listen = index_path(index), on_event or ignore_events
    with closing(IndexFolder.open(path)) as folder:
        published = folder.manifest().published
        if published is None:
            raise GenerationGone(f"nothing is published in {path} yet; build it: treegraph build SOURCE...")
        texts = read_questions(questions) if questions else sample_questions(folder, published, sample, seed)
    began = time.monotonic()
    with open_index(path, config=config, embedder=embedder) as opened:
        opened.search(_WARM_UP, rerank=False)
        opening = time.monotonic() - began
        status = opened.status()
        asked, left_out = _routes(routes, status["structures"])
        asking = _Asking(opened, texts, listen, cancel or threading.Event())
        timings = [timing for route in asked for timing in asking.route(route, clients)]
    return SearchBench(
        index=str(path),
        generation=status["generation"],
        chunks=status["chunks"],
        documents=status["documents"],
        embedder=status["models"]["embedder"],
        questions=len(texts),
        sampled=questions is None,
        opening=opening,
        timings=tuple(timings),
        left_out=left_out,
    )


class _Asking:
    """Asks the same questions again and again."""

    def __init__(
        self, index: Index, questions: Sequence[str], listen: Listener, cancel: threading.Event
    ) -> None:
        self._index, self._questions = index, questions
        self._listen, self._cancel = listen, cancel
        self._passes = count()

    def route(self, route: str, clients: Sequence[int]) -> list[Timing]:
        """The first time, and then by each number of clients."""
        return [self._pass(route, 1, False), *(self._pass(route, number, True) for number in clients)]

    def _pass(self, route: str, clients: int, warmed: bool) -> Timing:
        padding = " " * next(self._passes)
        stage = f"{route}, {clients} at a time" if warmed else f"{route}, first time"
        done = count(1)

        def ask(question: str) -> Mapping[str, float]:
            if self._cancel.is_set():
                raise Cancelled("stopped; the same command begins this benchmark anew")
            seconds = self._index.search(question + padding, route=route, rerank=False).seconds
            self._listen(Event(stage, next(done), len(self._questions), "searches"))
            return seconds

        began = time.monotonic()
        with ThreadPoolExecutor(clients) as pool:
            seconds = list(pool.map(ask, self._questions))
        return _timing(route, clients, warmed, seconds, time.monotonic() - began)


def _timing(
    route: str, clients: int, warmed: bool, seconds: Sequence[Mapping[str, float]], wall: float
) -> Timing:
    return Timing(
        route=route,
        clients=clients,
        warmed=warmed,
        searches=len(seconds),
        per_second=len(seconds) / wall,
        total=Spread.of([each["total"] for each in seconds]),
        without_embedding=Spread.of([each["total"] - each["embed"] for each in seconds]),
        embedding=Spread.of([each["embed"] for each in seconds]),
    )


def _routes(wanted: Sequence[str] | None, structures: Mapping[str, int]) -> tuple[list[str], dict[str, str]]:
    """The routes to measure, and why not the others. Raises ConfigurationError for an unknown one that was
    asked for, RouteUnavailable for one that is not built."""
    measured: list[str] = []
    left_out: dict[str, str] = {}
    for route in wanted or [route for route in ROUTES if route != "auto"] + ["auto"]:
        try:
            decision = decide(route, structures)
        except RouteUnavailable as error:
            if wanted is not None:
                raise
            left_out[route] = str(error).partition(",")[0]
            continue
        if wanted is None and route == "auto" and len(decision.used) == 1 and decision.used[0] in measured:
            left_out[route] = f"it is {decision.used[0]} here: {decision.why}"
        else:
            measured.append(route)
    return measured, left_out


def _check(clients: Sequence[int], sample: int) -> None:
    if not clients or min(clients) < 1:
        raise ConfigurationError("clients are numbers from 1 on, as 1,4,16")
    if sample < 1:
        raise ConfigurationError("the sample has at least 1 question")
