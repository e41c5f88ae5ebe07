"""A question that goes on from earlier ones, made to stand by itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...indexer.errors import ConfigurationError
from ...indexer.function_words import content_words
from ...indexer.word_forms import is_dense, normalise, tokens

Turn = tuple[str, str]
"""A question and its answer."""

_CHAIN, _ASKED, _LENT = 16, 2000, 40
"""Earlier questions that are looked at, characters of each, and words that one lends."""
_FEW = 2
"""A question with so few words of its own leaves something out."""

_POINTS_BACK = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|she|both)\b"
    r"|\bthe (?:same|other|others|former|latter|second|first) one\b"
    r"|(?:^|\b(?:about|after|at|before|by|can|do|does|for|from|in|is|like|of|on|than|then|to|why|with))"
    r"\s*(?:that|this|these|those|there)\b"
    r"|\b(?:(?-i:er|sie|ihn|ihm|ihnen)|dies\w*|jene\w*|davon|dafür|damit|dabei|daran|darin|dort|elle|ils|elles|cela|celui"
    r"|celle|ello|ella|ellos|eso|esto|esso|questo|quello|hij|zij|hen|daar|это|этот|эта|он|она|они)\b"
    r"|它|他们|她们|[这那](?!么)|其(?![他它实中])|それ|これ|[そこあ]の(?!他)|そこ|[그이저](?:것|건|걸|게)|(?<![가-힣])그(?=\s)",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"^\W*(?:and|but|so|what about|how about|or|what if|why|why not|und|aber|wie ist es mit|was ist mit|oder"
    r"|warum|et|y|e|и|а|那么|那|还有|では|じゃ|また|그럼|그리고)\b",
    re.IGNORECASE,
)


def turns_of(history: Sequence[Any]) -> list[Turn]:
    """``history`` as turns, oldest first: pairs of question and answer, or ``{"role", "content"}``
    mappings. Raises ConfigurationError for anything else."""
    turns: list[Turn] = []
    for item in history:
        if isinstance(item, Mapping) and isinstance(item.get("content"), str):
            role, text = item.get("role"), item["content"]
            if role == "user":
                turns.append((text, ""))
            elif role == "assistant" and turns:
                turns[-1] = (turns[-1][0], f"{turns[-1][1]}\n{text}".strip())
        elif (
            isinstance(item, Sequence)
            and not isinstance(item, str)
            and len(item) == 2
            and all(isinstance(part, str) for part in item)
        ):
            turns.append((item[0], item[1]))
        else:
            raise ConfigurationError(
                "history takes pairs of question and answer, or mappings with role and content, oldest first"
            )
    return [turn for turn in turns if turn[0].strip()]


def self_contained(question: str, turns: Sequence[Turn], language: str) -> str:
    """``question`` with the words of the last question before it that it leaves out, where it points back
    or has hardly a word of its own."""
    topic = ""
    for earlier, _ in turns[-_CHAIN:]:
        topic = _joined(earlier[:_ASKED], topic, language)
    return _joined(question, topic, language)


def _joined(question: str, topic: str, language: str) -> str:
    if not topic or not leaves_out(question, language):
        return question
    own = {word.casefold() for word in content(question, language)}
    missing = [word for word in content(topic, language) if word.casefold() not in own]
    return f"{question} ({' '.join(missing[:_LENT])})" if missing else question


def leaves_out(question: str, language: str) -> bool:
    """Whether a question points back at something, or has hardly a word of its own."""
    own = content(question, language)
    few = sum(len(word) // 2 if is_dense(word) else 1 for word in own) <= _FEW
    return few or bool(_POINTS_BACK.search(question) or _GOES_ON.match(question))


def content(text: str, language: str) -> list[str]:
    """The words of a text that say what it is about, each once."""
    return list(dict.fromkeys(content_words(tokens(normalise(text)), [language])))
