"""A model's answer about the chunks of one call: taken apart, mended where it can be, and checked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .models.json_reply import read_json
from .models.thoughts import without_thoughts
from .models.usage import estimate_tokens

CHECKS = "1"
"""Raised when other answers are usable: what was rejected is asked for again."""

NOT_JSON = "answer was not JSON"
MISSING = "chunk missing from the answer"
EMPTY = "empty"
TOO_LONG = "too long"
NOT_PLAIN = "not plain text"

_PAIR = re.compile(r'"(\d+)"\s*:\s*"((?:[^"\\]|\\.)*)"')
_MARKUP = re.compile(r"[{}<>`|]|\*\*|^\s*(?:#|[-*] )|\]\(|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_ADDRESS = re.compile(r"\b(?:https?|ftp)://\S+|\bwww\.\S+")


@dataclass(frozen=True, slots=True)
class Reply:
    """What is usable of an answer, by number, and why the rest is not."""

    contexts: Mapping[int, str]
    failures: Mapping[int, str]


def check_reply(answer: str, texts: Mapping[int, str], most_tokens: int) -> Reply:
    """Check an answer for the asked numbers, whose chunks' ``texts`` are given.

    A context must be there, of one or two plain sentences, at most ``most_tokens`` long, and name no
    address that its chunk does not. Numbers that were not asked for are passed over.
    """
    found = _entries(answer)
    if found is None:
        return Reply({}, dict.fromkeys(texts, NOT_JSON))
    contexts: dict[int, str] = {}
    failures: dict[int, str] = {}
    for number, text in texts.items():
        value = found.get(str(number))
        context = " ".join(value.split()) if isinstance(value, str) else ""
        reason = _fault(value, context, text, most_tokens)
        if reason:
            failures[number] = reason
        else:
            contexts[number] = context
    return Reply(contexts, failures)


def pack_contexts(contexts: Mapping[int, str]) -> str:
    """Checked contexts as the text that is kept of a call; :func:`check_reply` reads it."""
    return json.dumps({str(number): contexts[number] for number in sorted(contexts)}, ensure_ascii=False)


def pack_failures(failures: Mapping[int, str]) -> str:
    """Why nothing of an answer is usable, as the text that is kept of the call: no word of the answer."""
    return json.dumps({str(number): failures[number] for number in sorted(failures)}, ensure_ascii=False)


def read_failures(kept: str) -> dict[int, str]:
    """What :func:`pack_failures` kept."""
    return {int(number): str(reason) for number, reason in json.loads(kept).items()}


def count_reasons(reasons: Iterable[str]) -> dict[str, int]:
    """How often each reason was given, by name."""
    counts: dict[str, int] = {}
    for reason in sorted(reasons):
        counts[reason] = counts.get(reason, 0) + 1
    return counts


def _entries(answer: str) -> Mapping[str, object] | None:
    """The JSON object in an answer. Text around it and thoughts before it are passed over; of one that
    was cut off or quotes badly, the pairs that are whole count."""
    answer = without_thoughts(answer)
    start, end = answer.find("{"), answer.rfind("}")
    if start < 0:
        return None
    try:
        value = read_json(answer[start : end + 1], strict=False)
    except ValueError:
        pairs = {number: _unescaped(text) for number, text in _PAIR.findall(answer[start:])}
        return pairs or None
    return value if isinstance(value, dict) else None


def _unescaped(text: str) -> str:
    try:
        return str(read_json(f'"{text}"', strict=False))
    except ValueError:
        return text


def _fault(value: object, context: str, text: str, most_tokens: int) -> str | None:
    if value is None:
        return MISSING
    if not context or context.strip(" ….,;:-") == "":
        return EMPTY
    if estimate_tokens(context) > most_tokens:
        return TOO_LONG
    # A sign that the chunk itself uses, as in code, may be spoken of.
    if any(found.group() not in text for found in _MARKUP.finditer(context)):
        return NOT_PLAIN
    if any(found.group().rstrip(".,;)") not in text for found in _ADDRESS.finditer(context)):
        return NOT_PLAIN
    return None
