"""Builds in processes of their own (``slow_build.py``) that run to their end, or are killed on the way."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

SCRIPT = Path(__file__).parent / "slow_build.py"


def slow_build(source: Path, index: Path, delay: float = 0.01) -> subprocess.Popen[str]:
    """A build that writes the stages that it gets to on its stdout."""
    command = [sys.executable, str(SCRIPT), str(source), str(index), str(delay)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(source: Path, index: Path) -> None:
    """Build to the end, without delay."""
    process = slow_build(source, index, 0.0)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors


def killed_in(stage: str, source: Path, index: Path, rng: random.Random, most: float) -> None:
    """Build, and kill it at most ``most`` seconds after ``stage`` began, or once it is done."""
    process = slow_build(source, index)
    assert process.stdout is not None
    for line in process.stdout:
        if line == f"{stage}\n":
            break
    time.sleep(rng.uniform(0.0, most))
    process.kill()
    process.communicate()
