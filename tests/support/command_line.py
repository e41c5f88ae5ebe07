"""Runs the command line, in this process or in one of its own, and checks what it writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from treegraph.pipelines.cli.app import run

COMMAND = [sys.executable, "-m", "treegraph.pipelines.cli"]


@dataclass(frozen=True)
class Done:
    """A finished command line: exit code, stdout, stderr."""

    code: int
    out: str
    err: str

    def json(self, schema: str) -> Any:
        """The one JSON document on stdout, checked against the schema of that name."""
        document = json.loads(self.out)
        validate(schema, document)
        return document


def validate(name: str, document: object) -> None:
    """Hold a document against the schema that is shipped under ``name``."""
    text = (resources.files("treegraph.pipelines") / "schemas" / f"{name}.schema.json").read_text("utf-8")
    Draft202012Validator(json.loads(text)).validate(document)


def environment(**extra: str) -> dict[str, str]:
    """The process's environment without our variables (but for the cache of models), and ``extra``."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TREEGRAPH_")}
    if "TREEGRAPH_CACHE" in os.environ:
        kept["TREEGRAPH_CACHE"] = os.environ["TREEGRAPH_CACHE"]
    return kept | extra


def treegraph(folder: Path, *arguments: str, env: Mapping[str, str] | None = None) -> Done:
    """Run the command line in a process of its own, in ``folder``."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder,
        env=env or environment(),
        capture_output=True,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


class Here:
    """Runs command lines in this process, in the folder ``path``."""

    def __init__(self, path: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.path = path
        self._capture = capture

    def __call__(self, *arguments: str) -> Done:
        self._capture.readouterr()
        code = run(arguments)
        captured = self._capture.readouterr()
        return Done(code, captured.out, captured.err)

    @classmethod
    def entered(
        cls, folder: Path, monkeypatch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]
    ) -> Here:
        """Go to ``folder``, with none of our variables set."""
        monkeypatch.chdir(folder)
        for name in set(os.environ) - set(environment()):
            monkeypatch.delenv(name)
        return cls(folder, capture)
