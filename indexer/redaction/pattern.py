"""One form that secrets have: an expression, the kind of what it finds, and a check of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

BREAK = r"(?:-?[ \t]*\r?\n[ \t]*| )"
"""What stands where a token was broken at the end of a line: lines of a paragraph are joined by a space."""
GAP = rf"(?:\\|[\u00ad\u200b]|<br>|-|{BREAK})?"
"""What a page may put between two characters of a token: an escape, a soft hyphen, the end of a line."""
BEFORE, AFTER = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9])"

_RUN = re.compile(r"[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Pattern:
    """What ``expression`` finds is a secret of ``kind``, or its group ``secret`` is, where ``check`` says so.

    ``shrinks``: where it is none, what is left without its last groups of characters may be one.
    ``open``: it is a token that may go on behind a line's end, of ``least`` characters in all, which
    ``check`` gets without what breaks it.
    """

    kind: str
    expression: re.Pattern[str]
    check: Callable[[str], bool] | None = None
    shrinks: bool = False
    open: bool = False
    least: int = 0

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where it stands in ``text``. What fails the check is looked at again behind its first group."""
        match = self.expression.search(text)
        while match is not None:
            start, last = match.span("secret" if "secret" in self.expression.groupindex else 0)
            end = self._end(text, start, last)
            if end > start:
                yield start, end
                at = end
            elif self.open:
                at = last  # else a long row of beginnings would be looked at from each of them
            else:
                run = _RUN.search(text, max(start, match.start()))
                at = max(run.end() if run else match.end(), match.start() + 1)
            match = self.expression.search(text, at)

    def _end(self, text: str, start: int, end: int) -> int:
        """Where the secret that begins at ``start`` ends; ``start`` where it is none."""
        if self.open:
            end, bare = _extended(text, start, end)
            return end if len(bare) >= self.least and (self.check is None or self.check(bare)) else start
        if self.check is None or self.check(text[start:end]):
            return end
        if not self.shrinks:
            return start
        ends = [start + run.end() for run in _RUN.finditer(text[start:end])]
        return next((at for at in reversed(ends) if at < end and self.check(text[start:at])), start)


_REST = re.compile(BREAK + r"(?P<rest>[A-Za-z0-9+/_.~-]+={0,2})")
_MOST_LINES = 4


def _extended(text: str, start: int, end: int) -> tuple[int, str]:
    """Where a token from ``start`` ends that may go on behind the end of a line, and the token whole."""
    from .randomness import goes_on

    bare = text[start:end]
    for _ in range(_MOST_LINES):
        rest = _REST.match(text, end) or (text[end - 1] == "-" and _REST.match(text, end - 1)) or None
        if rest is None or not goes_on(rest["rest"].rstrip(".,-")):
            break
        end = rest.end() - (len(rest["rest"]) - len(rest["rest"].rstrip(".,-")))
        bare = bare.removesuffix("-") + rest["rest"].rstrip(".,-")
    stripped = bare.rstrip(".,-")
    return end - (len(bare) - len(stripped)), stripped
