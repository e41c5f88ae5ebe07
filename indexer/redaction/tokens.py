"""Keys and tokens that their issuers gave a form of its own: a prefix, an alphabet, mostly a length.

The forms are those of the issuers' documentation and of their entries in public secret scanning.
"""

from __future__ import annotations

import re

from .pattern import AFTER, BEFORE, BREAK, GAP, Pattern
from .randomness import changes, goes_on, is_drawn, is_mixed

_ANY, _WORD, _HEX, _CAPS = r"[A-Za-z0-9_\-]", "[A-Za-z0-9]", "[0-9a-f]", "[A-Z0-9]"
_MOST_PIECES = 3
_PIECES = re.compile(r"[ \n]+")


def _unbroken(found: str) -> bool:
    """Whether it is in few pieces, and no sentence whose words happen to have the right length."""
    return len(_PIECES.split(found)) <= _MOST_PIECES


def _exact(kind: str, prefix: str, each: str, times: int) -> Pattern:
    """Tokens of one length, broken anywhere."""
    begins = GAP.join(map(re.escape, prefix))
    form = f"{BEFORE}{begins}(?:{GAP}{each}){{{times}}}(?![A-Za-z0-9_])"
    return Pattern(kind, re.compile(form), _unbroken)


def _open(kind: str, prefix: str, each: str = _ANY, least: int = 20) -> Pattern:
    """Tokens of any length from ``least`` on."""
    return Pattern(kind, re.compile(f"{BEFORE}(?:{prefix}){each}{{2,}}"), is_mixed, open=True, least=least)


_BLOCK = r"(?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
PRIVATE_KEYS = (
    Pattern(
        "private_key",
        re.compile(
            rf"-----BEGIN {_BLOCK}(?:(?:(?!-----BEGIN ).){{0,20000}}?-----END {_BLOCK}"
            r"|(?:\s*[A-Za-z0-9+/=]{16,})*(?:\s*[A-Za-z0-9+/]+={1,2})?)",
            re.DOTALL,
        ),
    ),
)
"""Blocks in the form of PEM (RFC 7468) and OpenPGP; of one whose end is missing, its lines."""

KEYS = (
    *(_exact("key", prefix, _CAPS, 16) for prefix in ("AKIA", "ASIA", "ABIA", "ACCA")),
    _exact("key", "AIza", _ANY, 35),
    _exact("key", "shpat_", "[0-9a-fA-F]", 32),
    _exact("key", "dop_v1_", _HEX, 64),
    _exact("key", "key-", "[0-9a-z]", 32),
    _exact("key", "SK", _HEX, 32),
    _exact("key", "LTAI", _WORD, 20),
    _exact("key", "AGE-SECRET-KEY-1", _CAPS, 58),
    _open(
        "key", r"sk-(?:proj-|ant-|or-|svcacct-)?|[srp]k_(?:live|test)_|whsec_|pypi-|glsa_|dckr_pat_|GOCSPX-"
    ),
    _open("key", r"gsk_|r8_|sq0[a-z]{3}-|figd_|PMAK-|NRAK-|lin_api_|sntrys_|tvly-"),
    _open("key", r"SG\.|hvs\.|ya29\.", r"[A-Za-z0-9_\-.]"),
)

TOKENS = (
    *(_exact("token", f"gh{sort}_", _WORD, 36) for sort in "pousr"),
    _exact("token", "glpat-", _ANY, 20),
    _exact("token", "npm_", _WORD, 36),
    _exact("token", "hf_", _WORD, 34),
    Pattern("token", re.compile(rf"{BEFORE}eyJ[A-Za-z0-9_\-.]{{6,}}"), is_drawn, open=True, least=36),
    _open("token", GAP.join("github_pat_"), least=60),
    _open("token", "xox[abeoprs]-|xapp-"),
    Pattern(
        "token",
        re.compile(r"\b(?:Bearer|Basic|Token)\s+(?P<secret>[A-Za-z0-9_\-+/.=~]{2,})"),
        is_drawn,
        open=True,
        least=16,
    ),
)

_DRAWN = r"[A-Za-z0-9+/_\-]"
_NOT_AFTER = r"(?<![A-Za-z0-9+/_.\-])(?m:(?<!^:))"
_LEAST_DRAWN = 32
_CHANGES = 0.35


def _is_piece(first: str) -> bool:
    return any(map(str.isdigit, first)) or changes(first) >= _CHANGES


def _is_broken(found: str) -> bool:
    """Whether a short piece and the next, behind a break, are one random string."""
    first, _, rest = re.split(f"({BREAK})", found, maxsplit=1)
    joined = first + rest
    return len(joined) >= _LEAST_DRAWN and _is_piece(first) and goes_on(rest) and is_drawn(joined)


RANDOM = (
    Pattern(
        "random",
        re.compile(rf"{_NOT_AFTER}{_DRAWN}{{3,15}}{BREAK}{_DRAWN}{{17,}}={{0,2}}{AFTER}"),
        _is_broken,
    ),
    Pattern(
        "random",
        re.compile(rf"{_NOT_AFTER}{_DRAWN}{{16,}}={{0,2}}{AFTER}"),
        is_drawn,
        open=True,
        least=_LEAST_DRAWN,
    ),
)
"""Strings of 32 characters or more that nobody wrote. The lines of Intel's hex files begin with a colon."""
