"""The tokens that names are made of, each with its class: capitalised word, acronym, identifier, number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from .names_lists import CALENDAR, ROMAN, SHOUTED, openers

Shape = Literal["word", "cap", "acronym", "roman", "initial", "identifier", "compound", "number", "other"]
NameKind = Literal["name", "identifier", "acronym", "term"]

LETTER = "A-Za-zÀ-ÖØ-öø-ɏ\u0300-\u036fͰ-ϿЀ-ԯ\u1e00-\u1fff"
"""Letters of the scripts that have capitals, as the inside of a character class."""


class Found(NamedTuple):
    """A name where it stands: ``text[start:end]`` with its white space made single is ``name``. ``kind``
    is name (a capitalised span), identifier, acronym, or term (quoted, or of an unspaced script)."""

    name: str
    start: int
    end: int
    kind: NameKind


class Token(NamedTuple):
    """A stretch of text and what it looks like."""

    text: str
    start: int
    end: int
    shape: Shape


_WORD = rf"[{LETTER}\d_]"
_PATH, _END = r"[A-Za-z\d_.+%-]", r"[A-Za-z\d_+%]"
_TOKEN = re.compile(
    rf"""
      (?P<skip>  # addresses
        (?:https?|ftp|file)://[^\s<>"']{{1,500}}
      | (?<![\w.+-])[\w.+-]{{1,64}}@[\w-]{{1,64}}\.[\w.-]{{2,64}}
      )
    | (?P<sign>  # --option, /a/path, a/relative/path, .NET, \command, $VARIABLE
        (?<![{LETTER}\d_-])--?[A-Za-z][A-Za-z\d_-]*(?:[+.][A-Za-z\d_-]+)*
      | (?<![{LETTER}\d_/.)\]~<-])(?:~|\.\.?)?/(?:{_PATH}{{1,80}}/)*{_PATH}{{0,79}}{_END}
      | (?<![{LETTER}\d_/.~-])[a-z\d_][a-z\d_.+-]{{0,60}}/(?:{_PATH}{{1,60}}/){{1,8}}{_PATH}{{0,60}}{_END}
      | (?<![{LETTER}\d_.)\]'"\\/-])\.[A-Za-z][A-Za-z\d_]*(?:\.[A-Za-z\d_]+)*
      | (?<![{LETTER}\d_\\])\\[A-Za-z]{{2,}}
      | (?<![{LETTER}\d_$])\$\{{?[A-Za-z_][A-Za-z\d_]*\}}?
      )
    | (?P<word>
        {_WORD}+(?:(?:::|->|[.'’\u2010\u2011\u2013-]){_WORD}+)*
        (?:\(\)|\+\+(?![{LETTER}\d_+])|\#(?![{LETTER}\d_#]))?
      )
    """,
    re.VERBOSE,
)
_POSSESSIVE = re.compile(r"['’]s?\Z")
_ELISION = re.compile(r"(?:[cdjlmnst]|qu|gl|dell|nell|all|dall|sull|un)['’](?=\w)", re.IGNORECASE)
_ELIDING = frozenset({"fr", "it", "ca"})
_MEASURE = re.compile(r"\d[\d.,]*(?:[a-zµΩ°]{1,4}|[KMGTkmnpµu]i?[BbAVWFHs]?|[ABCFVWΩ]|[MGTk]Hz|rd|dB)\Z")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|s|er|e|te|ème|º|ª)\Z", re.IGNORECASE)
_FLOAT = re.compile(r"\d[\d.]*[eE][-–‑]?\d+[A-Za-z]?\Z")
_HEX = re.compile(r"0[xX][0-9A-Fa-f]{1,16}\Z")
_DIGEST = re.compile(r"(?:[0-9a-f]{16,}|[0-9A-F]{16,})\Z")
_CAMEL = re.compile(r"[a-zß-ÿ][A-Z]|[A-Z]{2}[a-z]{2}")
_PREFIXED = re.compile(r"(?:Mc|Mac|De|La|Le|Di|Du|Da|Del|Van|Von|Fitz|O['’]|D['’]|L['’])[A-Z][a-zà-ÿ]+\Z")
_PLURAL = re.compile(r"[A-Z]{2,}s\Z")
_MODE = re.compile(r"-[rwxsStT-]{9}")
_LETTERS = re.compile(rf"[{LETTER}]")
_JOINT = re.compile(r"[\u2010\u2011\u2013-]")


def read_tokens(text: str, language: str | None = None) -> Iterator[Token]:
    """The tokens of a text, in order; white space, punctuation and unspaced scripts lie between them.
    Addresses of the web and of people are left out, and a possessive 's is no part of its token."""
    eliding = language in _ELIDING
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "skip":
            continue
        start, end, word = match.start(), match.end(), match[0]
        if match.lastgroup == "sign":
            shape: Shape = "identifier" if _is_sign(word) else "other"
            yield Token(word, start, end, shape)
            continue
        if "'" in word or "’" in word:
            elided = _ELISION.match(word)
            if elided and (eliding or (word[0].islower() and word[elided.end()].isupper())):
                start += elided.end()
                word = word[elided.end() :]
            tail = _POSSESSIVE.search(word)
            if tail:
                end -= len(word) - tail.start()
                word = word[: tail.start()]
        yield Token(word, start, end, shape_of(word))


def _is_sign(word: str) -> bool:
    """Whether an option, path, command or variable is long enough to be one thing rather than any."""
    bare = word.strip("-/~.\\${}")
    if word[0] == "-" and word[1] != "-" and (len(bare) < 3 or _MODE.match(word)):
        return False
    if word.startswith("/") and word.count("/") == 1 and len(bare) < 3:
        return False
    return len(bare) > 1 and _LETTERS.search(bare) is not None and not word.startswith(("-.", "./."))


@lru_cache(maxsize=1 << 16)
def shape_of(word: str) -> Shape:
    """What a token that begins with a letter, digit or underscore looks like."""
    if word.isalpha():
        return _alphabetic(word)
    if len(word) > 80 or not _LETTERS.search(word):
        return "number" if word[:1].isdigit() else "other"
    if _FLOAT.match(word):
        return "number"
    if word.endswith("()"):
        return "identifier" if len(word) > 3 else "other"
    if word.endswith(("+", "#")):
        return "identifier" if word[0].isupper() else "other"
    if "_" in word.strip("_") or "::" in word or "->" in word:
        return "identifier" if len(word) > 3 or word.isupper() else "other"
    if "." in word:
        return _dotted(word)
    if _JOINT.search(word):
        return _hyphened(word)
    if any(map(str.isdigit, word)):
        return _mixed(word)
    if "'" in word or "’" in word:
        return "cap" if word[0].isupper() and any(map(str.islower, word)) else "word"
    return _alphabetic(word.strip("_")) if word.strip("_") else "other"


def _alphabetic(word: str) -> Shape:
    if word.islower():
        return "word"
    if len(word) == 1:
        return "initial"
    if word.isupper():
        return "roman" if word in ROMAN else "acronym"
    if word[0].isupper() and word[1:].islower():
        return "cap"
    if _PREFIXED.match(word):
        return "cap"
    if _PLURAL.match(word):
        return "acronym"
    return "identifier" if _CAMEL.search(word) and len(word) > 2 and word not in ("NaN", "Inf") else "other"


def _mixed(word: str) -> Shape:
    """Letters and digits without a joint."""
    if _HEX.match(word):
        return "identifier" if word[2:].strip("0") else "number"
    if _ORDINAL.match(word) or _MEASURE.match(word):
        return "number"
    if _DIGEST.match(word) or len(word.strip("_")) < 2:
        return "other"
    short = len(word) == 2 and (word[0].islower() or word[0].isdigit())
    return "other" if short else "identifier"


def _dotted(word: str) -> Shape:
    parts = word.split(".")
    letters = [part for part in parts if part and not part.isdigit()]
    if all(len(part) == 1 for part in parts):
        return "acronym" if word.isupper() and len(parts) > 1 and letters == parts else "other"
    if all(len(part) < 3 and part.islower() for part in parts) or max(map(len, letters)) < 2:
        return "other"
    first, last = parts[0], parts[-1]
    if last[:1].isupper() and last[1:].islower() and last.casefold() in openers("en") and first.islower():
        return "other"  # a full stop with no space after it
    if first.casefold() in ("fig", "figs", "tab", "sec", "eq", "vol", "no", "pp", "ch", "abb", "kap", "nr"):
        return "other"
    return "identifier"


def _hyphened(word: str) -> Shape:
    parts = [part for part in _JOINT.split(word) if part]
    shapes = [shape_of(part) for part in parts]
    strong = ("acronym", "identifier", "cap", "roman", "initial")
    if all(shape in ("cap", "acronym", "initial", "roman") for shape in shapes):
        if all(shape in ("acronym", "initial") for shape in shapes):
            return "acronym" if len(parts) > 1 and len(word) > 3 else "other"
        return "compound" if "acronym" in shapes else "cap"
    if shapes[0] in ("acronym", "initial", "identifier") and "number" in shapes and "word" not in shapes:
        return "identifier"  # a part number: VX-12
    if shapes[0] in ("acronym", "identifier") and any(shape in strong for shape in shapes[1:]):
        return "compound"
    if shapes[0] == "cap" and all(shape in (*strong, "number") for shape in shapes):
        return "compound"
    if shapes[0] == "cap" and shapes[1:] == ["word"] and len(parts[1]) <= 3:
        return "cap"  # Inter-op, Ak-hisar: transliterated names
    return "word"


def is_noise(word: str) -> bool:
    """Whether an acronym or capitalised word is a keyword, a word in capitals for stress, a month or day."""
    folded = word.casefold()
    return folded in CALENDAR or (word.isupper() and folded in SHOUTED)
