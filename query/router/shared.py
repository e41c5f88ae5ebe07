"""The hybrid route asked once for a question: the other routes begin from what it found."""

from __future__ import annotations

from dataclasses import replace

from ..access import Access
from ..question import Found, Question, Retriever


class SharedHybrid:
    """The hybrid route for one question of one reader; a Retriever. What it found is kept, and is what is
    given for as many candidates or fewer. For one search."""

    def __init__(self, hybrid: Retriever) -> None:
        self._hybrid = hybrid
        self._found: Found | None = None
        self._limit = 0

    def __call__(self, question: Question, access: Access, limit: int) -> Found:
        """The ``limit`` best chunks."""
        if self._found is None or limit > self._limit:
            self._found, self._limit = self._hybrid(question, access, limit), limit
        return replace(self._found, candidates=self._found.candidates[:limit])
