"""How much of pictures is read at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class PixelRoom:
    """Lets so many pixels be read at once; a picture of more than that alone."""

    def __init__(self, pixels: int) -> None:
        self._pixels = pixels
        self._held = 0
        self._changed = threading.Condition()

    @contextmanager
    def taken(self, pixels: int) -> Iterator[None]:
        """Hold room for a picture of ``pixels``; waits for it."""
        with self._changed:
            while self._held and self._held + pixels > self._pixels:
                self._changed.wait()
            self._held += pixels
        try:
            yield
        finally:
            with self._changed:
                self._held -= pixels
                self._changed.notify_all()
