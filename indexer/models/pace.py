"""Keeping to a provider's limits of requests and tokens a minute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ModelUnavailable

if TYPE_CHECKING:
    from pyrate_limiter import Limiter


class Pace:
    """Lets calls through at the given rates, from any number of threads; 0 is no limit.

    A bucket that refills evenly (the generic cell rate algorithm, as providers use), one for requests
    and one for tokens.
    """

    def __init__(self, requests_per_minute: int = 0, tokens_per_minute: int = 0) -> None:
        """Raises ModelUnavailable when a limit is asked for and its package is missing."""
        self._requests = _bucket(requests_per_minute)
        self._tokens = _bucket(tokens_per_minute)
        self._most_tokens = tokens_per_minute

    def wait(self, tokens: int) -> None:
        """Wait until one more request of about ``tokens`` tokens may go out.

        A request above the limit itself waits for the whole bucket.
        """
        if self._requests is not None:
            self._requests.try_acquire("requests")
        if self._tokens is not None:
            self._tokens.try_acquire("tokens", weight=max(1, min(tokens, self._most_tokens)))


def _bucket(per_minute: int) -> Limiter | None:
    if not per_minute:
        return None
    try:
        from pyrate_limiter import Duration, Limiter, Rate, SingleBucketFactory, StateBucket
    except ImportError:
        raise ModelUnavailable("limits a minute need a package: pip install 'treegraph[llama]'") from None
    bucket = StateBucket([Rate(per_minute, Duration.MINUTE)])
    # Nothing in it has to be thrown out by and by, so it needs no thread of its own for that.
    return Limiter(SingleBucketFactory(bucket, schedule_leak=False))
