"""Summaries without a model: the sentences that cover most of the passages, and a line of key terms.

Sentences are chosen by greedy budgeted coverage of the passages' terms (Lin and Bilmes, 2010; see
:mod:`.coverage`), so that one which repeats another gains little. The line of key terms names what the
chosen sentences had no room for: on manuals a summary with it holds a fifth more of the distinctive terms
of its pages than sentences of the same length alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..models.ports import Tokenizer
from ..standalone import PROSE, REST, TERMS_JOINT, TERMS_MARK, Sentence, read_sentences, without_legal
from ..word_forms import is_dense
from .coverage import Covered, Option, choose
from .key_terms import forms_of, key_terms, weigh
from .summarizer import Passage, Request, Summary

SENTENCE_SHARE = 0.6
"""The share of a summary's tokens that its sentences may take before the key terms."""
LONGEST_SHARE = 1 / 3
"""The share that one sentence may take, where there is a shorter one."""
FIXED = 20.0
"""Tokens added to a sentence's price: without them the shortest sentences win."""

_WORTH = 0.2
"""The share of the text beside legal phrases from which on they are passed over."""

_WORD_END = re.compile(r"\w(?=\w)")


class ExtractiveSummarizer:
    """A Summarizer that needs no model. ``terms`` says whether summaries end with a line of key terms.

    Deterministic: a summary depends on its request alone. Passages that fit the summary's budget as they
    are, are the summary.
    """

    window = 1 << 20
    concurrency = 1

    def __init__(self, tokenizer: Tokenizer, terms: bool = True) -> None:
        self.name = f"extractive-1{'' if terms else '(sentences)'}/{tokenizer.name}"
        self._tokenizer = tokenizer
        self._terms = terms

    def summarize(self, request: Request) -> Summary:
        """The summary of ``request``, of at most ``request.tokens`` tokens; empty where the passages are."""
        passages = [passage for passage in request.passages if passage.text.strip()]
        text = _whole(passages, request.tokens, self._tokenizer)
        if text is None:
            draft = _Draft(passages, request, self._tokenizer)
            draft.add_sentences(SENTENCE_SHARE if self._terms else 1.0)
            if self._terms:
                draft.add_terms()
            draft.add_sentences(1.0)
            text = draft.text() or _cut(passages, request.tokens, self._tokenizer)
        return Summary(text, self._tokenizer.count(text), self.name)


class _Draft:
    """A summary while it is put together."""

    def __init__(self, passages: Sequence[Passage], request: Request, tokenizer: Tokenizer) -> None:
        self._passages = _spoken_of(passages)
        self._budget = request.tokens
        self._language = request.language
        self._count = tokenizer.count
        self._weights = weigh(self._passages, request.language)
        self._covered = Covered()
        self._left = _unique(read_sentences([passage.text for passage in passages]))
        self._sentences: list[Sentence] = []
        self._terms: list[str] = []
        self._options: dict[tuple[int, int], Option] = {}
        self._used = 0

    def add_sentences(self, share: float) -> None:
        """Choose sentences until this share of the budget is used, prose before anything else and short
        ones before those that would take much of it."""
        for tier in (PROSE, REST):
            for longest in (LONGEST_SHARE, 1.0):
                if not self._sentences or longest == LONGEST_SHARE:
                    self._choose(tier, int(longest * self._budget), int(share * self._budget) - self._used)
            if self._sentences:
                return

    def add_terms(self) -> None:
        """Name key terms in what is left of the budget."""
        terms = key_terms(self._passages, self._weights, self._language)
        options = [Option(term.forms, self._count(term.text) + 1) for term in terms]
        self._used += self._count(TERMS_MARK)
        room = self._budget - self._used
        for index in choose(options, self._weights, self._covered, room, 0):
            self._terms.append(terms[index].text)
            self._used += options[index].price

    def text(self) -> str:
        """The sentences in reading order and the key terms below, within the budget as a whole."""
        while True:
            lines = [_joined([s.text for s in sorted(self._sentences, key=lambda s: s.place)])]
            if self._terms:
                lines.append(TERMS_MARK + TERMS_JOINT.join(self._terms))
            text = "\n".join(line for line in lines if line)
            if self._count(text) <= self._budget or not text:
                return text
            (self._terms or self._sentences).pop()

    def _choose(self, tier: int, longest: int, room: int) -> None:
        found = [
            sentence
            for sentence in self._left
            if sentence.tier == tier and self._option(sentence).price <= min(longest, room)
        ]
        options = [self._option(sentence) for sentence in found]
        for index in choose(options, self._weights, self._covered, room, FIXED):
            self._sentences.append(found[index])
            self._left.remove(found[index])
            self._used += options[index].price

    def _option(self, sentence: Sentence) -> Option:
        option = self._options.get(sentence.place)
        if option is None:
            terms = frozenset(forms_of(sentence.text, self._language))
            option = Option(terms, self._count(sentence.text), sentence.merit, sentence.place[0])
            self._options[sentence.place] = option
        return option


def _spoken_of(passages: Sequence[Passage]) -> Sequence[Passage]:
    """The passages without legal text, where they hold anything else worth speaking of."""
    kept = [replace(passage, text=without_legal(passage.text)) for passage in passages]
    size = sum(len(passage.text) for passage in passages)
    return kept if sum(len(passage.text) for passage in kept) > _WORTH * size else passages


def _unique(sentences: Sequence[Sentence]) -> list[Sentence]:
    return list({sentence.text: sentence for sentence in reversed(sentences)}.values())[::-1]


def _whole(passages: Sequence[Passage], tokens: int, tokenizer: Tokenizer) -> str | None:
    """The passages as they are, where the budget holds them all."""
    if sum(passage.tokens for passage in passages) > 2 * tokens:
        return None  # far too long: not worth counting
    text = "\n\n".join(dict.fromkeys(passage.text.strip() for passage in passages))
    return text if tokenizer.count(text) <= tokens else None


def _joined(sentences: Sequence[str]) -> str:
    """One paragraph; no space between two sentences of a script that has none."""
    text = ""
    for sentence in sentences:
        wide = text and is_dense(text[-2:]) and is_dense(sentence[0])
        text += sentence if not text or (wide and not text[-1].isascii()) else f" {sentence}"
    return text


def _cut(passages: Sequence[Passage], tokens: int, tokenizer: Tokenizer) -> str:
    """The beginning of the first passage, cut after a word: for text that no sentence can be taken of."""
    if not passages:
        return ""
    text = passages[0].text.strip()
    ends = tokenizer.ends(text)
    if len(ends) <= tokens:
        return text
    end = ends[tokens - 1] if tokens > 0 else 0
    while end and _WORD_END.match(text, end - 1) and not is_dense(text[end - 1]):
        end -= 1
    return text[:end].rstrip()
