"""Corpora of any size from real text: its passages once each as they are, then new ones of its sentences.

A document of a made corpus is a Markdown file with headings; its sections are runs of passages that follow
one another in a real document. Once every passage was used, further ones are made of the sentences of two
passages of one real document. The same sources and seed give the same corpus, a smaller one is the
beginning of a larger one, and no passage comes twice that does not come twice in the sources.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from ...indexer.errors import SourceUnreadable
from ...indexer.sentences import sentence_ends

VERSION = 1
"""Raised when the same sources and seed make another corpus than before."""

_RUN = 6
"""Passages that follow one another, at most."""
_MEDIAN, _SPREAD, _FEWEST, _MOST = 40, 0.8, 4, 400
"""Passages in a document: log-normal around the median, between the two ends."""
_TRIALS = 20


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a real document, with the heading over it."""

    text: str
    heading: str


@dataclass(frozen=True, slots=True)
class Made:
    """A document of a made corpus: Markdown, and how many passages stand in it."""

    name: str
    text: str
    passages: int


def made_documents(documents: Sequence[Sequence[Passage]], seed: int) -> Iterator[Made]:
    """Documents without end. Raises SourceUnreadable where the sources hold too little text for more."""
    random = Random(seed)
    runs = _Runs(documents, random)
    number = 0
    while True:
        number += 1
        yield _document(number, runs, random)


def _document(number: int, runs: _Runs, random: Random) -> Made:
    length = min(_MOST, max(_FEWEST, round(_MEDIAN * random.lognormvariate(0, _SPREAD))))
    parts: list[str] = []
    passages = 0
    while passages < length:
        run = runs.take()
        level = "#" if not parts else "##"
        parts.append(f"{level} {run[0].heading or f'Part {passages + 1}'}")
        parts += [passage.text for passage in run]
        passages += len(run)
    return Made(f"{number:06}.md", "\n\n".join(parts) + "\n", passages)


class _Runs:
    """Runs of passages: first those of the sources in a shuffled order, then new ones made of them."""

    def __init__(self, documents: Sequence[Sequence[Passage]], random: Random) -> None:
        self._random = random
        self._documents = [document for document in documents if document]
        self._whole = [
            (document, start)
            for document in range(len(self._documents))
            for start in range(0, len(self._documents[document]), _RUN)
        ]
        if not self._whole:
            raise SourceUnreadable("the sources hold no text to make a corpus of")
        random.shuffle(self._whole)
        self._next = 0
        self._used: set[bytes] = set()

    def take(self) -> list[Passage]:
        """The next run; never empty. Raises SourceUnreadable when nothing new can be made any more."""
        if self._next < len(self._whole):
            document, start = self._whole[self._next]
            self._next += 1
            run = list(self._documents[document][start : start + _RUN])
            self._used.update(map(_digest, run))
            return run
        for _ in range(_TRIALS):
            document, start = self._random.choice(self._whole)
            if run := self._remade(self._documents[document], start):
                return run
        raise SourceUnreadable(
            "the sources hold too little text for a corpus of this size; name more of them"
        )

    def _remade(self, document: Sequence[Passage], start: int) -> list[Passage]:
        """A run of new passages, each a real one with half of its sentences from another."""
        run = []
        for passage in document[start : start + _RUN]:
            new = self._crossed(passage, document)
            if new is not None:
                run.append(new)
        return run

    def _crossed(self, passage: Passage, document: Sequence[Passage]) -> Passage | None:
        for _ in range(_TRIALS):
            ours, theirs = _sentences(passage.text), _sentences(self._random.choice(document).text)
            mixed = [self._random.choice(pair) for pair in zip(ours, theirs, strict=False)]
            new = Passage("".join([*mixed, *ours[len(mixed) :]]).strip(), passage.heading)
            if new.text and (digest := _digest(new)) not in self._used:
                self._used.add(digest)
                return new
        return None


def _sentences(text: str) -> list[str]:
    ends = sentence_ends(text)
    return [text[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def _digest(passage: Passage) -> bytes:
    return hashlib.blake2b(" ".join(passage.text.split()).encode("utf-8", "replace"), digest_size=12).digest()
