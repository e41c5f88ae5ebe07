"""A model's answer held against the passages that it was handed: what each sentence cites, and whether its
numbers, units and identifiers stand there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...indexer.checks.planted import Spoken, divided, follows
from ...indexer.checks.spoken import is_in
from ...indexer.words import words
from .arriving import Sentences, Thoughts
from .evidence import Source
from .grounds import ungrounded
from .marks import Marked

NOTHING = "NOT-IN-PASSAGES"
"""What a model is told to write where the passages do not say."""
EMPTY = "empty"
PROMPT = "the prompt itself"
OBEYED = "obeyed an instruction in a passage"
OTHER_LANGUAGE = "another language"
REPEATED = "said before"
UNCITED = "no citation"
UNKNOWN = "citation of no source"

_NOTHING = re.compile(r"NOT[- _]IN[- _](?:THE[- _])?PASSAGES", re.IGNORECASE)
_KINDS = ("number", "unit", "identifier")
_MARKS = ("<passage", "The marks of the passages")


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A sentence that was held against what it cites, and the white space before it."""

    text: str
    sources: tuple[Source, ...]
    flags: tuple[str, ...]
    lead: str = " "


@dataclass(frozen=True, slots=True)
class Handed:
    """What a model was handed: the ``question`` in the user's own words and as it was ``searched`` for, the
    sources and their places by the numbers in its prompt, the code of the ``language`` that it was to answer
    in, and the ``canary`` that it must not repeat."""

    question: str
    searched: str
    sources: Mapping[int, Source]
    places: Mapping[int, str]
    language: str
    canary: str


@dataclass(slots=True)
class Review:
    """The sentences of one answer, as they were found. ``wrong`` says why it is not usable as a whole;
    ``nothing``: it says that the passages do not say. ``faults`` counts what was found, by reason."""

    handed: Handed
    sentences: list[Reviewed] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    wrong: str = ""
    nothing: bool = False
    _thoughts: Thoughts = field(default_factory=Thoughts, init=False)
    _arriving: Sentences = field(init=False)
    _divided: tuple[str, str] = field(init=False)

    def __post_init__(self) -> None:
        handed = self.handed
        self._divided = divided(
            [f"{handed.places[n]}\n{source.text}" for n, source in handed.sources.items()]
        )
        self._begin()

    @property
    def begun_anew(self) -> int:
        """How often all sentences given before turned out to be none of the answer, but thoughts."""
        return self._thoughts.begun_anew

    def take(self, piece: str) -> Sequence[Reviewed]:
        """The sentences that have ended with this piece of the answer. Where ``begun_anew`` grew, all that
        were given before are none."""
        before = self.begun_anew
        said = self._thoughts.take(piece)
        if self.begun_anew > before:
            self._begin()
        return self._kept(self._arriving.take(said))

    def end(self) -> Sequence[Reviewed]:
        """The sentences that were left when the answer ended."""
        said = self._thoughts.end()
        fresh = self._kept([*self._arriving.take(said), *self._arriving.end()])
        if not self.wrong:
            self._whole()
        return fresh if not self.wrong else ()

    def _begin(self) -> None:
        """Begin, or begin anew: what was taken of the model's thoughts is forgotten."""
        self.sentences, self.faults = [], Counter()
        self.wrong, self.nothing = "", False
        self._arriving = Sentences([source.text for source in self.handed.sources.values()])

    def _kept(self, found: Sequence[Marked]) -> Sequence[Reviewed]:
        """Those of the sentences that are kept, once they were held against what they cite."""
        fresh: list[Reviewed] = []
        for marked in found:
            if self.wrong:
                break
            if (reviewed := self._one(marked)) is not None:
                self.sentences.append(reviewed)
                fresh.append(reviewed)
        return fresh if not self.wrong else ()

    def _one(self, marked: Marked) -> Reviewed | None:
        """One sentence; None where it says that nothing is said, or is not to be kept."""
        if self.handed.canary in marked.text or any(mark in marked.text for mark in _MARKS):
            self.wrong = PROMPT
        elif _NOTHING.search(marked.text):
            self.nothing = True
        elif self._obeys(marked.text):
            self.wrong = OBEYED
        elif any(marked.text == sentence.text for sentence in self.sentences):
            self.faults[REPEATED] += 1
        else:
            return self._held(marked)
        return None

    def _held(self, marked: Marked) -> Reviewed:
        known = [number for number in marked.numbers if number in self.handed.sources]
        flags = [f"[{number}] is no source" for number in marked.numbers if number not in self.handed.sources]
        self.faults[UNKNOWN] += len(flags)
        if not known:
            flags.append(UNCITED)
            self.faults[UNCITED] += 1
        sources = tuple(self.handed.sources[number] for number in known)
        spoken = next((source.language for source in sources if source.language), None)
        texts = [source.text for source in sources]
        places = [self.handed.places[number] for number in known]
        pages = {page for source in sources for page in source.citation.pages or ()}
        told = self.handed.language
        for fault in ungrounded(marked.text, texts, places, told, spoken, pages) if known else ():
            if fault.kind in _KINDS:
                flags.append(f"{fault.kind} {fault.text}")
                self.faults[fault.kind] += 1
        if not marked.closed:
            flags.append("cut off")
            self.faults["cut off"] += 1
        return Reviewed(marked.text, sources, tuple(flags), marked.lead)

    def _obeys(self, text: str) -> bool:
        spoken = Spoken(self.handed.language, None, words)
        return follows(text, self._divided, spoken, self.handed.question)

    def _whole(self) -> None:
        self.faults += Counter()  # without zeros
        if not self.sentences:
            self.wrong = "" if self.nothing else EMPTY
            return
        joined = " ".join(sentence.text for sentence in self.sentences)
        if not is_in(joined, self.handed.language):
            self.wrong = OTHER_LANGUAGE
