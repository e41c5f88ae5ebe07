"""Progress as values: the library tells, whoever listens decides how (or whether) to show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """One step of a long piece of work.

    ``done`` of ``total`` units (``unit`` is their plural, as ``documents``, ``pages``, ``chunks``,
    ``bytes``) of ``stage`` are finished; ``total`` is None as long as nobody knows it. ``item`` names
    what is being worked on, as a source. Within one (stage, unit) ``done`` never decreases.
    """

    stage: str
    done: int
    total: int | None = None
    unit: str = "documents"
    item: str | None = None


Listener = Callable[[Event], None]
"""Receives events, possibly from several threads; it must return quickly and not raise."""


def ignore_events(event: Event) -> None:
    """The listener that listens to nothing."""
