"""Numbers that can be told by their check digits or their form: cards, bank accounts, telephones."""

from __future__ import annotations

import re

from .pattern import AFTER, GAP, Pattern

_CARDS = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|6(?:011|4[4-9]\d|5\d\d)\d{12}|62\d{14,17}"
)
"""Lengths and first digits of the large issuers (ISO/IEC 7812)."""
_GROUPED = {(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (4, 4, 4, 1)}
_SHORTEST, _LONGEST = 13, 19
_LEAST_DIFFERENT, _MOST_DIFFERENT = 2, 6
_IBAN_LENGTHS = {
    code: length
    for length, codes in {
        15: "NO", 16: "BE", 18: "DK FI FO GL NL SD", 19: "MK SI", 20: "AT BA EE KZ LT LU XK",
        21: "CH HR LI LV", 22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST", 26: "IS TR",
        27: "BI DJ FR GR IT MC MR SM", 28: "AL AZ BY CY DO GT HU LB NI PL SV", 29: "BR EG PS QA UA",
        30: "JO KW MU", 31: "MT SC", 32: "LC", 33: "RU",
    }.items()
    for code in codes.split()
}  # fmt: skip
"""The registry of ISO 13616."""
_CALLING = re.compile(
    r"(1|7|2[07]|3[0123469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|2[1-69]\d|3[578]\d|42\d|50\d|59\d|6[789]\d"
    r"|8[0578]\d|9[679]\d)(\d+)"
)
"""Country codes of ITU-T E.164, and what follows."""
_NATIONAL = {"1": re.compile(r"[2-9]\d{2}[2-9]\d{6}"), "7": re.compile(r"\d{10}")}
_MOST_GROUPS = 6


def _is_card(written: str) -> bool:
    """Whether digits, in groups as on a card, in one run or broken once by a line, are a card's number: an
    issuer's length and first digits, and Luhn's check digit (ISO/IEC 7812)."""
    digits = re.sub(r"\D", "", written)
    if not _SHORTEST <= len(digits) <= _LONGEST:
        return False
    sizes = [len(group) for group in re.findall(r"\d+", written)]
    broken = [(*sizes[:at], sizes[at] + sizes[at + 1], *sizes[at + 2 :]) for at in range(len(sizes) - 1)]
    in_line = len(sizes) == 1 or (
        len(sizes) == 2 and ("\n" in written or len(set(digits)) >= _MOST_DIFFERENT)
    )
    if not in_line and not any(tuple(each) in _GROUPED for each in (sizes, *broken)):
        return False
    return bool(_CARDS.fullmatch(digits)) and len(set(digits)) >= _LEAST_DIFFERENT and _luhn(digits)


def _is_iban(written: str) -> bool:
    """Whether it is an account's number of a country's length with the right check digits (ISO 13616)."""
    bare = re.sub(r"[^A-Za-z0-9]", "", written).upper()
    if _IBAN_LENGTHS.get(bare[:2]) != len(bare):
        return False
    return int("".join(str(int(character, 36)) for character in bare[4:] + bare[:4])) % 97 == 1


def _is_phone(written: str) -> bool:
    """Whether it is a telephone's number in international form: a country's code, 8 to 15 digits, and groups
    as they are written."""
    written = re.sub(r"^(?:\+|00)\s*|\(0\)", "", written)
    groups = re.findall(r"\d+", written)
    match = _CALLING.fullmatch("".join(groups))
    short = sum(len(group) < 2 for group in groups[1:-1])
    if match is None or len(groups) > _MOST_GROUPS or short > 1 + ("\n" in written):
        return False
    if "." in written and len(groups) < 3:
        return False
    code, national = match.groups()
    if code in _NATIONAL:
        return bool(_NATIONAL[code].fullmatch(national))
    return 8 <= len(code + national) <= 15 and len(national) >= 6 and len(set(national)) > 1


def _luhn(digits: str) -> bool:
    doubled = (2 * int(digit) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(d - 9 * (d > 9) for d in doubled)) % 10 == 0


_REST = r"(?:[ .\-/\u00a0\u2010\u2011\n]{0,3}(?:\(\d+\)|\d+)){1,7}(?!\w|[.,]\d)"
_ANNOUNCED = r"(?i:\b(?:tel|phone|telephone|telefon|fax|mobile|handy|cell|call|dial)\b)[^\n\d+]{0,20}"
CARDS = (
    Pattern(
        "card",
        re.compile(r"(?<![\w.,+-])[2-6]\d(?:[\s-]{0,3}\d){11,21}(?!\w|[.,]\d)"),
        _is_card,
        shrinks=True,
    ),
)
IBANS = (
    Pattern(
        "iban",
        re.compile(rf"(?<!\w)[A-Z]{GAP}[A-Z](?:{GAP}\d){{2}}(?:{GAP}[A-Z0-9]){{11,32}}{AFTER}"),
        _is_iban,
        shrinks=True,
    ),
)
PHONES = (
    Pattern(
        "phone", re.compile(rf"(?<![\w=*/^.,-])(?<!\w\()\+\s?[1-9]\d{{0,3}}{_REST}"), _is_phone, shrinks=True
    ),
    Pattern(
        "phone", re.compile(rf"{_ANNOUNCED}(?P<secret>00[1-9]\d{{0,3}}{_REST})"), _is_phone, shrinks=True
    ),
    Pattern("phone", re.compile(r"(?<!\w)\([2-9]\d{2}\)[ -]?[2-9]\d{2}-\d{4}(?!\w)")),
)
