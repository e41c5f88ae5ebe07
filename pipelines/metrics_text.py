"""Figures in the text format of Prometheus, version 0.0.4: what its textfile collector reads."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Gauge:
    """A family of samples: each a set of labels and a value. ``help`` is one sentence."""

    name: str
    help: str
    samples: Sequence[tuple[Mapping[str, str], float]]


def rendered(gauges: Iterable[Gauge], labels: Mapping[str, str]) -> str:
    """The families that have samples, with ``labels`` on every sample."""
    lines: list[str] = []
    for gauge in gauges:
        if gauge.samples:
            lines += [f"# HELP {gauge.name} {_help(gauge.help)}", f"# TYPE {gauge.name} gauge"]
            lines += [f"{gauge.name}{_labels({**labels, **own})} {_value(v)}" for own, v in gauge.samples]
    return "\n".join(lines) + "\n"


def replace_file(path: Path, text: str) -> None:
    """Put ``text`` in the place of a file in one step: who reads it sees the old or the new. Raises OSError,
    and then leaves the old one."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EEXIST, "it is there, and is no file", str(path))
    draft = path.parent / f".{path.name}.{os.getpid()}"  # no collector takes it for a file of metrics
    try:
        with draft.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def _labels(labels: Mapping[str, str]) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    whole = value.encode("utf-8", "backslashreplace").decode("utf-8")
    return whole.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def _help(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n")


def _value(value: float) -> str:
    if not isfinite(value):
        return "NaN" if isnan(value) else "+Inf" if value > 0 else "-Inf"
    return repr(int(value)) if value == int(value) else repr(float(value))
