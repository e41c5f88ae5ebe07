"""Names and statements found by a language model, and checked item by item against the chunk.

After GraphRAG (Edge et al., arXiv 2404.16130), section 3.1, with the evidence sentence asked for and held
against the text. Chunks are shown as data; what a chunk is about, its places and its cross-references are
structure and always the default extractor's.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..checked_calls import CheckedCalls, Faults, Taken, Wrong
from ..models.call_cache import CallCache
from ..models.ports import LanguageModel
from ..models.usage import SAFETY, estimate_tokens
from ..prompts import PASSAGE_MARK, load_prompt, passage_text, show_passage
from ..sentences import sentence_ends
from .extraction import Extraction, Extractor, Named, Passage, Stated
from .written_checks import CHECKS, ItemChecks
from .written_items import Items
from .written_merge import merge, structure
from .written_reply import CUT_OFF, pack_reply, read_reply, whole_items

NOTHING_NAMED = "nothing named"

_ANSWER = 400
_ANSWER_A_TOKEN = 6
"""Tokens of an answer: at least, and for each token of text beside them."""
_LONGEST_ANSWER = 4096
"""What many models write at most. A part is no longer than what can be answered so."""
_TOKENS_AN_ITEM = 12
_FEWEST_ITEMS = 6
_MOST_ITEMS = 36
_LONGEST_TITLE = 200
_LONGEST_FAULT = 300
_FRAME = 60
"""Tokens of a chat's frame and of what is estimated apart."""
_SMALLEST_PART = 48
"""Tokens of text that the window must leave room for, or the model is not asked."""
_OPEN = "one or two words in the language of the passage that say what kind of thing it is (register, person)"


class ModelExtractor:
    """An Extractor over any LanguageModel; what the model fails at is ``fallback``'s.

    ``types`` are the only ones an entity may have; none: of any type. A chunk that is too long for one
    call is read in parts. What was found valid is cached, and of rejected answers what was wrong with them,
    so that nothing is paid for twice. A call that could not be made is counted as ``call failed`` or
    ``budget spent``, is in no cache, and is made again by the next extraction of its chunk.
    """

    def __init__(
        self,
        llm: LanguageModel,
        cache: CallCache,
        fallback: Extractor,
        types: Sequence[str],
        cancel: threading.Event,
    ) -> None:
        self._fallback = fallback
        self._types = tuple(types)
        self._prompt = load_prompt("extract")
        self._window = llm.window
        self.concurrency = llm.concurrency
        self._by = f"model({llm.name},{self._prompt.version},{'|'.join(types) or 'open'})"
        self.name = f"{self._by}/{fallback.name}"
        version = self._prompt.version
        self._calls = CheckedCalls(
            llm, cache, cancel, version, CHECKS, self.name, "names and statements were extracted"
        )

    def extract(self, passage: Passage) -> Extraction:
        """What the whole of ``passage`` says. Raises Cancelled before a call is made, and nothing else."""
        base = self._fallback.extract(passage)
        if not any(map(str.isalpha, passage.text)):
            return base
        taken = Taken()
        texts = list(_parts(passage.text, self._part_tokens(passage)))
        found = [self._part(replace(passage, text=text), base, taken) for text in texts]
        if not any(isinstance(items, Items) for items in found):
            return _counted(base.names, base.statements, base.by, base, taken)
        parts: list[Items] = []
        for text, items in zip(texts, found, strict=True):
            if items is None or not items.whole:
                other = base if len(texts) == 1 else self._fallback.extract(replace(passage, text=text))
                parts.append(Items(other.names, other.statements))
            if items is not None:
                parts.append(items)
        names, statements = merge(base, parts, passage.language)
        return _counted(names, statements, self._by, base, taken)

    def _part(self, part: Passage, base: Extraction, taken: Taken) -> Items | None:
        """What the model finds in one part of a passage; None where the default extractor is to read it."""
        if not any(map(str.isalpha, part.text)):
            return Items((), ())
        tokens = estimate_tokens(part.text)
        reading = _Reading(
            ItemChecks(
                part.text,
                (part.title, *part.section),
                structure(base.names),
                self._types,
                part.language,
                (self._prompt.canary(self._by), PASSAGE_MARK, "The marks of the passage"),
            )
        )
        items = self._calls.result(
            lambda wrong: self._render(part, tokens, _again(wrong)),
            _answer_room(tokens),
            reading.check,
            lambda found: pack_reply(found.reply()),
            taken,
        )
        if items is not None and not items.names and len(base.names) > len(structure(base.names)):
            taken.faults[NOTHING_NAMED] += 1
            return None
        return items

    def _render(self, part: Passage, tokens: int, again: str) -> str:
        most = str(max(_FEWEST_ITEMS, min(_MOST_ITEMS, tokens // _TOKENS_AN_ITEM)))
        return self._prompt.render(
            title=_heading(part.title),
            section=_heading(" > ".join(part.section)),
            passage=show_passage(part.text, part.source),
            types=f"one of {', '.join(self._types)}" if self._types else _OPEN,
            entities=most,
            relations=most,
            canary=self._prompt.canary(self._by),
            again=again,
        )

    def _part_tokens(self, passage: Passage) -> int:
        """Tokens of text that one call has room for beside its prompt and its answer; 0 for hardly any."""
        longest = _again(Wrong("x" * _LONGEST_FAULT))
        fixed = estimate_tokens(self._render(replace(passage, text=""), 0, longest)) + _FRAME
        room = (int(self._window / SAFETY) - fixed - _ANSWER) // (1 + _ANSWER_A_TOKEN)
        most = (_LONGEST_ANSWER - _ANSWER) // _ANSWER_A_TOKEN
        return min(room, most) if room >= _SMALLEST_PART else 0


@dataclass(slots=True)
class _Reading:
    """Reads the answers about one part; of a second one that is cut off, what is whole."""

    checks: ItemChecks
    was_cut: bool = False

    def check(self, answer: str, faults: Faults) -> Items | Wrong:
        reply = read_reply(answer)
        if not isinstance(reply, Wrong):
            return self.checks.check(reply, faults)
        if reply.reason == CUT_OFF and self.was_cut:
            items = self.checks.check(whole_items(answer), faults)
            if isinstance(items, Items) and items.names:
                faults[CUT_OFF] += 1
                return items
        self.was_cut = reply.reason == CUT_OFF
        return reply


def _parts(text: str, most: int) -> Iterator[str]:
    """The text in stretches of about ``most`` tokens, which together are all of it: whole sentences where
    those fit. The whole text where it fits, or where ``most`` is 0."""
    if most == 0 or estimate_tokens(text) <= most:
        yield text
        return
    start = end = 0
    for stop in _stops(text, most):
        if end > start and estimate_tokens(text[start:stop]) > most:
            yield text[start:end]
            start = end
        end = stop
    yield text[start:]


def _stops(text: str, most: int) -> Iterator[int]:
    """Where the text may be cut: where sentences end, and in a longer one after each half of it, halved
    again where it must be, at white space where there is some."""
    start = 0
    for end in sentence_ends(text):
        yield from _halved(text, start, end, most)
        start = end


def _halved(text: str, start: int, end: int, most: int) -> Iterator[int]:
    if end - start < 2 or estimate_tokens(text[start:end]) <= most:
        yield end
        return
    middle = (start + end) // 2
    space = max(text.rfind(" ", start + 1, middle), text.rfind("\n", start + 1, middle))
    at = space + 1 if space > start + (end - start) // 4 else middle
    yield from _halved(text, start, at, most)
    yield from _halved(text, at, end, most)


def _answer_room(tokens: int) -> int:
    return min(_LONGEST_ANSWER, _ANSWER + _ANSWER_A_TOKEN * tokens)


def _heading(title: str) -> str:
    return passage_text(" ".join(title.split()))[:_LONGEST_TITLE] or "-"


def _again(wrong: Wrong | None) -> str:
    """What the one retry is told."""
    if wrong is None:
        return ""
    fault = passage_text(str(wrong))[:_LONGEST_FAULT]
    return f"Your last answer was not usable ({fault}). Answer anew without this fault.\n"


def _counted(
    names: tuple[Named, ...], statements: tuple[Stated, ...], by: str, base: Extraction, taken: Taken
) -> Extraction:
    faults = taken.faults + Faults(base.faults)
    counts = taken.calls, taken.cached, taken.tokens_in, taken.tokens_out, taken.cost, taken.estimated
    return Extraction(names, statements, by, dict(faults), *counts)
