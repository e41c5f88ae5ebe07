"""Not asking a server over and over that does not answer: the circuit breaker of Nygard's "Release It!"."""

from __future__ import annotations

import threading
import time

from ..errors import ModelCallError

FAILURES = 5
"""Calls in a row that failed for good, retries included, until no more are made."""

PATIENCE = 120.0
"""Seconds since the first of them: a short outage costs the calls that fall into it, no others."""

PAUSE = 30.0
"""Seconds until the server is tried again."""


class Breaker:
    """Counts calls that failed in a row, from any thread, and refuses others once it goes on for long."""

    def __init__(self, failures: int = FAILURES, patience: float = PATIENCE, pause: float = PAUSE) -> None:
        self._failures = failures
        self._patience = patience
        self._pause = pause
        self._lock = threading.Lock()
        self._in_a_row = 0
        self._first = 0.0
        self._refusing_until = 0.0
        self._why = ""

    def check(self) -> None:
        """Raises ModelCallError while calls are refused."""
        with self._lock:
            if time.monotonic() < self._refusing_until:
                refused = ModelCallError(
                    f"not asked, since the last {self._in_a_row} calls failed: {self._why}"
                )
                refused.may_cost = False
                raise refused

    def succeeded(self) -> None:
        """A call was answered."""
        with self._lock:
            self._in_a_row = 0
            self._refusing_until = 0.0

    def failed(self, error: ModelCallError) -> None:
        """A call failed for good."""
        with self._lock:
            now = time.monotonic()
            self._first = self._first if self._in_a_row else now
            self._in_a_row += 1
            self._why = str(error)
            if self._in_a_row >= self._failures and now - self._first >= self._patience:
                self._refusing_until = now + self._pause
