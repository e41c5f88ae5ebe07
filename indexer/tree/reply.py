"""A model's answer that should be a summary: taken apart and checked, with a name for every fault."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..checked_calls import Wrong
from ..sentences import sentence_ends
from .codes import read_codes
from .faithful import faults
from .key_terms import forms_of
from .spoken import is_in

CHECKS = "checks-1"
"""Goes up with what is checked here and in :mod:`.faithful`, so that no verdict of other checks is kept."""

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
_ADDRESS = re.compile(r"\b(?:https?|ftp)://\S+|\bwww\.\S+|\b[\w.+-]+@[\w-]+\.\w+")
_REFUSAL = re.compile(
    r"^\W*(?:i['’]?m sorry|i am sorry|sorry,|i can(?:no|['’])t|i am unable|i['’]m unable|i won['’]t|as an ai|"
    r"unfortunately, i|es tut mir leid|leider kann ich|je suis désolé|je ne peux pas|lo siento|mi dispiace|"
    r"申し訳|すみません|抱歉|对不起|很抱歉|作为一个|죄송)",
    re.IGNORECASE,
)
INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|all|any|other|your|earlier)\b"
    r"|\b(?:system prompt|new instructions?|jailbreak|developer mode|you are now|act as (?:a|an|if))\b"
    r"|\b(?:answer|respond|reply|output|write|say|print|repeat|summari[sz]e)\b[^.\n]{0,30}"
    r"\b(?:only|instead|exactly|nothing (?:but|else)|the (?:following|words?|phrase))\b"
    r"|\b(?:tell|inform) the (?:user|reader)\b"
    r"|\b(?:language model|assistant|LLM|chatbot)s?\b[^.\n]{0,40}\b(?:must|should|shall)\b"
    r"|\b(?:ignoriere|vergiss|missachte)\b[^.\n]{0,40}\b(?:anweisung|vorherig|alle|obig)"
    r"|\bignore[zr]?\b[^.\n]{0,40}\b(?:instructions|précédentes|consignes)"
    r"|\bignor[ae]\b[^.\n]{0,40}\b(?:instrucciones|istruzioni)"
    r"|(?:忽略|无视|忘记)[^。\n]{0,20}(?:指令|指示|以上|之前|所有|要求)"
    r"|(?:指示|命令|上記|これまで)[^。\n]{0,12}(?:無視|忘れ)|(?:이전|위의|모든)[^.\n]{0,20}(?:지시|명령)[^.\n]{0,10}무시",
    re.IGNORECASE,
)
"""What a document says to a model rather than to its reader."""
_INSTRUCTED_SHARE = 0.5
"""A summary of whose content words more than this share stand in planted instructions alone has obeyed."""
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
    answer = _FENCE.sub("", answer.rpartition("</think>")[2].strip())
    start, end = answer.find("{"), answer.rfind("}")
    if start >= 0 and (found := _ANSWER.search(answer, start)):
        try:
            text = json.loads(answer[start : end + 1], strict=False)["summary"]
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
    if _REFUSAL.match(text):
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
    if INSTRUCTION.search(text):
        return Wrong(OBEYED)
    planted, rest = _divided(expected.passages)
    if not planted:
        return None
    said = set(forms_of(text, expected.language))
    told, known = set(forms_of(planted, expected.source)), set(forms_of(rest, expected.source))
    only = (said & told) - known
    places = {found[0] for found in _ADDRESS.finditer(text)} | {code for code, _ in read_codes(text)}
    if len(only) > _INSTRUCTED_SHARE * len(said & (told | known)):
        return Wrong(OBEYED)
    if any(place in planted and place not in rest for place in places):
        return Wrong(OBEYED)
    return None


def _divided(passages: Sequence[str]) -> tuple[str, str]:
    """The sentences that read as instructions to a model, each with the one after it; and all others."""
    planted: list[str] = []
    rest: list[str] = []
    for passage in passages:
        start, marked = 0, False
        for end in sentence_ends(passage):
            sentence = passage[start:end]
            instructs = INSTRUCTION.search(sentence) is not None
            (planted if instructs or marked else rest).append(sentence)
            start, marked = end, instructs
    return "\n".join(planted), "\n".join(rest)


def _strange(text: str, expected: Expected) -> Wrong | None:
    """Whether hardly a word of the summary stands in the passages, where they share a language."""
    if any(found[0].rstrip(".,;)") not in "\n".join(expected.passages) for found in _ADDRESS.finditer(text)):
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
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return text
