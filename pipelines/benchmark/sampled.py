"""Questions for timing searches: from a file, or sampled from the index's own text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from ...indexer.errors import ConfigurationError
from ...indexer.function_words import content_words
from ...indexer.stores.folder import IndexFolder
from ...indexer.stores.ports import Filter
from ...indexer.word_forms import is_dense

_WORD = re.compile(r"[^\W\d_]{2,}")
_LENGTHS = (3, 8)
_CHARACTERS = 12
"""Characters of a run that is written without spaces."""


def read_questions(path: Path) -> list[str]:
    """The ``text`` of each line of a JSONL file. Raises ConfigurationError that names file and line."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read as questions: {error}") from error
    questions = [_question(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not questions:
        raise ConfigurationError(f'{path} holds no questions; one a line, as {{"text": "..."}}')
    return questions


def sample_questions(folder: IndexFolder, generation: int, size: int, seed: int) -> list[str]:
    """Up to ``size`` questions made of the index's own text: three to eight content words that follow one
    another in a chunk. The same for the same index and seed. Raises ConfigurationError without any text.
    """
    random = Random(seed)
    keys = sorted(folder.ledger.live_keys(generation, "chunks"))
    random.shuffle(keys)
    store = folder.vectors()
    try:
        snapshot = store.read(generation)
        try:
            chosen = keys[: 2 * size]
            rows = {row.key: row.payload for row in snapshot.fetch(Filter(keys=chosen))}
        finally:
            snapshot.close()
    finally:
        store.close()
    made = (_made(rows[key]["text"], rows[key].get("language"), random) for key in chosen if key in rows)
    questions = list(dict.fromkeys(question for question in made if question))[:size]
    if not questions:
        raise ConfigurationError(
            f"{folder.path} holds no text to make questions of; name a file of questions"
        )
    return questions


def _question(path: Path, number: int, line: str) -> str:
    try:
        found = json.loads(line)
    except ValueError as error:
        raise ConfigurationError(f"{path}, line {number}: this is no JSON ({error})") from error
    text = found.get("text") if isinstance(found, dict) else None
    if not isinstance(text, str) or not text.strip():
        raise ConfigurationError(f'{path}, line {number}: there is no question in "text"')
    return text


def _made(text: str, language: str | None, random: Random) -> str:
    """Consecutive content words of a text; empty where it has too few."""
    words = list(_words(text, language))
    length = min(random.randint(*_LENGTHS), len(words))
    if length < _LENGTHS[0] and not any(is_dense(word) for word in words):
        return ""
    start = random.randint(0, len(words) - length)
    return " ".join(words[start : start + length])


def _words(text: str, language: str | None) -> Iterator[str]:
    for word in content_words(_WORD.findall(text), (language,) if language else ()):
        yield word[:_CHARACTERS] if is_dense(word) else word
