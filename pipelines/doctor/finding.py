"""What a look at one part found, and the diagnosis of all parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

State = Literal["ok", "warning", "failed", "not configured"]


class Finding(NamedTuple):
    """How one part stands: its ``state``, what was ``found`` of it, and what to ``do``; empty for nothing."""

    state: State
    found: str
    do: str = ""


def fine(found: str, do: str = "") -> Finding:
    """It works."""
    return Finding("ok", found, do)


def doubtful(found: str, do: str) -> Finding:
    """It works, and may not always, or not as one would think."""
    return Finding("warning", found, do)


def failing(found: str, do: str) -> Finding:
    """It is needed, and does not work."""
    return Finding("failed", found, do)


def absent(found: str, do: str = "") -> Finding:
    """It is not there and nothing asks for it."""
    return Finding("not configured", found, do)


@dataclass(frozen=True, slots=True)
class Check:
    """What was found of the part ``name``, after so many ``seconds``. ``do`` says what to do about it, where
    there is anything to do."""

    name: str
    state: State
    found: str
    do: str
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """The check as JSON values."""
        return {
            "name": self.name,
            "state": self.state,
            "found": self.found,
            "do": self.do,
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """How all parts stand. ``ok``: nothing that is needed failed."""

    index: str
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing that is needed failed; warnings do not count."""
        return all(check.state != "failed" for check in self.checks)

    def to_json(self) -> dict[str, Any]:
        """The diagnosis as JSON values, schema 1."""
        checks = [check.to_json() for check in self.checks]
        return {"schema": 1, "index": self.index, "ok": self.ok, "checks": checks}
