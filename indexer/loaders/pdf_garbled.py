"""Text layers that say something else than their page shows: letters without meaning, broken Unicode maps.

A font that does not say which characters its glyphs are comes out as replacement characters, as private
ones, or as a cipher: each letter shifted or exchanged for another one. What is looked for here are signs of
that which no language, table or listing has. They cost microseconds on a page that is as it should be.
"""

from __future__ import annotations

import re
import unicodedata

from ..function_words import FUNCTION_WORDS

_LEAST_LETTERS = 80
"""Fewer letters do not say what their language is."""
_TELLING = 250
"""So many letters are needed for their frequencies to say something."""
_VOWELS = b"aeiouyAEIOUY"
_FREQUENT = b"etaoinsrETAOINSR"
"""The commonest letters of the languages of Europe, which are three in five of a text's."""
_NO_LETTERS = bytes(code for code in range(256) if not chr(code).isascii() or not chr(code).isalpha())
_NO_SIGNS = bytes(c for c in range(256) if c <= 32 or c >= 127 or chr(c).isalnum() or c == ord("."))
"""A row of dots leads the eye in a table of contents; it counts neither way."""
_FEWEST_VOWELS, _FEW_FREQUENT = 0.2, 0.44
_SMALL, _FIGURES = b"abcdefghijklmnopqrstuvwxyz", b"0123456789"
_SMALLS = 0.6
"""The share of small letters above which letters are words rather than names of parts."""
_FEW_LETTERS = 0.35
_MANY_SIGNS = 14
_MEANINGLESS = 0.6
"""Below that it is the notes, arrows or icons of a page whose words can be read."""
_WITHOUT_MEANING = re.compile("[\ufffd\ue000-\uf8ff\U000f0000-\U0010ffff\x80-\x9f]")
_HOLED, _FEWEST_HOLES = 0.02, 8
"""From so large a share of the letters on, and so many, words are missing letters. Of 4,024 pages of manuals
and reports in five languages, formulas and icons among them, none had a share of .008."""
_LOST, _FEWEST_LOST = 0.1, 20
"""The same of letters that are missing with their whole words: rows of signs are such, too, up to .016."""
_WORD_WITHOUT_MEANING = re.compile(f"{_WITHOUT_MEANING.pattern}{{3,}}")
_UNSPACED = re.compile(r"[A-Za-z\u00c0-\u024f\u0370-\u04ff]{30,}")
_RUN = re.compile(r"[A-Za-z0-9+/:_-]{20,}")
_SEQUENCE = re.compile("[ACGTUNacgtun-]+|[ACDEFGHIKLMNPQRSTVWY-]+")
"""Nucleotides, or amino acids: a cipher of that many letters has others, too."""
_ACCENTED = re.compile("[\u00a1-\u00bf\u00c0-\u024f]")
_IDEOGRAPH = re.compile("[\u3400-\u9fff]")
_MANY_ACCENTED = 0.5
_COMMON = frozenset(
    "的一是不在有我他这個个们了中人大上为和国地到以说時时要就出会可也你对生能而子那得于着下自之年过发后作里"
    "用方如成行所然家种事法定同文数使或其请件本请與为從从及这無无式系统日号章第入数目名设置命令"
)
_FEW_COMMON = 0.03
_TOKEN = re.compile(r"[^\W\d_]+")


def share_without_meaning(text: str, unmapped: int) -> float:
    """Which share of a page's letters nobody can know the meaning of: replacement characters, those of
    private use, control characters, and the ``unmapped`` ones that were left out already."""
    if text.isascii() and not unmapped:
        return 0.0
    lost = len(_WITHOUT_MEANING.findall(text)) + unmapped
    return lost / (len(text) + unmapped) if lost else 0.0


def is_garbled(text: str, unmapped: int = 0) -> bool:
    """Whether ``text`` is what a broken font map makes of a page, not what stands on it."""
    if share_without_meaning(text, unmapped) > _MEANINGLESS:
        return True
    if not text.isascii() and _is_unlikely_script(text):
        return True
    return _is_cipher(text) and _is_cipher(_RUN.sub(_unless_data, text))


def is_holed(text: str, unmapped: int = 0) -> bool:
    """Whether letters without meaning stand inside the words of ``text``, or stand for whole words and lines
    (``unmapped``) of it: single signs, icons and bullets that stand apart from words are none of it."""
    if text.isascii() and unmapped < _FEWEST_LOST:
        return False
    inside = sum(_is_in_word(text, hole.start()) for hole in _WITHOUT_MEANING.finditer(text))
    lost = inside + unmapped + sum(map(len, _WORD_WITHOUT_MEANING.findall(text)))
    if inside < _FEWEST_HOLES and lost < _FEWEST_LOST:
        return False
    letters = sum(map(_is_of_word, text))
    return (inside >= _FEWEST_HOLES and inside > _HOLED * letters) or (
        lost >= _FEWEST_LOST and lost > _LOST * letters
    )


def _is_in_word(text: str, at: int) -> bool:
    return any(map(_is_of_word, text[max(0, at - 1) : at] + text[at + 1 : at + 2]))


def _is_of_word(character: str) -> bool:
    return character.isalpha() or unicodedata.category(character) in ("Mn", "Mc")


def _unless_data(run: re.Match[str]) -> str:
    """A long run without spaces, or nothing where it is base64, hex, a key or a sequence: figures all over,
    or capitals as well as small letters, which words without their spaces do not have."""
    text = run[0]
    figures, capitals, smalls = (
        sum(map(is_kind, text)) for is_kind in (str.isdigit, str.isupper, str.islower)
    )
    mixed = 8 * figures > len(text) or 5 * min(capitals, smalls) > len(text)
    return " " if mixed or _SEQUENCE.fullmatch(text) else text


def _is_cipher(text: str) -> bool:
    """Latin letters, but in no language's proportions, or hardly any among the signs, or without spaces."""
    plain = text.encode("ascii", "ignore")
    letters = plain.translate(None, _NO_LETTERS)
    if 8 * (len(text) - len(plain)) > len(letters):
        return False
    if len(letters) < _LEAST_LETTERS:
        return _is_mostly_signs(plain, letters)
    if _is_unlikely(letters) and _is_like_prose(plain, letters) and not _has_words(text):
        return True
    if len(letters) < _FEW_LETTERS * len(plain) and _is_mostly_signs(plain, letters):
        return True
    return _is_unspaced(text, len(letters))


def _is_unlikely(letters: bytes) -> bool:
    """Whether letters have too few vowels, or too few of the commonest among them, to be a language's."""
    vowels = len(letters) - len(letters.translate(None, _VOWELS))
    frequent = len(letters) - len(letters.translate(None, _FREQUENT))
    too_few = len(letters) >= _TELLING and frequent < _FEW_FREQUENT * len(letters)
    return too_few or vowels < _FEWEST_VOWELS * len(letters)


def _is_like_prose(plain: bytes, letters: bytes) -> bool:
    """Whether words stand there, small letters with few figures and signs, or letters in a row without
    spaces: a table of part numbers, a listing or instructions are neither."""
    small = len(letters) - len(letters.translate(None, _SMALL))
    if 12 * plain.count(b" ") < len(letters):
        return True
    others = len(plain) - len(plain.translate(None, _FIGURES)) + len(plain.translate(None, _NO_SIGNS))
    return small > _SMALLS * len(letters) and 6 * others < len(letters)


def _is_mostly_signs(plain: bytes, letters: bytes) -> bool:
    """Whether signs of many kinds stand where a text has letters and figures."""
    signs = plain.translate(None, _NO_SIGNS)
    words = len(plain) - len(signs) - plain.count(b" ") - plain.count(b".")
    return len(signs) >= _LEAST_LETTERS and len(signs) > words and len(set(signs)) >= _MANY_SIGNS


def _has_words(text: str) -> bool:
    """Whether a tenth of the words are such as every sentence holds; single letters are in a cipher, too."""
    words = _TOKEN.findall(text.lower())
    return 10 * sum(len(word) > 1 and word in FUNCTION_WORDS for word in words) >= len(words)


def _is_unspaced(text: str, letters: int) -> bool:
    """Whether most letters stand in runs that no word reaches."""
    if text.count(" ") > letters // 12:
        return False
    return 2 * sum(map(len, _UNSPACED.findall(text))) > letters


def _is_unlikely_script(text: str) -> bool:
    """Accents on every other letter, or ideographs of which none is a common one."""
    accented = len(_ACCENTED.findall(text))
    if accented > _LEAST_LETTERS // 2:
        letters = sum(map(len, _TOKEN.findall(text)))
        if accented > _MANY_ACCENTED * letters:
            return True
    ideographs = _IDEOGRAPH.findall(text)
    if len(ideographs) < 2 * _LEAST_LETTERS or re.search("[\u3040-\u30ff\uac00-\ud7a3]", text):
        return False
    return sum(letter in _COMMON for letter in ideographs) < _FEW_COMMON * len(ideographs)
