"""A Ray cluster: the one that is named, or one on this machine for as long as it is needed."""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from ...indexer.error_lines import first_line
from ...indexer.errors import ConfigurationError, WorkError
from .settings import RunSettings

log = logging.getLogger(__name__)

_SHORT = "/tmp"
"""Where its folder is made: the paths of its sockets may have 107 bytes."""
_PREFIX = "treegraph-ray-"
_SECONDS = 5.0
"""For a cluster to take a connection."""
_STORE_BYTES = 512 * 1024**2
"""Room for what is on its way between processes; more goes to the disk."""


class RayCluster:
    """Connects to the cluster of ``settings``; ``workers`` are the processors to use of it. Where a program
    has connected to one already, that is taken, and stays. Raises ConfigurationError where Ray is not
    installed, WorkError where there is no cluster."""

    def __init__(self, settings: RunSettings) -> None:
        variables = {} if settings.address else _own_cluster()
        try:
            with _environment(variables):  # Ray reads how to authenticate when it is imported
                import ray
        except ImportError:
            raise ConfigurationError(
                '[run] engine = "ray" needs Ray: pip install \'treegraph[ray]\', or take engine = "local"'
            ) from None
        self._ray = ray
        self._folder: str | None = None
        self._ours = not ray.is_initialized()
        if self._ours:
            with _environment(variables), _own_signals():
                self._connect(settings)
        have = int(ray.cluster_resources().get("CPU", 0)) or 1
        self.workers = min(settings.workers or have, have)

    def has_this_code(self) -> dict[str, bool]:
        """Asks each node, by its address, whether treegraph is there as it is here."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        from .ray_tasks import code_of_node
        from .worker import code_of_workers

        here, asked = code_of_workers(), {}
        for node in self._ray.nodes():
            if node["Alive"]:
                place = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
                task = self._ray.remote(code_of_node).options(num_cpus=0, scheduling_strategy=place)
                asked[node["NodeManagerAddress"]] = task.remote()
        return {address: self._same(answer, here) for address, answer in asked.items()}

    def _same(self, answer: Any, here: str) -> bool:
        try:
            return bool(self._ray.get(answer) == here)
        except self._ray.exceptions.RayError:
            return False

    def close(self) -> None:
        """Leave the cluster; end it, with all that it kept on disk, where it was started here."""
        if self._ours and self._ray.is_initialized():
            self._ray.shutdown()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _connect(self, settings: RunSettings) -> None:
        # What Ray has to say goes to whoever handles logs, and without one not into the output.
        logging.getLogger("ray").addHandler(logging.NullHandler())
        asked: dict[str, Any] = {"log_to_driver": False, "configure_logging": False}
        if settings.address:
            _require_listening(settings.address)
            asked["address"] = settings.address
        else:
            # Of what documents say, nothing is to stay behind: the folder goes with the cluster.
            _drop_folders_of_killed()
            self._folder = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=_SHORT)
            asked |= {
                "num_cpus": settings.workers or os.cpu_count() or 1,
                "include_dashboard": False,
                "object_store_memory": _STORE_BYTES,
                "_temp_dir": self._folder,
            }
        try:
            self._ray.init(**asked)
            # It prints what becomes of workers, into standard output: results alone go there.
            self._ray._private.worker.print_to_stdstream = _log_said
        except (ConnectionError, RuntimeError, ValueError, OSError, TimeoutError) as error:
            self.close()
            where = f"the Ray cluster at {settings.address}" if settings.address else "a local Ray cluster"
            raise WorkError(
                f"{where} cannot be had: {first_line(error)}. Look at [run] address, or take --engine local"
            ) from error


def _log_said(data: Mapping[str, Any], **_: object) -> None:
    """Log what Ray's own processes say, the first sentence of each line."""
    for line in data["lines"]:
        log.warning("Ray: %s", line.strip().partition(". ")[0])


def _require_listening(address: str) -> None:
    """Where nobody listens, Ray itself asks again for many minutes."""
    host, _, port = address.rpartition(":")
    if not port.isdecimal():
        return
    try:
        socket.create_connection((host, int(port)), _SECONDS).close()
    except OSError as error:
        raise WorkError(
            f"no Ray cluster answers at {address} ({error.strerror or error}): start it (ray start --head), "
            "look at [run] address, or take --engine local"
        ) from error


def _own_cluster() -> dict[str, str]:
    """What Ray reads when it starts here: nothing is reported home, and nobody else has work done. A program
    that has imported Ray before has settled how it authenticates."""
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    return {"RAY_USAGE_STATS_ENABLED": "0", **({} if "ray" in sys.modules else token)}


def _drop_folders_of_killed() -> None:
    for folder in Path(_SHORT).glob(f"{_PREFIX}*-*"):
        owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdecimal() and not psutil.pid_exists(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Variables that are set while Ray starts, but for those that are set already."""
    added = {name: value for name, value in variables.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


@contextmanager
def _own_signals() -> Iterator[None]:
    """Ray puts a handler of its own for SIGTERM in the place of ours."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
