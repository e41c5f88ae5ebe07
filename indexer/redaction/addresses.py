"""Addresses of mail (RFC 5321), also where a line ends inside one."""

from __future__ import annotations

import re

from .pattern import BREAK, Pattern

_LETTER = r"A-Za-z0-9\u00c0-\u024f\u0370-\u052f"
_LOCAL = rf"(?<![{_LETTER}.%+@-])[{_LETTER}_](?:[{_LETTER}._%+'-]{{0,62}}[{_LETTER}_+-])?"
_HOST = rf"(?:[{_LETTER}](?:[{_LETTER}-]{{0,62}}[{_LETTER}])?\.)+[A-Za-z]{{2,24}}(?![A-Za-z0-9@])"
_NO_DOMAIN = """
service socket target timer mount slice path device swap scope png jpg jpeg gif svg webp html htm pdf txt
conf cfg ini log json xml yaml yml toml lock exe dll
"""
"""Units of systemd (``getty@tty1.service``) and endings of files."""
_COMMON = """
com org net edu gov mil int info io dev app ai co de uk fr it es nl ch at se no fi dk pl cz ru jp cn kr tw br
au ca us in eu be pt gr ie nz za mx biz
"""
_NO_DOMAINS, _COMMON_DOMAINS = frozenset(_NO_DOMAIN.split()), frozenset(_COMMON.split())


def _is_address(found: str) -> bool:
    return found.rpartition(".")[2].lower() not in _NO_DOMAINS and ".." not in found


def _is_broken_address(found: str) -> bool:
    """Whether it is one once the end of the line is taken out: of a common domain, for words follow."""
    joined = re.sub(BREAK, "", found)
    whole = re.fullmatch(_LOCAL + "@" + _HOST, joined)
    return whole is not None and joined.rpartition(".")[2].lower() in _COMMON_DOMAINS


_BROKEN_AFTER = r"(?:\n[._+-]| \.|-\n|(?<=[_+])\n|(?<=[_+].)\n|(?<=[_+]..)\n)"
_BROKEN_NAME = rf"(?<![{_LETTER}.%+@-])[{_LETTER}._+-]{{1,40}}{_BROKEN_AFTER}[{_LETTER}._+-]{{0,40}}@{_HOST}"
"""Its part before the @ goes over a line: seen only where a sign stands at the break."""
ADDRESSES = (
    Pattern("email", re.compile(_BROKEN_NAME), _is_address),
    Pattern("email", re.compile(rf"{_LOCAL}@{_HOST}"), _is_address),
    Pattern(
        "email",
        re.compile(
            rf"{_LOCAL}(?:@{BREAK}|{BREAK}@|@[{_LETTER}.-]{{1,60}}{BREAK})[{_LETTER}.-]{{2,60}}(?![A-Za-z0-9@])"
        ),
        _is_broken_address,
        shrinks=True,
    ),
)
