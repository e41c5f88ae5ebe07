"""Bytes to text, whatever they are encoded in; and bytes that are no text at all."""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass
from typing import Final

SAMPLE = 1 << 16
"""How many bytes are looked at to tell an encoding or a type."""

_BOMS: Final = (
    # The four bytes of UTF-32 LE begin with the two of UTF-16 LE, so they are tried first.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LEGACY: Final = (
    "gb18030", "big5", "cp932", "euc_jp", "iso2022_jp", "cp949", "johab",
    "cp1252", "cp1250", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp874",
    "latin_1", "iso8859_2", "iso8859_5", "iso8859_7", "iso8859_15", "mac_roman", "cp437", "cp850",
)  # fmt: skip
_CONTROL = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_ODD: Final = frozenset(("Cc", "Cn", "Co", "Cs"))
_COMMON = re.compile("[\\s0-9A-Za-z\u3001\u3002\u3041-\u30ff\uff0c]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text with ``\\n`` line ends and no byte order mark; ``undecodable`` bytes became U+FFFD."""

    text: str
    encoding: str
    undecodable: int = 0


def decode(data: bytes) -> Decoded:
    """Turn bytes into text: by byte order mark, else UTF-8, else the likeliest older encoding.

    Bytes that the chosen encoding does not know become U+FFFD and are counted, never dropped.
    """
    encoding = sniff(data)
    if encoding is None:
        encoding = "latin_1"
    try:
        return Decoded(_unix_lines(data.decode(encoding)), encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
        return Decoded(_unix_lines(text), encoding, text.count("\ufffd"))


def scrub(text: str) -> str:
    """Text with each lone surrogate (a half of a character, as JSON can spell it) as U+FFFD."""
    return _LONE_SURROGATE.sub("\ufffd", text) if _LONE_SURROGATE.search(text) else text


def sniff(data: bytes, *, whole: bool = True) -> str | None:
    """The name of the encoding that ``data`` is in, None where it is not text.

    ``whole`` is false for the beginning of a file, which may end in the middle of a character.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return encoding
    sample = data[:SAMPLE]
    if (b"\0" in sample or _looks_wide(sample)) and (wide := _wide(sample)) is not None:
        return wide
    if len(_CONTROL.findall(sample)) > 1 + len(sample) // 50:
        return None
    if b"\x1b$" in sample and _decodes(sample, "iso2022_jp"):
        return "iso2022_jp"
    return "utf-8" if _is_utf8(data, whole) else _legacy(data)


def _is_utf8(data: bytes, whole: bool) -> bool:
    """Whether this is UTF-8, perhaps with a few broken bytes: under one in fifty characters beyond ASCII."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data, final=whole)
    except UnicodeDecodeError:
        text = data.decode("utf-8", "surrogateescape")
        broken = len(_LONE_SURROGATE.findall(text))
        beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
        return broken * 50 < beyond_ascii
    return True


def _decodes(sample: bytes, encoding: str) -> bool:
    """Whether a sample decodes, but perhaps for its last few bytes."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(sample)
    except UnicodeDecodeError:
        return False
    return True


def _looks_wide(sample: bytes) -> bool:
    """Whether the control characters all stand at even or all at odd places, as UTF-16 line ends do."""
    places = {match.start() % 2 for match in _CONTROL.finditer(sample)}
    return len(places) == 1 and len(sample) % 2 == 0


def _wide(sample: bytes) -> str | None:
    """UTF-16 or UTF-32 without its mark: of those by which nearly all characters are assigned, the one
    by which the most are spaces, line ends, digits, Latin letters, kana or ideographic stops."""
    best, most = None, 0.02
    for encoding in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(sample)
        except UnicodeDecodeError:
            continue
        odd = sum(1 for c in text if unicodedata.category(c) in _ODD and c not in "\t\n\r\f")
        common = len(_COMMON.findall(text))
        if odd * 50 <= len(text) and common > 1 and common / len(text) > most:
            best, most = encoding, common / len(text)
    return best


def _legacy(data: bytes) -> str | None:
    """The likeliest encoding of before Unicode, by charset-normalizer's mess and language measures."""
    from charset_normalizer import from_bytes

    sample = data[:SAMPLE]
    if len(data) > SAMPLE:
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    best = from_bytes(sample, cp_isolation=list(_LEGACY), enable_fallback=False).best()
    return None if best is None else best.encoding


def _unix_lines(text: str) -> str:
    text = text.removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
