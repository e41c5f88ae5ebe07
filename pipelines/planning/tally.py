"""What the models of a rehearsal were asked and did not answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

from ...indexer.models.usage import estimate_tokens


@dataclass(slots=True)
class Asked:
    """The calls of one stage: how many, the tokens of their prompts, and the tokens of room that their
    answers were given. Several threads may add to it."""

    calls: int = 0
    tokens: int = 0
    room: int = 0
    _adding: Lock = field(default_factory=Lock, repr=False, compare=False)

    def add(self, tokens: int, room: int) -> None:
        """Count one call."""
        with self._adding:
            self.calls += 1
            self.tokens += tokens
            self.room += room


@dataclass(slots=True)
class Tally:
    """What was asked, by stage, how many texts were to be embedded, of how many tokens by our
    estimate, and how many of them were ``hashed``."""

    asked: defaultdict[str, Asked] = field(default_factory=lambda: defaultdict(Asked))
    embedded: int = 0
    hashed: int = 0
    tokens_embedded: int = 0
    _adding: Lock = field(default_factory=Lock, repr=False, compare=False)

    def embed(self, texts: Sequence[str], most: int) -> bool:
        """Count texts that a build would embed. Returns whether there are at most so many with them: the
        others count as hashed."""
        tokens = sum(map(estimate_tokens, texts))
        with self._adding:
            self.embedded += len(texts)
            self.tokens_embedded += tokens
            few = self.embedded <= most
            self.hashed += 0 if few else len(texts)
            return few
