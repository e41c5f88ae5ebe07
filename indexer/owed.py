"""What a model was to do and could not be asked for: a stand-in takes its place, a later build asks again.

Neither a spent budget nor a call that failed says anything of the item: no such stand-in is ever kept under
the key of what the model would have said.
"""

from __future__ import annotations

from collections.abc import Iterable

CALL_FAILED = "call failed"
BUDGET_SPENT = "budget spent"
_PASSING = frozenset({CALL_FAILED, BUDGET_SPENT})
_MARK = "owed "


def passes(reasons: Iterable[str]) -> bool:
    """Whether one of the reasons for which something fell back may be over another day."""
    return not _PASSING.isdisjoint(reasons)


def owed_key(key: str) -> str:
    """What a stand-in is kept under, in place of ``key``."""
    return f"{_MARK}{key}"


def is_owed(key: str) -> bool:
    """Whether a stand-in is kept under this key."""
    return key.startswith(_MARK)
