"""Korean words in PDFs: MuPDF puts no space into a gap next to a syllable, though Korean has spaces."""

from __future__ import annotations

import html
import re

_HANGUL = re.compile(rb"[\xea-\xed][\x80-\xbf]{2}")
_SPACED = re.compile(rb"[\xea-\xed][\x80-\xbf]{2} ")
_FIRST_BYTES = b"\xea\xeb\xec\xed"
_LEAST = 40
_USUAL_WORD = 12
_GAP = 0.13
_LINE = re.compile(r"<line .*?</line>", re.DOTALL)
_CHARACTER = re.compile(r'<font [^>]*size="([\d.]+)"|<char c="([^"]*)" quad="([-\d.]+) [-\d.]+ ([-\d.]+)')


def looks_unspaced(written: bytes) -> bool:
    """Whether a page (in UTF-8) is Korean and has far fewer spaces than Korean has."""
    if len(written.translate(None, _FIRST_BYTES)) > len(written) - _LEAST:
        return False
    syllables = len(_HANGUL.findall(written))
    return syllables >= _LEAST and len(_SPACED.findall(written)) * _USUAL_WORD < syllables


def spaced_lines(xml: bytes) -> list[str]:
    """The text of each line of a page that MuPDF wrote as XML, with a space in every gap by a syllable."""
    return [_spaced(line) for line in _LINE.findall(xml.decode("utf-8", "replace"))]


def _spaced(line: str) -> str:
    text = ""
    size = end = 0.0
    for font, written, left, right in _CHARACTER.findall(line):
        if font:
            size = float(font)
            continue
        character = html.unescape(written)
        beside = text and (_is_syllable(text[-1]) or _is_syllable(character))
        if beside and float(left) - end > _GAP * size and not (text[-1].isspace() or character.isspace()):
            text += " "
        text += character
        end = float(right)
    return text


def _is_syllable(character: str) -> bool:
    return "\uac00" <= character <= "\ud7a3"
