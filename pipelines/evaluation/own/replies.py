"""What a model answered about a question: taken apart and checked against the passage."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher

from ....indexer.models.json_reply import read_json
from ....indexer.models.thoughts import without_thoughts
from ....indexer.word_forms import normalise, tokens

NOT_JSON = "answer was not JSON"
NO_QUESTION = "no question in the answer"
TOO_LONG = "the question is too long"
COPIED = "the question copies the passage"
LEANS = "the question speaks of its passage"
NOT_ANSWERED = "the passage does not answer the question"
NOT_QUOTED = "the quoted answer does not stand in the passage"

_LONGEST = 300
_COPIED_SHARE = 0.8
_LEAST_QUOTE = 2
_LEANS = re.compile(
    r"\b(?:(?:this|the|above|given|following) (?:passage|text|excerpt|document|paragraph|section|snippet)|"
    r"according to (?:the|this)|"
    r"(?:diese[rmsn]?|der|dem|den|im) (?:text|textabschnitt|abschnitt|dokument|auszug))\b"
    r"|(?:本文|该段|这段|上述|此段|この文|本書|上記|이 글|위 글|본문|지문)",
    re.IGNORECASE,
)


class Rejected(Exception):
    """An answer that is of no use; its message is the reason that is counted."""


def read_question(answer: str, passage: str) -> str:
    """The question in an answer. Raises Rejected: no JSON object with a question, one that copies the
    passage, one that only makes sense beside it."""
    value = _object(answer).get("question")
    question = " ".join(value.split()) if isinstance(value, str) else ""
    if len(tokens(normalise(question))) < 2 and len(question) < 4:
        raise Rejected(NO_QUESTION)
    if len(question) > _LONGEST:
        raise Rejected(TOO_LONG)
    if _LEANS.search(question):
        raise Rejected(LEANS)
    if _is_copied(_flat(question), _flat(passage)):
        raise Rejected(COPIED)
    return question


def read_check(answer: str, passage: str) -> str:
    """The quoted words that answer the question. Raises Rejected where the model finds none, or quotes
    what does not stand in the passage (white space, case and form of characters aside)."""
    value = _object(answer)
    quote = value.get("quote")
    if value.get("answered") is not True:
        raise Rejected(NOT_ANSWERED)
    if not isinstance(quote, str) or len(_flat(quote)) < _LEAST_QUOTE or _flat(quote) not in _flat(passage):
        raise Rejected(NOT_QUOTED)
    return " ".join(quote.split())


def _object(answer: str) -> dict[str, object]:
    """The JSON object in an answer; text around it and thoughts before it are passed over."""
    answer = without_thoughts(answer)
    start, end = answer.find("{"), answer.rfind("}")
    try:
        value = read_json(answer[start : end + 1], strict=False) if start >= 0 else None
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise Rejected(NOT_JSON)
    return value


def _flat(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split()).casefold()


def _is_copied(question: str, passage: str) -> bool:
    """Whether most of a question is one stretch of the passage, letter for letter."""
    bare = question.rstrip(" ?？.")
    match = SequenceMatcher(None, bare, passage, autojunk=False).find_longest_match()
    return match.size >= _COPIED_SHARE * len(bare)
