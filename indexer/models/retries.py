"""Which failures of a model call pass by themselves, how long to wait, and how to tell of the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ..errors import BudgetSpent, ModelCallError

if TYPE_CHECKING:
    from tenacity import RetryCallState

Result = TypeVar("Result")

ATTEMPTS = 5
LONGEST_WAIT = 60.0
"""Seconds between two attempts at most, whatever the server asks for."""

_TRANSIENT_STATUS = {408, 409, 425, 429, 500, 502, 503, 504, 529}
_TRANSIENT_NAMES = re.compile(
    r"Timeout|Connect(ion)?Error|ReadError|RemoteProtocolError|RateLimit|Overloaded"
)
_CUT_SHORT = {408, 502, 504}
"""Statuses of a server that gave up waiting for the model, which may have answered nevertheless."""
_NEVER_SENT = re.compile(r"^(Connect|Pool)(Error|Timeout)$|^ConnectionRefusedError$|^gaierror$")
_payer: ContextVar[Payer | None] = ContextVar("payer", default=None)
_most_attempts: ContextVar[int] = ContextVar("most_attempts", default=0)
_SECRETS = re.compile(
    r"(?i)\b(?:sk|pk|rk|key|hf|gsk|xai)[-_][\w*-]{6,}|\bBearer\s+\S+|\bAIza[\w-]{10,}"
    r"|(?<=[?&])(?:key|api_key|token)=[^&\s]+|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"
)


def call_with_retries(
    name: str, call: Callable[[], Result], secret: str = "", attempts: int | None = None
) -> Result:
    """The result of ``call``, tried up to five times (or ``attempts``) where the failure may pass by itself.

    Passing failures are timeouts, lost connections, and the statuses 408, 409, 425, 429 and 5xx; a
    ``Retry-After`` is kept to. Raises ModelCallError, whose message holds neither ``secret`` nor what
    looks like one.
    """
    from tenacity import Retrying, retry_if_exception, stop_after_attempt

    retrying = Retrying(
        stop=stop_after_attempt(attempts or _most_attempts.get() or ATTEMPTS),
        wait=_seconds_before_next,
        retry=retry_if_exception(is_transient),
        before_sleep=_before_next,
        reraise=True,
    )
    try:
        return retrying(call)
    except Exception as error:  # any provider's client: their errors share no base below this
        if isinstance(error, ModelCallError):
            raise
        # Not chained: the provider's own text may repeat the key, and a traceback would print it.
        failed = ModelCallError(f"{name}: {describe(error, secret)}")
        failed.may_cost = may_cost(error)
        raise failed from None


class Payer(Protocol):
    """Who pays for a call. Either method may raise BudgetSpent, which ends the call's attempts."""

    def begin(self) -> None:
        """A request is about to be sent."""
        ...

    def again(self, charged: bool) -> None:
        """An attempt failed, for which a provider may have ``charged``, and another is to follow."""
        ...


@contextmanager
def paid_by(payer: Payer) -> Iterator[None]:
    """In this thread ``payer`` pays for the attempts of calls."""
    token = _payer.set(payer)
    try:
        yield
    finally:
        _payer.reset(token)


def begin_attempt() -> None:
    """Tell who pays that a request is about to be sent: by an adapter, once it need not wait any more. Raises
    BudgetSpent."""
    payer = _payer.get()
    if payer is not None:
        payer.begin()


@contextmanager
def attempts(most: int) -> Iterator[None]:
    """In this thread calls are tried ``most`` times."""
    token = _most_attempts.set(most)
    try:
        yield
    finally:
        _most_attempts.reset(token)


def is_transient(error: BaseException) -> bool:
    """Whether the same call may succeed later."""
    if isinstance(error, BudgetSpent):
        return False
    for cause in _causes(error):
        status = _status(cause)
        if status is not None:
            return status in _TRANSIENT_STATUS
        if isinstance(cause, TimeoutError | ConnectionError):
            return True
        if any(_TRANSIENT_NAMES.search(kind.__name__) for kind in type(cause).__mro__):
            return True
    return False


def may_cost(error: BaseException) -> bool:
    """Whether a provider may charge for a call that failed so: not where it was refused, or never arrived."""
    causes = list(_causes(error))
    status = next((found for found in map(_status, causes) if found is not None), None)
    if status is not None:
        return status in _CUT_SHORT
    return not any(_NEVER_SENT.search(kind.__name__) for cause in causes for kind in type(cause).__mro__)


def retry_after(error: BaseException) -> float | None:
    """Seconds that the server asks to wait (``Retry-After``, in seconds or as a date), if it does."""
    for cause in _causes(error):
        headers = getattr(getattr(cause, "response", None), "headers", None)
        value = headers.get("retry-after") if headers is not None else None
        if value:
            return _seconds(str(value))
    return None


def describe(error: BaseException, secret: str = "") -> str:
    """One line about ``error``: its kind, status and message, without secrets."""
    status = next((s for s in map(_status, _causes(error)) if s is not None), None)
    text = " ".join(str(error).split())
    if secret:
        text = text.replace(secret, "[secret]")
    text = _SECRETS.sub("[secret]", text)[:300]
    return f"{type(error).__name__}{f' (status {status})' if status else ''}: {text}"


def _before_next(state: RetryCallState) -> None:
    error, payer = state.outcome.exception() if state.outcome else None, _payer.get()
    if error is not None and payer is not None:
        payer.again(may_cost(error))


def _seconds_before_next(state: RetryCallState) -> float:
    from tenacity import wait_random_exponential

    error = state.outcome.exception() if state.outcome else None
    asked = retry_after(error) if error else None
    if asked is not None:
        return min(max(asked, 0.0), LONGEST_WAIT)
    return wait_random_exponential(multiplier=0.5, max=LONGEST_WAIT)(state)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(8):  # a chain of causes may be a ring
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _status(error: Any) -> int | None:
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "status", "code"):
            value = getattr(holder, name, None)
            if isinstance(value, int) and not isinstance(value, bool) and 100 <= value < 600:
                return value
    return None


def _seconds(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    return (when - datetime.now(UTC)).total_seconds()
