"""Which secrets are replaced in what is read: ``[load.redact]``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from ..errors import ConfigurationError

SecretKind = Literal[
    "all", "private_key", "token", "key", "password", "iban", "card", "email", "phone", "random"
]  # fmt: skip
KINDS: tuple[str, ...] = get_args(SecretKind)[1:]
"""In the order in which they are looked for: where two fit, the first is meant."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True, slots=True)
class RedactSettings:
    """What is taken for a secret. With neither ``kinds`` nor ``patterns`` nothing is redacted.

    ``kinds`` are those of :data:`KINDS`, or ``all``. ``patterns`` maps a name of the user's (``case_number``)
    to a regular expression; what it matches, or its group ``secret`` where it has one, becomes
    ``[CASE_NUMBER]``. What one of the expressions in ``keep`` matches whole is no secret. ``phone_regions``
    (``GB``) are those whose numbers are found in national form as well, where ``kinds`` has ``phone``; that
    needs the extra ``redact``.

    Raises ConfigurationError for a name or an expression that cannot be used.
    """

    kinds: tuple[SecretKind, ...] = ()
    patterns: Mapping[str, str] = field(default_factory=dict)
    keep: tuple[str, ...] = ()
    phone_regions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, expression in self.patterns.items():
            if not _NAME.fullmatch(name) or name in KINDS:
                raise ConfigurationError(
                    f"[load.redact.patterns] {name}: a name is of small letters, digits and _, and none of "
                    f"{', '.join(KINDS)}"
                )
            if _compiled(f"patterns.{name}", expression).search(""):
                raise ConfigurationError(
                    f"[load.redact.patterns] {name} matches the empty text: nothing left"
                )
        for expression in self.keep:
            _compiled("keep", expression)

    @property
    def active(self) -> bool:
        """Whether anything is looked for."""
        return bool(self.kinds or self.patterns)

    @property
    def wanted(self) -> tuple[str, ...]:
        """The kinds that are looked for, in the order of :data:`KINDS`."""
        return KINDS if "all" in self.kinds else tuple(kind for kind in KINDS if kind in self.kinds)


def _compiled(where: str, expression: str) -> re.Pattern[str]:
    try:
        return re.compile(expression)
    except re.error as error:
        raise ConfigurationError(f"[load.redact] {where}: is no regular expression: {error}") from error
