"""Secrets that are told by the name before them: ``password = ...``, ``api_key: ...``, ``user:...@host``."""

from __future__ import annotations

import re
from collections.abc import Callable

from .pattern import Pattern
from .randomness import is_drawn

_PASSWORD = r"(?:passw(?:or)?d|(?<![A-Za-z])pwd|passphrase|passcode)"
_SECRET = (
    r"(?<![A-Za-z])(?:(?:api|access|auth|secret|client|private|account|encryption|signing|shared|master|session|"
    r"refresh|webhook|consumer|storage)[ _-]?(?:access[ _-]?)?(?:key|token|secret)|secret|token|apikey)"
)
_SETS = r"[\"'`]?(?:[ \t]{1,3}(?:is|was))?[ \t]{0,3}(?::=|=>|[=:])[ \t]{0,3}"
_QUOTED = r"(?P<quote>[\"'`])(?P<secret>[^\"'`\n]{4,200})(?P=quote)"
_BARE = r"(?P<secret>(?:(?![\"'`<>|,;(){}\[\]])[!-~]){6,200})"
_DRAWN = r"(?P<secret>[A-Za-z0-9_\-+/.=~]{2,200})"
_LEAST = 12
_STANDS_FOR = re.compile(
    r"[<$%{*\[/~].*|.*(?:\$\{|\$\(|%s).*|(.)\1+|(?:your|my|the|some|new|old)?[ _-]?(?:\w+[ _-])?"
    r"(?:password|passwd|secret|token|key|pass|string|value|none|null|true|false|example|changeme)\w{0,3}",
    re.IGNORECASE,
)
"""What stands in manuals where a password would."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z_.:>-]*")


def _is_set(value: str) -> bool:
    """Whether what stands in quotation marks is a password and no word that stands for one."""
    return not _STANDS_FOR.fullmatch(value.strip()) and " " not in value.strip()


def _is_bare(value: str) -> bool:
    """The same of what stands there bare: with a digit or a sign in it, for names of variables have none."""
    value = value.rstrip(".")
    return len(value) >= 6 and _is_set(value) and not _NAME.fullmatch(value) and not value.isdigit()


def _is_key(value: str) -> bool:
    return len(value) >= _LEAST and is_drawn(value)


def _assigned(kind: str, name: str, value: str, check: Callable[[str], bool]) -> Pattern:
    form = re.compile(rf"(?i:{name}){_SETS}{value}")
    return Pattern(kind, form, check)


URLS = (
    Pattern(
        "password",
        re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@\"'<>]{0,80}:(?P<secret>[^\s@/\"'<>]{3,100})@"),
        _is_set,
    ),
)
NAMED = (
    _assigned("password", _PASSWORD, _QUOTED, _is_set),
    _assigned("password", _PASSWORD, _BARE, _is_bare),
    _assigned("key", _SECRET, _QUOTED, _is_key),
    Pattern("key", re.compile(rf"(?i:{_SECRET}){_SETS}{_DRAWN}"), is_drawn, open=True, least=_LEAST),
)
