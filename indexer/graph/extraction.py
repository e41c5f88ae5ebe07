"""The port of what finds names and statements in a chunk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from ..owed import passes

Role = Literal["subject", "mention"]
"""A subject is what its chunk is about (a document's or section's title); a mention stands in its text."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A whole chunk as an extractor sees it. ``title`` is its document's, ``section`` the path of titles
    down to it; ``source`` says where it is from, as in ``manuals/a.pdf p. 3``."""

    id: str
    document: str
    text: str
    title: str = ""
    section: tuple[str, ...] = ()
    language: str | None = None
    source: str = ""
    kind: Literal["text", "table", "code"] = "text"


@dataclass(frozen=True, slots=True)
class Named:
    """A name in a chunk, as it is written there; ``count`` is how often.

    ``type`` is a word of the field (as ``register``, ``person``), empty where it is not known. A ``local``
    name means something within its document alone ("Figure 3-1", "4.2"): the same name in another document
    is another entity. ``aliases`` are other names that this very chunk gives the same thing, as in
    "advanced encryption standard (AES)".
    """

    name: str
    type: str = ""
    role: Role = "mention"
    count: int = 1
    local: bool = False
    description: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stated:
    """A directed statement between two names of the chunk: ``source`` (verb ``type``) ``target``.

    ``sentence`` is the evidence, character for character from the chunk; ``condition`` the part of it that
    limits it ("only if CR4.OSFXSR = 1", "except in real mode"), empty where nothing does.
    """

    source: str
    target: str
    type: str
    sentence: str
    condition: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one chunk says. Every end of a statement is in ``names``. ``by`` names the extractor that
    found it; ``faults`` count what was rejected on the way, by reason; ``calls`` a model answered,
    ``cached`` the cache; of ``estimated`` calls the provider gave no counts."""

    names: tuple[Named, ...]
    statements: tuple[Stated, ...] = ()
    by: str = ""
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


class Extractor(Protocol):
    """Finds names and statements. ``name`` (method, model, prompt version) is stamped into the index;
    ``concurrency`` threads may call it at once."""

    name: str
    concurrency: int

    def extract(self, passage: Passage) -> Extraction:
        """What ``passage`` says. A model's failure ends in the default extractor's result, never in an
        exception; raises Cancelled alone."""
        ...
