"""The prompts of evaluations: packaged files, each with a version."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from ...indexer.prompts import Prompt


@cache
def packaged_prompt(package: str, name: str) -> Prompt:
    """The prompt of that name in ``prompts/`` of a package. Its file begins ``version: N`` and a line
    ``---``."""
    text = files(package).joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")
    head, _, template = text.partition("\n---\n")
    return Prompt(name, f"{name}-{head.removeprefix('version:').strip()}", template)
