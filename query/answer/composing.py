"""Putting an answer together: sentences with their marks, and the sources numbered as they come."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...indexer.types import Citation
from .evidence import Source
from .marks import set_apart
from .result import Sentence


class Composer:
    """Numbers sources by their first use. What is added goes to ``on_text`` at once, where it is given."""

    def __init__(self, on_text: Callable[[str], None] | None = None) -> None:
        self.sentences: list[Sentence] = []
        self.citations: list[Citation] = []
        self.told = False
        self._on_text = on_text
        self._parts: list[str] = []

    @property
    def text(self) -> str:
        """All sentences, each with its marks behind it."""
        return "".join(self._parts)

    def add(self, text: str, sources: Sequence[Source], flags: Sequence[str], lead: str = " ") -> None:
        """Add a sentence, with the white space before it. Marks of its document's own are set apart from
        ours."""
        text = set_apart(text)
        citations = tuple(dict.fromkeys(source.citation for source in sources))
        marks = "".join(f"[{self._number(citation)}]" for citation in citations)
        self.sentences.append(Sentence(text, citations, tuple(flags)))
        part = f"{lead if self._parts else ''}{text}{' ' if marks else ''}{marks}"
        self._parts.append(part)
        if self._on_text:
            self.told = True
            self._on_text(part)

    def begin_anew(self) -> None:
        """Forget what was added; who was told of it is told of a new paragraph."""
        self.sentences, self.citations, self._parts = [], [], []
        if self._on_text and self.told:
            self._on_text("\n\n")

    def _number(self, citation: Citation) -> int:
        if citation not in self.citations:
            self.citations.append(citation)
        return self.citations.index(citation) + 1
