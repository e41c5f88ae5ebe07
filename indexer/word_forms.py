"""From text to word forms: how a text falls into tokens, and what each token is indexed as.

Three kinds of token are told apart. Words are case-folded, and stemmed beside (Snowball, by language and
script). Identifiers (``CR4.OSFXSR``, ``MAX_BUFFER_SIZE``, ``maxBufferSize``, ``HTTP-403``) count whole and
in parts. Runs of scripts that are written without spaces become overlapping character bigrams, as in
Lucene's CJKAnalyzer: as good as a segmenter for retrieval, with no dictionary.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from itertools import pairwise

import Stemmer  # type: ignore[import-not-found]  # an extension module without types

STEM = "*"
"""Marks a stem among the forms: ``instal*`` is indexed beside ``installation``."""

MAX_PARTS = 6
"""A compound of more parts (a path, an address) is indexed by its parts only."""

_MARK_RANGES = (
    (0x0300, 0x3100), (0xA660, 0xAC00), (0xFB00, 0xFE30), (0x101F0, 0x12000), (0x13430, 0x13460),
    (0x16100, 0x17000), (0x1BC90, 0x1E950), (0xE0100, 0xE01F0),
)  # fmt: skip
"""Where Unicode keeps its combining marks: scanning these finds all of them in a few milliseconds."""

# Han, kana, bopomofo, hangul; Thai, Lao, Myanmar, Khmer. Half-width forms are gone after NFKC.
_DENSE = (
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff\u1100-\u11ff\ua960-\ua97c\uac00-\ud7fb"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ecd\u1000-\u109f\u1780-\u17d3"
)
_INVISIBLE = dict.fromkeys((0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
"""Soft hyphens, zero-width spaces and joiners: they stand inside words and are not part of them."""


def _mark_class() -> str:
    """The inside of a character class that holds every combining mark: ``re`` leaves them out of ``\\w``."""
    points = [p for a, b in _MARK_RANGES for p in range(a, b) if unicodedata.category(chr(p))[0] == "M"]
    starts = [p for i, p in enumerate(points) if i == 0 or points[i - 1] != p - 1]
    ends = [p for i, p in enumerate(points) if i + 1 == len(points) or points[i + 1] != p + 1]
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in zip(starts, ends, strict=True))


_W = rf"[\w{_mark_class()}]"
# One token: words joined by single connectors (or :: and ->), with a possessive 's if there is one.
_TOKEN = re.compile(rf"{_W}+(?:[.:/-][:>]?{_W}+)*(?:['’]s(?!{_W}))?")
_ASCII_TOKEN = re.compile(r"\w+(?:[.:/-][:>]?\w+)*(?:'s(?!\w))?", re.ASCII)
_RUNS = re.compile(f"[{_DENSE}]+|[^{_DENSE}]+")
_DENSE_CHARACTER = re.compile(f"[{_DENSE}]")
_JOINTS = re.compile(r"[.:/>_-]+|['’]s\Z")
_POINT = re.compile(r"(?<=\d)[.:/-](?=\d)")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_ALGORITHMS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian",
    "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali",
    "nl": "dutch", "nn": "norwegian", "no": "norwegian", "pl": "polish", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
_SCRIPTS = (
    (0x0250, "latin", "english"), (0x0370, "", ""), (0x0400, "greek", "greek"),
    (0x0530, "cyrillic", "russian"), (0x0590, "armenian", "armenian"), (0x0600, "", ""),
    (0x0780, "arabic", "arabic"), (0x0900, "", ""), (0x0980, "devanagari", "hindi"), (0x0B80, "", ""),
    (0x0C00, "tamil", "tamil"), (0x1E00, "", ""), (0x1F00, "latin", "english"), (0x2000, "greek", "greek"),
)  # fmt: skip
"""(first code point after the range, script, stemmer where the language is unknown)."""
_OTHER_SCRIPTS = {
    "arabic": "arabic", "persian": "arabic", "greek": "greek", "russian": "cyrillic",
    "armenian": "armenian", "hindi": "devanagari", "nepali": "devanagari", "tamil": "tamil",
}  # fmt: skip


def normalise(text: str) -> str:
    """NFKC without invisible characters: ligatures, full-width and half-width forms become plain ones."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).translate(_INVISIBLE)


def tokens(text: str) -> list[str]:
    """The raw tokens of a :func:`normalise`-d text, in order: words, compounds, unspaced runs."""
    return (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(text)


def is_dense(token: str) -> bool:
    """Whether the token holds characters of a script that is written without spaces."""
    return not token.isascii() and _DENSE_CHARACTER.search(token) is not None


def runs(token: str) -> list[str]:
    """The stretches of a token of one kind each: of scripts written without spaces, and of others."""
    found: list[str] = _RUNS.findall(token)
    return found


def index_forms(token: str, language: str | None) -> tuple[str, ...]:
    """What a raw token is indexed as: its stem, or an identifier whole and in parts, or bigrams."""
    if not is_dense(token):
        return tuple(_compound(token, language))
    forms: list[str] = []
    for run in runs(token):
        forms += bigrams(run) if is_dense(run) else _compound(run, language)
    return tuple(forms)


def phrase_forms(token: str, language: str | None) -> tuple[str, ...]:
    """The forms of a raw token in reading order, each part of it once: for phrase matching."""
    forms: list[str] = []
    for run in runs(token):
        if is_dense(run):
            forms += bigrams(run)
        else:
            forms += [stem(part, language) for part in _JOINTS.split(run) if part]
    return tuple(forms)


def bigrams(run: str) -> list[str]:
    """Overlapping pairs of characters; a run of one character is itself."""
    return [first + second for first, second in pairwise(run)] or [run]


def _compound(token: str, language: str | None) -> list[str]:
    """A token without unspaced script: whole, its joined parts, and the parts of their camelCase.

    A part is indexed as its stem (marked ``*``) and as it stands, so that the exact word counts for more
    than a relative of it.
    """
    if token.isalpha() and token[1:].islower():
        return [stem(token, language) + STEM, fold(token)]
    parts = [part for part in _JOINTS.split(token) if part]
    forms = [stem(_joined(token), language) + STEM] if 1 < len(parts) <= MAX_PARTS else []
    for part in parts:
        forms += (stem(part, language) + STEM, fold(part))
        pieces = _CAMEL.split(part)
        if len(pieces) > 1:
            forms += [stem(piece, language) + STEM for piece in pieces]
    return forms


def _joined(token: str) -> str:
    """A compound as one word: without its connectors, so that MAX_SIZE, maxSize and max-size are one;
    between digits they stay, or 3.14 would be 314."""
    plain = _POINT.sub("\0", token.strip("_"))
    return _JOINTS.sub("", plain).replace("\0", ".")


def fold(word: str) -> str:
    """A word without case (NFKC again, since folding can undo it)."""
    return word.lower() if word.isascii() else unicodedata.normalize("NFKC", word.casefold())


@lru_cache(maxsize=1 << 16)
def stem(word: str, language: str | None) -> str:
    """The case-folded stem of one word; a word with digits in it stays as it is."""
    folded = fold(word)
    algorithm = _algorithm(folded, language)
    if algorithm is None or (not folded.isalpha() and any(map(str.isdigit, folded))):
        return folded
    if algorithm == "english" and not folded.isascii():
        folded = _without_accents(folded)  # before, or é would be no English ending
    stemmed: str = _stemmer(algorithm).stemWord(folded) or folded
    return stemmed if stemmed.isascii() else _without_accents(stemmed)


def _algorithm(word: str, language: str | None) -> str | None:
    """The stemmer for a word: that of the language where it is of its script, else the script's own."""
    script, default = _script(word[0])
    wanted = _ALGORITHMS.get(primary(language)) if language else None
    if wanted and _OTHER_SCRIPTS.get(wanted, "latin") == script:
        return wanted
    return default or None


def _script(character: str) -> tuple[str, str]:
    """The script of a letter, and the stemmer of a text in it whose language is unknown."""
    if character.isascii():
        return "latin", "english"
    return next(((s, d) for end, s, d in _SCRIPTS if ord(character) < end), ("", ""))


@lru_cache(maxsize=256)
def primary(language: str) -> str:
    """The primary subtag of a language tag: ``de`` of ``de-AT`` or ``de_DE``."""
    return re.split("[-_]", language.lower(), maxsplit=1)[0]


def _without_accents(word: str) -> str:
    """Latin letters without their accents, as people type them in a hurry; other scripts unchanged."""
    if ord(word[0]) >= 0x0250 and not 0x1E00 <= ord(word[0]) < 0x1F00:
        return word
    bare = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    return bare or word


_own = threading.local()


def _stemmer(algorithm: str) -> Stemmer.Stemmer:
    """A stemmer of this thread: Snowball's objects hold state while they work."""
    stemmers: dict[str, Stemmer.Stemmer] = _own.__dict__.setdefault("stemmers", {})
    if algorithm not in stemmers:
        stemmers[algorithm] = Stemmer.Stemmer(algorithm, 0)
    return stemmers[algorithm]
