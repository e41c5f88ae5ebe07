"""Text of documents and questions, fit to be shown: nothing in it drives a terminal or turns a line."""

from __future__ import annotations

_CONTROLS = dict.fromkeys((*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0)), "")
_BIDI = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), "")
_UNSAFE = _CONTROLS | _BIDI


def safe(text: str) -> str:
    """Text for a terminal: no control characters but tab and newline, no overrides of the writing
    direction, lone surrogates written out. Document text must pass through here."""
    clean = text.translate(_UNSAFE)
    return clean if clean.isascii() else clean.encode("utf-8", "backslashreplace").decode("utf-8")
