"""Which failures of a Qdrant server pass by themselves, and how long to wait for that.

A server that starts, a gateway before it, or a limit of requests a minute answers 429, 502, 503 or 504.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")

_TRANSIENT = (429, 502, 503, 504)
TRIES = 4
_LONGEST = 30.0
"""Seconds. A server that asks for more is not waited for."""
_HEADER = "Retry-After"


def retrying(method: Callable[..., T], **arguments: Any) -> T:
    """Call ``method`` up to four times while it fails in a way that passes; then its error stands.

    The waits are .3, .6 and 1.2 s, or as long as the server asked for; where that is over half a
    minute, there is no second try.
    """
    from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_exponential

    growing = wait_exponential(multiplier=0.3, max=2)

    def wait(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        return max(growing(state), (told_to_wait(error) if error else None) or 0.0)

    attempts = Retrying(
        stop=stop_after_attempt(TRIES), wait=wait, retry=retry_if_exception(_worth_another), reraise=True
    )
    return attempts(method, **arguments)


def _worth_another(error: BaseException) -> bool:
    return is_connection(error) or (is_transient(error) and (told_to_wait(error) or 0.0) <= _LONGEST)


def is_connection(error: BaseException) -> bool:
    """Whether there was no answer at all."""
    import httpx
    from qdrant_client.http.exceptions import ResponseHandlingException

    return isinstance(error, ResponseHandlingException) and isinstance(error.source, httpx.TransportError)


def is_transient(error: BaseException) -> bool:
    """Whether the server, or a gateway before it, answered that it cannot serve now."""
    from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
    from qdrant_client.http.exceptions import UnexpectedResponse

    if isinstance(error, UnexpectedResponse):
        return error.status_code in _TRANSIENT
    # The client turns a 429 with a date for Retry-After into a bare error that quotes the header.
    dated = isinstance(error, QdrantException) and _HEADER in str(error)
    return dated or isinstance(error, ResourceExhaustedResponse)


def told_to_wait(error: BaseException) -> float | None:
    """Seconds that the answer asks to wait, None where it does not say."""
    from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
    from qdrant_client.http.exceptions import UnexpectedResponse

    if isinstance(error, ResourceExhaustedResponse):
        return float(error.retry_after_s)
    if isinstance(error, UnexpectedResponse):
        return _seconds(error.headers.get(_HEADER, ""))
    if isinstance(error, QdrantException) and _HEADER in str(error):
        return _seconds(str(error).partition(": ")[2])
    return None


def _seconds(value: str) -> float | None:
    """Retry-After's value, seconds or a date (RFC 9110, 10.2.3), in seconds from now."""
    if value.isdecimal():
        return float(value)
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, ((at if at.tzinfo else at.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds())
