"""Where secrets stand in a text, and the text with placeholders in their places."""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Protocol

from ..digests import digest
from .addresses import ADDRESSES
from .named import NAMED, URLS
from .national_phones import NationalPhones
from .numbers import CARDS, IBANS, PHONES
from .pattern import Pattern
from .randomness import is_hex
from .settings import KINDS, RedactSettings
from .tokens import KEYS, PRIVATE_KEYS, RANDOM, TOKENS

if TYPE_CHECKING:
    from ..errors import TreegraphError

VERSION = 1
"""Raised when the same settings find other secrets than before."""
_FORMS: tuple[Pattern, ...] = (
    *PRIVATE_KEYS, *TOKENS, *KEYS, *URLS, *NAMED, *IBANS, *CARDS, *ADDRESSES, *PHONES, *RANDOM
)  # fmt: skip
"""Where two fit the first is meant."""
_DIGESTS = re.compile(
    r"(?i)\b(?:sha-?\d*(?:sums?)?|md5(?:sums?)?|crc\d*|checksums?|digests?|commits?|revision|hash(?:es)?|fingerprint|"
    r"uuid|guid|build[ -]?id|integrity)\b"
)
"""Stands shortly before a random string that is the digest of something, and no secret."""
_LISTED = re.compile(r"[ \t]+\*?(?:\d+[ \t]+)?\S+[ \t]*(?:\n|$)")
"""Stands behind such a digest in a list of files: a size perhaps, and a name."""
_NEAR = 60


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret of ``kind`` at ``text[start:end]``."""

    start: int
    end: int
    kind: str

    @property
    def placeholder(self) -> str:
        """What takes its place: ``[CARD]``."""
        return f"[{self.kind.replace('_', ' ').upper() if self.kind in KINDS else self.kind.upper()}]"


@dataclass(frozen=True, slots=True)
class Redacted:
    """``text`` without its secrets, and where these stood."""

    text: str
    secrets: tuple[Secret, ...] = ()

    @property
    def counts(self) -> Counter[str]:
        """How many there were, by kind."""
        return Counter(secret.kind for secret in self.secrets)


class Form(Protocol):
    """One way in which secrets of a kind look."""

    @property
    def kind(self) -> str:
        """The kind of what it finds."""
        ...

    def spans(self, text: str) -> Iterable[tuple[int, int]]:
        """Where such secrets stand in ``text``."""
        ...


class Redactor:
    """Finds secrets and replaces them. Safe from several threads. Raises ConfigurationError where the
    settings need a package that is not there."""

    def __init__(self, settings: RedactSettings) -> None:
        wanted = frozenset(settings.wanted)
        own = (Pattern(name, re.compile(form)) for name, form in settings.patterns.items())
        self._forms: list[Form] = [*own, *(form for form in _FORMS if form.kind in wanted)]
        if settings.phone_regions and "phone" in wanted:
            self._forms.append(NationalPhones(settings.phone_regions))
        self._keep = [re.compile(form) for form in settings.keep]
        self.name = digest([VERSION, asdict(settings)])
        """Which secrets are found: another name, other secrets."""

    def find(self, text: str) -> tuple[Secret, ...]:
        """The secrets in ``text``, in order, none over another."""
        taken: list[tuple[int, int, str]] = []
        for form in self._forms:
            for start, end in form.spans(text):
                if not _over(taken, start, end) and not self._kept(form.kind, text, start, end):
                    insort(taken, (start, end, form.kind))
        return tuple(Secret(*one) for one in taken)

    def redact(self, text: str) -> Redacted:
        """``text`` with a placeholder in the place of each secret."""
        secrets = self.find(text)
        return Redacted(replaced(text, secrets), secrets)

    def clean(self, text: str) -> str:
        """``text`` without its secrets."""
        return self.redact(text).text

    def silence(self, error: TreegraphError) -> None:
        """Take what is secret out of the message of an error."""
        error.args = tuple(self.clean(each) if isinstance(each, str) else each for each in error.args)

    def _kept(self, kind: str, text: str, start: int, end: int) -> bool:
        if kind == "random" and _is_digest(text, start, end):
            return True
        return any(form.fullmatch(text, start, end) for form in self._keep)


def replaced(text: str, secrets: Sequence[Secret]) -> str:
    """``text`` with placeholders in the places of its secrets, which are in order and do not overlap."""
    parts, at = [], 0
    for secret in secrets:
        parts += [text[at : secret.start], secret.placeholder]
        at = secret.end
    return "".join([*parts, text[at:]])


def redactor_for(settings: RedactSettings) -> Redactor | None:
    """What finds the secrets that the settings name; None where they name none."""
    return Redactor(settings) if settings.active else None


def _over(taken: Sequence[tuple[int, int, str]], start: int, end: int) -> bool:
    """Whether a stretch overlaps one that is taken; these are sorted and do not overlap."""
    at = bisect_right(taken, (start, end, ""))
    return any(one[0] < end and start < one[1] for one in taken[max(0, at - 1) : at + 1])


def _is_digest(text: str, start: int, end: int) -> bool:
    """Whether a random string is called a digest, or stands in a list of them."""
    if _DIGESTS.search(text, max(0, start - _NEAR), start):
        return True
    begins = not text[text.rfind("\n", 0, start) + 1 : start].strip()
    return begins and is_hex(text[start:end]) and _LISTED.match(text, end) is not None
