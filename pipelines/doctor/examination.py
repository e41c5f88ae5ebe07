"""All looks, in the order in which one would ask: what is installed, the machine, the index, the models."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ...indexer.errors import ConfigurationError
from ..config import Config, Effective, load_config
from ..events import Event, Listener, ignore_events
from ..loading_models import Models
from ..opening import index_path
from .finding import Check, Diagnosis
from .looking import Look, looked_at

SECONDS = 10.0


def doctor(
    index: str | os.PathLike[str] | None = None,
    *,
    configure: Callable[[], Effective] = load_config,
    seconds: float = SECONDS,
    calls: bool = True,
    only: Sequence[str] = (),
    on_event: Listener | None = None,
    cancel: threading.Event | None = None,
) -> Diagnosis:
    """Look at everything that the index in the folder ``index`` needs, and say how it stands and what to do.

    Python and packages, machine, index, configuration (which ``configure`` reads; what is wrong with it is
    found, not raised), each model asked one small thing, and a round trip to each service that is configured,
    of one attempt that waits ``seconds`` for its answer. Without ``calls`` no language or vision model is
    called: that may cost a few tokens. ``only`` names the checks to make. Nothing is written but empty files
    that are gone at once, and what models make of themselves when they are first loaded. Raises Cancelled,
    and ConfigurationError for ``seconds`` that are none and names that no check has.
    """
    if not seconds > 0:
        raise ConfigurationError(f"seconds must be above 0, not {seconds}")
    path = index_path(index)
    looks = _named(list(_looks(path, configure, seconds, calls)), only)
    listen = on_event or ignore_events
    done: list[Check] = []
    for check in looked_at(looks, seconds, cancel or threading.Event()):
        done.append(check)
        listen(Event("doctor", len(done), len(looks), "checks", check.name))
    return Diagnosis(str(path), tuple(done))


def _named(looks: list[Look], only: Sequence[str]) -> list[Look]:
    """Those of ``looks`` that are asked for, all where none is. Raises ConfigurationError."""
    known = {look.name.lower() for look in looks}
    unknown = sorted(name for name in only if name.lower() not in known)
    if unknown:
        names = ", ".join(look.name for look in looks)
        raise ConfigurationError(f"there is no check named {', '.join(unknown)}; there are: {names}")
    wanted = {name.lower() for name in only} or known
    return [look for look in looks if look.name.lower() in wanted]


def _looks(path: Path, configure: Callable[[], Effective], seconds: float, calls: bool) -> Iterator[Look]:
    from .encoders import encoders
    from .environment import environment
    from .index_folder import index_folder
    from .machine import machine
    from .services import services
    from .settings import settings, unread

    effective: Effective | None
    try:
        effective, problem = configure(), ""
    except ConfigurationError as error:
        effective, problem = None, str(error)
    except OSError as error:
        effective, problem = None, f"{error.filename} cannot be read: {error.strerror}"
    config = effective.config if effective else Config()
    models = Models(config)
    yield from environment(config)
    yield from machine(path)
    yield from settings(effective, models) if effective else [unread(problem)]
    yield from index_folder(path)
    yield from encoders(config, models, path)
    yield from services(config, path, seconds, calls)
