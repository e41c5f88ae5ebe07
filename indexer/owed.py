"""What a model was to do and could not be asked for: a stand-in takes its place, a later build asks again.

Neither a spent budget nor a call that failed or waits says anything of the item: no such stand-in is kept
under the key of what the model would have said.
"""

from __future__ import annotations

from collections.abc import Iterable

from .errors import BudgetSpent, CallWaits, ModelCallError

CALL_FAILED = "call failed"
BUDGET_SPENT = "budget spent"
CALL_WAITS = "call waits"
BY_STAGE = frozenset({BUDGET_SPENT, CALL_WAITS})
"""Reasons that are told with the stage that they befell."""
_PASSING = BY_STAGE | {CALL_FAILED}
_MARK = "owed "


def reason_of(error: ModelCallError) -> str:
    """The reason by which an item is counted whose call ended in ``error``."""
    return error.reason if isinstance(error, BudgetSpent | CallWaits) else CALL_FAILED


def passes(reasons: Iterable[str]) -> bool:
    """Whether one of the reasons for which something fell back may be over another day."""
    return not _PASSING.isdisjoint(reasons)


def owed_key(key: str) -> str:
    """What a stand-in is kept under, in place of ``key``."""
    return f"{_MARK}{key}"


def is_owed(key: str) -> bool:
    """Whether a stand-in is kept under this key."""
    return key.startswith(_MARK)
