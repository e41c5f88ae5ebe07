"""Counting tokens, by a tokenizer.json of Hugging Face's format or by a plain rule."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigurationError, ModelUnavailable
from .ports import Tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Rust

PIECE = 100_000
"""Characters tokenised at once: an encoding holds about a hundred bytes a token."""

LONGEST = 48
"""Characters in one token. A word no vocabulary knows is one token however long it is: counted as
several, so that a page of base64 does not pass for a short chunk."""

_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"\s"))
_SPACED = re.compile(r"[^ \t\r\n]+")
_CACHE_LIMIT = 1 << 17
_PLAIN = re.compile(r"\w{1,6}|[^\w\s]")


class HuggingFaceTokenizer:
    """A tokenizer of the ``tokenizers`` library, without special tokens, truncation or padding.

    ``name`` is the given name and the beginning of the file's sha256: the file decides the count.
    Raises ModelUnavailable where the file cannot be read or is no tokenizer.
    """

    def __init__(self, path: Path, name: str | None = None) -> None:
        from tokenizers import Tokenizer as Rust

        try:
            data = path.read_bytes()
            self._rust: Rust = Rust.from_str(data.decode("utf-8"))
        except OSError as error:
            raise ModelUnavailable(f"cannot read the tokenizer {path}: {error.strerror}") from error
        except Exception as error:  # the library raises bare Exception for what it cannot parse
            raise ModelUnavailable(f"{path} is not a tokenizer.json: {error}") from error
        self._spaced = type(self._rust.pre_tokenizer).__name__ == "BertPreTokenizer"
        self._known: dict[str, tuple[int, ...]] = {}
        self._rust.no_truncation()
        self._rust.no_padding()
        self.name = f"{name or path.stem}@{sha256(data).hexdigest()[:12]}"

    def count(self, text: str) -> int:
        """Number of tokens in ``text``, special tokens not counted."""
        if not self._spaced:
            return len(self.ends(text))
        known = self._known
        return sum(
            len(known.get(word) or self._in_word(word))
            for start, end in _pieces(text)
            for word in _SPACED.findall(text, start, end)
        )

    def ends(self, text: str) -> list[int]:
        """For each token, the character offset at which it ends; ascending."""
        found: list[int] = []
        for start, end in _pieces(text):
            piece = text[start:end]
            found += self._by_word(piece, start) if self._spaced else self._encoded(piece, start)
        return found

    def _by_word(self, text: str, start: int) -> Iterator[int]:
        """The ends in a text whose words, as spaces part them, are tokenised each by itself."""
        for match in _SPACED.finditer(text):
            at = start + match.start()
            for end in self._in_word(match[0]):
                yield at + end

    def _in_word(self, word: str) -> tuple[int, ...]:
        ends = self._known.get(word)
        if ends is None:
            ends = tuple(self._encoded(word, 0))
            if len(word) <= LONGEST:
                if len(self._known) >= _CACHE_LIMIT:
                    self._known.clear()
                self._known[word] = ends
        return ends

    def _encoded(self, text: str, start: int) -> Iterator[int]:
        for begin, stop in self._rust.encode(text, add_special_tokens=False).offsets:
            yield from range(start + begin + LONGEST, start + stop, LONGEST)
            yield start + stop


class PlainTokenizer:
    """A count that needs no model: every six letters of a word, and every sign, are a token."""

    name = "words"

    def count(self, text: str) -> int:
        """Number of tokens in ``text``."""
        return sum(1 for _ in _PLAIN.finditer(text))

    def ends(self, text: str) -> list[int]:
        """For each token, the character offset at which it ends; ascending."""
        return [match.end() for match in _PLAIN.finditer(text)]


def load_tokenizer(name: str) -> Tokenizer:
    """The tokenizer of that name: ``minilm`` (all-MiniLM-L6-v2's, from the ``local`` extra), ``words``
    (no model), or the path of a tokenizer.json. Raises ConfigurationError or ModelUnavailable."""
    if name == "words":
        return PlainTokenizer()
    if name == "minilm":
        from .minilm import files

        return HuggingFaceTokenizer(files().tokenizer, name)
    if not name.endswith(".json"):
        raise ConfigurationError(f"no tokenizer {name!r}: use minilm, words or the path of a tokenizer.json")
    return HuggingFaceTokenizer(Path(name))


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """The text in stretches of at most PIECE characters, cut at the best break that each offers."""
    start = 0
    while len(text) - start > PIECE:
        end = _last_break(text, start + PIECE // 2, start + PIECE)
        yield start, end
        start = end
    yield start, len(text)


def _last_break(text: str, first: int, last: int) -> int:
    for pattern in _BREAKS:
        ends: Sequence[int] = [match.end() for match in pattern.finditer(text, first, last)]
        if ends:
            return ends[-1]
    return last
