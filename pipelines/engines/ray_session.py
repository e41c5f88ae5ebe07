"""A build on a Ray cluster: its job, the desk that answers its workers, and calls of its tasks."""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeVar

import ray
from ray.exceptions import RayError, RaySystemError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from ...indexer.error_lines import first_line
from ...indexer.errors import Cancelled, WorkError
from ...indexer.models.in_place import InPlaceOf
from ...indexer.stores.ledger_runs import LedgerCallCache
from .job import EmbedderFace, Job, Raised
from .ray_cluster import RayCluster
from .ray_service import DriverService, HandlesLogs, TellsTotals
from .ray_tasks import RequestDesk
from .worker import code_of_workers

if TYPE_CHECKING:
    from ..building import Build

Item = TypeVar("Item")
_RETRIES = 3
"""Times that work is begun again whose worker died."""
_SHARE = 0.5
"""Processors that a task asks for. Files that wait for the embedder hold theirs, up to one a worker: so half
of them is always left for what the files wait for."""
_AHEAD = 16
"""Documents of one file that may wait for the driver."""
_ASKED = 100_000
"""Requests that may wait for the driver at once: with as many the desk takes no replies any more."""
_PATIENCE = 0.2
"""Seconds between two looks at whether to stop."""
_STOPPED = "stopped; what was done is kept"


class WorkerDied(Exception):
    """Work cost its worker's life every time that it was begun."""


class RaySession:
    """Has the workers of ``cluster`` do the work of ``build``, and answers them until it is closed."""

    def __init__(self, cluster: RayCluster, build: Build) -> None:
        self.workers = cluster.workers
        self._cancel = build.cancel
        self._running: set[Any] = set()
        self._tasks: dict[Callable[..., Any], Any] = {}
        models = build.models
        llm, vision = (models.llm() if build.asks_llm_of_chunks else None), models.vision()
        embedder = models.embedder() if models.embeds_here else None
        face = EmbedderFace.of(embedder) if embedder is not None else None
        job = Job(
            uuid.uuid4().hex,
            code_of_workers(),
            models.ocr_asked,
            build.config,
            build.readers.settings,
            InPlaceOf(llm) if llm is not None else None,
            InPlaceOf(vision) if vision is not None else None,
            face,
        )
        self._job = ray.put(job)
        self._desk = open_desk()
        ports = {
            "cache": LedgerCallCache(build.folder.ledger),
            "llm": llm,
            "vision": vision,
            "embedder": embedder,
            "pages": build.readings(),
            "images": build.folder.images,
            "told": TellsTotals(build.listen),
            "log": HandlesLogs(),
        }
        concurrency = sum(model.concurrency for model in (llm, vision, embedder) if model is not None)
        self._service = DriverService(self._desk, ports, concurrency, build.cancel)

    def close(self) -> None:
        """End what is still running, and answer nobody any more."""
        with ExitStack() as ending:
            ending.callback(ray.kill, self._desk)
            ending.callback(self._service.close)
            while self._running:
                ray.cancel(self._running.pop(), force=True)

    def shared(self, value: object) -> Any:
        """An argument of many tasks, sent to the cluster once."""
        return ray.put(value)

    def call(self, task: Callable[..., Any], *arguments: Any) -> Any:
        """What a task gives. Raises what it raised, Cancelled, and WorkerDied."""
        return self._result(self._begun(task, *arguments))

    def in_order(self, task: Callable[..., Any], items: Iterable[Item]) -> Iterator[tuple[Item, Any]]:
        """Each item with what a task gives of it, a few of them at once; WorkerDied in its place where it
        cost its workers' lives. Raises as :meth:`call` does."""
        waiting: deque[tuple[Item, Any]] = deque()
        for item in items:
            waiting.append((item, self._begun(task, item)))
            if len(waiting) > self.workers:
                yield self._next(waiting)
        while waiting:
            yield self._next(waiting)

    def stream(self, task: Callable[..., Any], *arguments: Any) -> Any:
        """Begin a task that gives its results one by one, for :meth:`streamed`."""
        options = {"num_returns": "streaming", "_generator_backpressure_num_objects": _AHEAD}
        return self._begun(task, *arguments, **options)

    def streamed(self, stream: Any) -> Iterator[Any]:
        """What a stream gives. Raises as :meth:`call` does."""
        while True:
            self._wait(stream)
            try:
                result = next(stream)
            except StopIteration:
                self._running.discard(stream)
                return
            yield self._value(result)

    def _begun(self, task: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        if task not in self._tasks:  # each is sent to the cluster once
            self._tasks[task] = ray.remote(task)
        remote = self._tasks[task].options(num_cpus=_SHARE, max_retries=_RETRIES, **options)
        begun = remote.remote(self._job, self._desk, *arguments)
        self._running.add(begun)
        return begun

    def _next(self, waiting: deque[tuple[Item, Any]]) -> tuple[Item, Any]:
        item, begun = waiting.popleft()
        try:
            return item, self._result(begun)
        except WorkerDied as error:
            return item, error

    def _result(self, begun: Any) -> Any:
        self._wait(begun)
        self._running.discard(begun)
        return self._value(begun)

    def _wait(self, begun: Any) -> None:
        while True:
            if self._cancel.is_set():
                raise Cancelled(_STOPPED)
            self._service.check()
            if ray.wait([begun], timeout=_PATIENCE)[0]:
                return

    def _value(self, result: Any) -> Any:
        try:
            value = ray.get(result)
        except RayTaskError as error:
            if isinstance(error, RaySystemError):
                what = str(error).strip().splitlines()[-1]
                raise WorkError(f"the workers cannot load what they were sent: {what}") from error
            raise  # a fault of ours, with its trace
        except RayError as error:
            if not ray.is_initialized():
                raise WorkError(f"the Ray cluster is gone: {error}; the same command goes on") from error
            raise WorkerDied(first_line(error)) from error
        if isinstance(value, Raised):
            raise value.error
        return value


def open_desk() -> Any:
    """A desk on this machine."""
    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    actor = ray.remote(RequestDesk).options(num_cpus=0, max_concurrency=_ASKED, scheduling_strategy=here)
    return actor.remote()
