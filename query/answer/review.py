"""A model's answer held against the passages that it was handed: what each sentence cites, and whether its
numbers, units and identifiers stand there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...indexer.checks.planted import Spoken, follows_planted
from ...indexer.checks.spoken import is_in
from ...indexer.words import words
from .evidence import Source
from .grounds import ungrounded
from .marks import Marked, read_marked

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
_THOUGHT = re.compile(r"(?s)^.*</think>")
_HALF_MARK = re.compile(r"\s*[\[【][\d\s,;、–-]*$")
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
    ``nothing``: it says that the passages do not say. ``faults`` counts what was found, by reason.
    ``thoughts`` is how many characters before the answer turned out to be none of it."""

    handed: Handed
    sentences: list[Reviewed] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    wrong: str = ""
    nothing: bool = False
    thoughts: int = 0
    _passed_over: int = field(default=0, init=False)

    def take(self, answer: str, ended: bool) -> Sequence[Reviewed]:
        """The sentences of ``answer`` (all of it so far) that are new; the last only once it ``ended``. Where
        ``thoughts`` grew, all that were given before are none: a model may have begun to think untold."""
        thought = _THOUGHT.match(answer)
        if thought and thought.end() > self.thoughts:
            self._anew(thought.end())
        text = answer[self.thoughts :]
        if "<think>" in text:
            text = text[: text.index("<think>")]
        passages = [source.text for source in self.handed.sources.values()]
        found = read_marked(text if ended else _HALF_MARK.sub("", text), passages)
        begun = len(self.sentences) + self._passed_over
        fresh: list[Reviewed] = []
        for marked in found[begun : len(found) if ended else len(found) - 1]:
            if self.wrong:
                break
            if (reviewed := self._one(marked)) is not None:
                self.sentences.append(reviewed)
                fresh.append(reviewed)
        if ended and not self.wrong:
            self._whole()
        return fresh if not self.wrong else ()

    def _anew(self, thoughts: int) -> None:
        """Forget what was taken of the model's thoughts."""
        self.sentences, self.faults = [], Counter()
        self.wrong, self.nothing, self._passed_over = "", False, 0
        self.thoughts = thoughts

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
        self._passed_over += 1
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
        told = self.handed.language
        for fault in ungrounded(marked.text, texts, places, told, spoken) if known else ():
            if fault.kind in _KINDS:
                flags.append(f"{fault.kind} {fault.text}")
                self.faults[fault.kind] += 1
        if not marked.closed:
            flags.append("cut off")
            self.faults["cut off"] += 1
        return Reviewed(marked.text, sources, tuple(flags), marked.lead)

    def _obeys(self, text: str) -> bool:
        handed = self.handed
        passages = [f"{handed.places[n]}\n{source.text}" for n, source in handed.sources.items()]
        spoken = Spoken(self.handed.language, None, words)
        return follows_planted(text, passages, spoken, self.handed.question)

    def _whole(self) -> None:
        self.faults += Counter()  # without zeros
        if not self.sentences:
            self.wrong = "" if self.nothing else EMPTY
            return
        joined = " ".join(sentence.text for sentence in self.sentences)
        if not is_in(joined, self.handed.language):
            self.wrong = OTHER_LANGUAGE
