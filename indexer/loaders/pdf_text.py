"""The characters of PDF text: what is normalised, and how the end of one line meets the next."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container

_SOFT_HYPHEN = "\u00ad"
_HYPHENS = "-\u2010\u00ad"


def _replacements() -> dict[int, str | None]:
    table: dict[int, str | None] = dict.fromkeys(range(32))
    table.update({ord("\t"): " ", ord("\n"): " ", ord("\r"): " ", 0xA0: " ", 0x7F: None, 0xFEFF: None})
    table.update(dict.fromkeys((8203, 8288)))
    # Ligatures, and the radicals that some fonts name instead of the ideographs that they draw.
    for first, last in ((0xFB00, 0xFB06), (0x2E80, 0x2EF3), (0x2F00, 0x2FD5)):
        for code in range(first, last + 1):
            plain = unicodedata.normalize("NFKC", chr(code))
            if plain != chr(code):
                table[code] = plain
    return table


_TABLE = _replacements()
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LEADERS = re.compile(r"(?:\s?[.\u2026\u00b7_]){5,}")
_SIGNS_OF_LEADERS = ("...", ". .", "__", "\u2026\u2026", "\u00b7\u00b7", "\u00b7 \u00b7")
_WORD_AT_END = re.compile(r"[^\W_]+(?:[-_][^\W_]+)*$")
_WORD_AT_START = re.compile(r"[^\W_]+")
# A hyphen before these words stands for a part left out ("Ein- und Ausgabe", "pre- and post-").
_JOINING_WORDS = frozenset(
    ["and", "or", "to", "und", "oder", "bzw", "et", "ou", "y", "o", "e", "i", "en", "of"]
)


def clean(text: str) -> str:
    """``text`` without control characters, ligatures and inner soft hyphens, in composed form.

    A soft hyphen at the end stays: it says that the word goes on in the next line.
    """
    if text.isascii():
        return _CONTROL.sub("", text) if not text.isprintable() else text
    text = text.translate(_TABLE)
    if _SOFT_HYPHEN in text:
        kept = text.rstrip()
        text = kept[:-1].replace(_SOFT_HYPHEN, "") + kept[-1:]
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def shorten_leaders(text: str) -> str:
    """``text`` with the rows of dots of a table of contents cut to three."""
    return _LEADERS.sub(" ...", text) if any(sign in text for sign in _SIGNS_OF_LEADERS) else text


def is_ideographic(character: str) -> bool:
    """Whether ``character`` belongs to a script written without spaces (Han, kana, their punctuation)."""
    code = ord(character)
    return (
        0x2E80 <= code <= 0x312F
        or 0x31A0 <= code <= 0x9FFF
        or 0xF900 <= code <= 0xFAFF
        or 0xFE30 <= code <= 0xFE4F
        or 0xFF00 <= code <= 0xFFEF
        or 0x20000 <= code <= 0x3FFFF
    )


def _is_hangul(character: str) -> bool:
    return "\uac00" <= character <= "\ud7a3"


def join_lines(before: str, after: str, words: Container[str]) -> str:
    """``before`` and ``after``, two lines of one paragraph, as one.

    A word divided at the line's end is made whole; ``words`` (those seen in the document) decides where
    the hyphen could be a real one. No space comes between ideographs.
    """
    before, after = before.rstrip(), after.lstrip()
    if not before or not after:
        return before or after
    if is_divided(before, after):
        return _mend(before, after, words)
    if is_ideographic(before[-1]) or is_ideographic(after[0]):
        return before + after
    if _is_hangul(before[-1]) and _is_hangul(after[0]) and _divided(before, after, words):
        return before + after
    return f"{before} {after}"


def is_divided(before: str, after: str) -> bool:
    """Whether ``before`` ends with a hyphen inside what goes on with ``after``."""
    return len(before) > 1 and before[-1] in _HYPHENS and before[-2].isalnum() and after[:1].isalnum()


def _divided(before: str, after: str, words: Container[str]) -> bool:
    """Whether a Korean word was divided: together the two halves are a word of this document."""
    first, last = before.rsplit(None, 1)[-1], after.split(None, 1)[0]
    return first + last in words or (first + last).rstrip(".,:;)") in words


def _mend(before: str, after: str, words: Container[str]) -> str:
    if before[-1] == _SOFT_HYPHEN:
        return before[:-1] + after
    left = _WORD_AT_END.search(before[:-1])
    right = _WORD_AT_START.match(after)
    if left is None or right is None:
        return before + after
    first, last = left.group(), right.group()
    if last in _JOINING_WORDS and first + last not in words:
        return f"{before} {after}"
    keep = not _could_be_divided(first, last) or _is_known_with_hyphen(first, last, words)
    return before + after if keep else before[:-1] + after


def _could_be_divided(first: str, last: str) -> bool:
    """Whether two halves look like one divided word: letters, no identifier, the second in lower case."""
    plain = first.isalpha() and (first.islower() or first.istitle())
    return plain and last.isalpha() and last.islower()


def _is_known_with_hyphen(first: str, last: str, words: Container[str]) -> bool:
    return not _is_known(first + last, words) and _is_known(f"{first}-{last}", words)


def _is_known(word: str, words: Container[str]) -> bool:
    """Whether ``word`` was seen in the document, perhaps before a sign or at another place of a sentence."""
    forms = (word, word.lower())
    return any(form + sign in words for form in forms for sign in ("", ".", ",", ";", ":", ")"))
