"""What Ray runs: the tasks of workers, and the desk over which workers ask the driver.

Tasks are idempotent, so that Ray may run one again where a worker died. An error of ours comes back as a
value.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import ray

from ...indexer.errors import TreegraphError, WorkError
from ...indexer.graph.extraction import Passage
from ..preparation import FileOrder
from .engine import FileTerms
from .job import Job, Raised
from .worker import Worker, code_of_workers

Result = TypeVar("Result")
_WORKERS: dict[str, Worker] = {}
"""The worker of this process, by its job: there is one at a time."""


@dataclass(frozen=True, slots=True)
class Request:
    """A call that a worker has the driver make."""

    number: int
    port: str
    method: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """What the driver's call gave, or raised."""

    value: Any = None
    error: Exception | None = None


class RequestDesk:
    """Where workers leave their requests and the driver its replies; an actor."""

    def __init__(self) -> None:
        self._requests: asyncio.Queue[Request] = asyncio.Queue()
        self._waiting: dict[int, asyncio.Future[Reply]] = {}
        self._count = 0

    async def ask(self, port: str, method: str, arguments: tuple[Any, ...]) -> Reply:
        """The driver's reply, once it is there."""
        self._count += 1
        request = Request(self._count, port, method, arguments)
        reply = self._waiting[request.number] = asyncio.get_running_loop().create_future()
        await self._requests.put(request)
        try:
            answered: Reply = await reply
            return answered
        finally:
            del self._waiting[request.number]

    async def take(self, patience: float) -> list[Request]:
        """All requests that nobody took, after at most so many seconds without one."""
        try:
            taken = [await asyncio.wait_for(self._requests.get(), patience)]
        except TimeoutError:
            return []
        while not self._requests.empty():
            taken.append(self._requests.get_nowait())
        return taken

    async def answer(self, number: int, reply: Reply) -> None:
        """Hand a reply to whoever waits for it, if they still do."""
        future = self._waiting.get(number)
        if future is not None and not future.done():
            future.set_result(reply)


def prepare_file(job: Job, desk: Any, terms: FileTerms, order: FileOrder) -> Iterator[Any]:
    """Streams what :meth:`.worker.Worker.prepared` gives."""
    try:
        yield from _worker(job, desk).prepared(terms, order)
    except TreegraphError as error:
        yield Raised(error)


def code_of_node() -> str:
    """See :func:`.worker.code_of_workers`."""
    return code_of_workers()


def describe_encoders(job: Job, desk: Any) -> Any:
    """See :meth:`.worker.Worker.encoders`."""
    return _valued(lambda: _worker(job, desk).encoders())


def embed_texts(job: Job, desk: Any, texts: Sequence[str]) -> Any:
    """See :meth:`.worker.Worker.embed`."""
    return _valued(lambda: _worker(job, desk).embed(texts))


def encode_texts(job: Job, desk: Any, texts: Sequence[str], languages: Sequence[str | None]) -> Any:
    """See :meth:`.worker.Worker.encode`."""
    return _valued(lambda: _worker(job, desk).encode(texts, languages))


def extract_passages(job: Job, desk: Any, passages: Sequence[Passage]) -> Any:
    """See :meth:`.worker.Worker.extracted`."""
    return _valued(lambda: _worker(job, desk).extracted(passages))


def _valued(work: Callable[[], Result]) -> Result | Raised:
    try:
        return work()
    except TreegraphError as error:
        return Raised(error)


def _worker(job: Job, desk: Any) -> Worker:
    if job.id not in _WORKERS:
        for other in _WORKERS.values():
            other.close()
        _WORKERS.clear()

        def ask(port: str, method: str, *arguments: Any) -> Any:
            try:
                reply = ray.get(desk.ask.remote(port, method, arguments))
            except ray.exceptions.RayActorError as error:
                raise WorkError(f"the driver does not answer its workers any more: {error}") from error
            if reply.error is not None:
                raise reply.error
            return reply.value

        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        _WORKERS[job.id] = Worker(job, ask)
    return _WORKERS[job.id]
