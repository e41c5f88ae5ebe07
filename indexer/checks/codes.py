"""The identifiers and names of a text: part codes, options, paths, acronyms, and capitalised words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from ..word_forms import fold, primary, stem
from .plain_words import plain_words

_LETTER = r"A-Za-zÀ-ɏͰ-ҁҊ-֏\u1e00-\u1fff"
_TOKEN = re.compile(
    rf"(?:(?<![{_LETTER}\d-])-{{1,2}}(?=[A-Za-z])|\\(?=[A-Za-z])|/(?=\w)|~/|[$%@](?=[A-Za-z]))?"
    rf"[{_LETTER}\d_]+(?:(?:::|->|[.:/@'’‑-])[{_LETTER}\d_]+)*"
)
_DIGIT_AND_LETTER = re.compile(rf"\d[{_LETTER}]|[{_LETTER}]\d")
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_IN_WORD = re.compile(rf"[{_LETTER}\d]")
_PLURAL = re.compile(r"(?<=[A-Z])['’]?s$|['’]s$")
_JOINTS = re.compile(r"[-_./:\s‑]")
_PIECE = re.compile(rf"\d+|[{_LETTER}]+")
_SENTENCE_START = re.compile(r"(?:^|[.!?…。！？:;•|]|\n|^\s*[-*])[\"'“„«»(\[\s]*\Z")
_DENSE = r"\u3041-\u30ff\u4e00-\u9fff\uac00-\ud7a3"
_HONOURED = re.compile(
    r"([\u4e00-\u9fff\u30a1-\u30fc]{2,6}?)(?:先生|女士|氏|さん|様|教授|博士|公司|社|株式会社|株式會社)"
)
_QUOTED = re.compile(r"[「『《“]([^「」『』《》“”]{2,30})[」』》”]")
_IS_DENSE = re.compile(f"[{_DENSE}]")
_NOUNS_IN_CAPITALS = frozenset({"de", "lb"})


def read_codes(text: str) -> Iterator[tuple[str, int]]:
    """The identifiers of a text that was normalised (NFKC), each with where it begins: what holds letters
    and digits, an underscore, inner capitals or capitals alone, and paths, options and commands."""
    for match in _TOKEN.finditer(text):
        token = _PLURAL.sub("", match[0])
        if not _is_code(token) and "-" in token.strip("-"):
            at = match.start()
            for part in token.split("-"):
                if _is_code(part):
                    yield part, at
                at += len(part) + 1
        elif _is_code(token):
            yield token, match.start()


def read_names(text: str, language: str | None) -> Iterator[str]:
    """The words of a normalised text that look like names: capitalised within a sentence, where the
    language does not capitalise other nouns; before an honorific or in quotation marks in Chinese and
    Japanese, where any Latin word is one, too."""
    if _IS_DENSE.search(text):
        yield from (match[1] for match in _HONOURED.finditer(text))
        yield from (match[1] for match in _QUOTED.finditer(text) if _IS_DENSE.search(match[1]))
        yield from (m[0] for m in _TOKEN.finditer(text) if len(m[0]) > 1 and m[0].isalpha())
        return
    if language and primary(language) in _NOUNS_IN_CAPITALS:
        return
    plain = plain_words(language)
    for match in _TOKEN.finditer(text):
        word = _PLURAL.sub("", match[0])
        if word[0].isupper() and word[1:].islower() and len(word) > 2 and fold(word) not in plain:
            follows = re.match(r" [A-Z][a-z]", text[match.end() : match.end() + 3])
            if follows or not _SENTENCE_START.search(text, max(0, match.start() - 12), match.start()):
                yield word


class Sources:
    """The texts that identifiers and names are looked for in."""

    def __init__(self, texts: list[str], language: str | None) -> None:
        """``texts`` are normalised (NFKC)."""
        self._text = "\n".join(texts)
        self._folded = self._text.casefold()
        self._language = language
        self._stems: frozenset[str] | None = None

    def hold_code(self, code: str) -> bool:
        """Whether the code stands in a text as a whole: RD2 is not in RD23. Case does not count, nor do
        the joints between its parts: E101 is E-101."""
        plain = code.casefold()
        at = self._folded.find(plain)
        while at >= 0:
            if not _continues(self._folded, at - 1, plain[0]) and not _continues(
                self._folded, at + len(plain), plain[-1]
            ):
                return True
            at = self._folded.find(plain, at + 1)
        pattern = _loosely(code)
        return pattern is not None and pattern.search(self._folded) is not None

    def hold_name(self, name: str) -> bool:
        """Whether the name, or another form of it, is a word of a text; in any case of letters."""
        if self.hold_code(name) or (_IS_DENSE.search(name) and name in self._text):
            return True
        if self._stems is None:
            words = {part for word in _TOKEN.findall(self._text) for part in _JOINTS.split(word) if part}
            self._stems = frozenset(stem(word, self._language) for word in words)
        parts = [part for part in _JOINTS.split(name) if part]
        return bool(parts) and all(stem(part, self._language) in self._stems for part in parts)


def _is_code(token: str) -> bool:
    bare = token.lstrip("-\\/~$%@")
    if not any(c.isalpha() for c in bare):
        return len(re.findall(r"[.:]", bare)) > 1 or ":" in bare  # 3.15.98, 12:30
    return bool(
        bare != token
        or "_" in bare.strip("_")
        or _DIGIT_AND_LETTER.search(bare)
        or _CAMEL.search(bare)
        or (len(bare) > 1 and bare.isupper() and bare.isalpha())
        or re.search(r"\w[.:@]\w|::|->", bare)
        or (bare.count("/") > 1)
        or (any(c.isdigit() for c in bare) and any(c.isalpha() for c in bare))
    )


def _continues(text: str, at: int, edge: str) -> bool:
    """Whether the character at ``at`` goes on with the word whose edge is ``edge``."""
    if not 0 <= at < len(text):
        return False
    return edge.isalnum() and _IN_WORD.match(text, at) is not None


@lru_cache(maxsize=4096)
def _loosely(code: str) -> re.Pattern[str] | None:
    """The code with joints left out or put in where letters meet digits; None where it has no parts."""
    pieces = _PIECE.findall(code.casefold())
    if len(pieces) < 2:
        return None
    # A single letter and a number with a space between are two things more often than one.
    joint = r"[-_./: ‑]" if len(pieces[0]) > 1 else r"[-_./:‑]"
    body = pieces[0]
    for before, piece in pairwise(pieces):
        both = before[-1].isdigit() and piece[0].isdigit()
        body += (joint if both else f"{joint}?") + piece
    return re.compile(rf"(?<![{_LETTER}\d]){body}(?![{_LETTER}\d])")
