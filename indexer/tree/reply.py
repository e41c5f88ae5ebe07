"""A model's answer that should be a summary: taken apart and checked, with a name for every fault."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..checked_calls import Wrong
from ..checks.faithful import faults
from ..checks.planted import ADDRESS, INSTRUCTION, Spoken, follows_planted
from ..checks.refusals import REFUSES
from ..checks.spoken import is_in
from ..models.json_reply import read_json
from ..models.thoughts import without_thoughts
from ..sentences import sentence_ends
from .key_terms import forms_of

CHECKS = "checks-1"
"""Goes up with what is checked here and in :mod:`..checks`, so that no verdict of other checks is kept."""

EMPTY = "empty"
TOO_LONG = "too long"
CUT_OFF = "cut off"
PROMPT = "the prompt itself"
NOT_PLAIN = "not plain text"
REFUSAL = "a refusal"
OTHER_LANGUAGE = "another language"
OBEYED = "obeyed an instruction in a passage"
ELSEWHERE = "not about the passages"
UNFAITHFUL = "{} that no passage contains"

RUNAWAY = 1.5
"""How far over its budget a summary may be to be shortened by whole sentences; beyond, it is a fault."""

_ANSWER = re.compile(r'"summary"\s*:\s*"((?:[^"\\]|\\.)*)"')
_FENCE = re.compile(r"^```\w*\s*|\s*```$")
_PREFACE = re.compile(
    r"^(?:sure|certainly|of course|here is|here's|here are|summary|zusammenfassung|résumé|resumen|riassunto|"
    r"摘要|总结|要約|요약)"
    r"[^:：\n]{0,60}[:：]\s*",
    re.IGNORECASE,
)
_MARKUP = re.compile(
    r"```|\*\*|^\s*(?:#{1,6} |[-*•] |\d{1,2}[.)] )|</?\w[^<>]*>|\]\(|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]",
    re.MULTILINE,
)
_COMMON_SHARE = 0.3
"""The least share of a summary's content words, of the passages' language, that the passages hold."""
_NAMED = 5
"""Faults that one retry names."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a summary is held against: the texts of its passages, the languages by code (None: unknown)
    of summary and passages, and the marks of the prompt that must not come back."""

    passages: Sequence[str]
    language: str | None
    source: str | None
    marks: Sequence[str]


def read_answer(answer: str) -> str | None:
    """The summary in an answer, as one paragraph: the JSON object's, or a plain text as it is; None of one
    that was begun as JSON and cut off."""
    answer = _FENCE.sub("", without_thoughts(answer).strip())
    start, end = answer.find("{"), answer.rfind("}")
    if start >= 0 and (found := _ANSWER.search(answer, start)):
        try:
            text = read_json(answer[start : end + 1], strict=False)["summary"]
        except (ValueError, KeyError, TypeError):
            text = _unescaped(found[1])
        return " ".join(text.split()) if isinstance(text, str) else ""
    if start == 0 and '"summary"' in answer:
        return None
    return _PREFACE.sub("", answer).strip()


def check_summary(text: str, expected: Expected) -> Wrong | None:
    """What is wrong with a summary whose length is right; None for nothing."""
    if not text.strip(" ….,;:-\n"):
        return Wrong(EMPTY)
    if any(mark in text for mark in expected.marks):
        return Wrong(PROMPT)
    if REFUSES.match(text):
        return Wrong(REFUSAL)
    joined = "\n".join(expected.passages)
    if any(found[0] not in joined for found in _MARKUP.finditer(text)):
        return Wrong(NOT_PLAIN)
    if expected.language and not is_in(text, expected.language):
        return Wrong(OTHER_LANGUAGE)
    return _planted(text, expected) or _strange(text, expected) or _unfaithful(text, expected)


def shorten(text: str, most: int, count: Callable[[str], int]) -> str | None:
    """The first sentences of a summary that have at most ``most`` tokens; None where not one does."""
    ends = [end for end in sentence_ends(text) if count(text[:end].rstrip()) <= most]
    return text[: ends[-1]].rstrip() if ends else None


def _planted(text: str, expected: Expected) -> Wrong | None:
    """Whether the summary repeats an instruction, or says mostly what only a planted one says."""
    spoken = Spoken(expected.language, expected.source, forms_of)
    if INSTRUCTION.search(text) or follows_planted(text, expected.passages, spoken):
        return Wrong(OBEYED)
    return None


def _strange(text: str, expected: Expected) -> Wrong | None:
    """Whether hardly a word of the summary stands in the passages, where they share a language."""
    if any(found[0].rstrip(".,;)") not in "\n".join(expected.passages) for found in ADDRESS.finditer(text)):
        return Wrong(ELSEWHERE)
    if expected.language != expected.source:
        return None
    said = set(forms_of(text, expected.language))
    there = {form for passage in expected.passages for form in forms_of(passage, expected.source)}
    return Wrong(ELSEWHERE) if len(said & there) < _COMMON_SHARE * len(said) else None


def _unfaithful(text: str, expected: Expected) -> Wrong | None:
    found = faults(text, expected.passages, expected.language, expected.source)
    if not found:
        return None
    named = ", ".join(fault.text for fault in found[:_NAMED])
    return Wrong(UNFAITHFUL.format(found[0].kind), named)


def _unescaped(text: str) -> str:
    try:
        return str(read_json(f'"{text}"', strict=False))
    except ValueError:
        return text
