"""Results that are kept for their next pages."""

from __future__ import annotations

import threading
from collections import OrderedDict

from ..state import State
from .paging import Found

KEPT = 8
"""Results that are cheap to find again."""
ANSWERS_KEPT = 32
"""Those that cost calls of a model; they are small."""

Key = tuple[str, State]
"""A call, and the state of the index that answered it."""


class Kept:
    """The ``most`` results that were used last. Safe from several threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: OrderedDict[Key, Found] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key) -> Found | None:
        """A result that is still there."""
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
            return self._found.get(key)

    def put(self, key: Key, found: Found) -> None:
        """Keep a result, and let go of the one that was not used for longest where there is no room."""
        with self._lock:
            self._found[key] = found
            self._found.move_to_end(key)
            if len(self._found) > self._most:
                self._found.popitem(last=False)
