"""The packaged prompts: files in ``prompts/``, each with a version that is part of the call cache's key."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template

from .models.call_cache import call_key

PASSAGE_MARK = "<passage"
_PASSAGE_TAGS = re.compile(r"<(?=\s*/?\s*passages?\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt with named places (``$name``). A new version makes cached answers count no more."""

    name: str
    version: str
    template: str

    def render(self, **values: str) -> str:
        """The prompt with its places filled; what is filled in is not looked through for places again.

        Raises KeyError when a value is missing.
        """
        return Template(self.template).substitute(values)

    def canary(self, asker: str) -> str:
        """A word for ``asker`` to put in the prompt that no document holds and no answer may."""
        return f"TASK-{call_key(asker, self.version, '')[:12].upper()}"


@cache
def load_prompt(name: str) -> Prompt:
    """The packaged prompt of that name. Its file begins ``version: N`` and a line ``---``."""
    text = files(__package__).joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")
    head, _, template = text.partition("\n---\n")
    return Prompt(name, f"{name}-{head.removeprefix('version:').strip()}", template)


def passage_text(text: str) -> str:
    """``text`` without anything that looks like a mark of a passage."""
    return _PASSAGE_TAGS.sub("‹", text)


def show_passage(text: str, source: str, number: int | None = None) -> str:
    """Text of a document as data in a prompt: between the marks of a passage, with where it is from, and the
    ``number`` by which it can be cited."""
    named = " ".join(passage_text(source).replace('"', "'").split())
    numbered = "" if number is None else f' id="{number}"'
    return f'<passage{numbered} source="{named}">\n{passage_text(text.strip())}\n</passage>'
