"""The port of what writes a branch's summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..owed import passes


@dataclass(frozen=True, slots=True)
class Passage:
    """A child as a summarizer sees it: a chunk's text or a branch's summary. ``source`` says where it is
    from, as in ``manuals/a.pdf p. 3``; ``leaves`` how many chunks stand behind it."""

    id: str
    text: str
    tokens: int
    source: str
    leaves: int = 1


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be summarized: the ``passages`` of one branch, in reading order, in ``language``. The
    summary has at most ``tokens`` tokens. The author's title is not there: in a summary it would put the
    words of many a question into the index."""

    passages: Sequence[Passage]
    tokens: int
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary and how it was come by: ``by`` names the summarizer that wrote the text, ``faults`` count
    what was rejected on the way, by reason; ``calls`` a model answered, ``cached`` the cache;
    of ``estimated`` calls the provider gave no counts."""

    text: str
    tokens: int
    by: str
    faults: Mapping[str, int] = field(default_factory=dict)
    calls: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    estimated: int = 0

    @property
    def owed(self) -> bool:
        """Whether it stands in for what a model could not be asked for."""
        return passes(self.faults)


class Summarizer(Protocol):
    """Writes summaries. ``name`` (method, model, prompt version) is stamped into the index; ``window`` is
    how many tokens of passages one summary can be made of; ``concurrency`` threads may call it at once."""

    name: str
    window: int
    concurrency: int

    def summarize(self, request: Request) -> Summary:
        """The summary of ``request``. A model's failure ends in another summarizer's text, never in an
        exception; raises Cancelled alone."""
        ...
