"""Pages that threads read side by side, and how that ends where it is given up."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ..indexer.errors import Cancelled
from ..indexer.pages import Origin

STOPPED = "stopped; the pages that were read are kept"


class PagesUnderWay:
    """Pages that are being read until ``cancel``, or until it is given up: calls of models are left behind
    then, and nothing of theirs is kept or told any more."""

    def __init__(self, cancel: threading.Event) -> None:
        self._cancel = cancel
        self._calm = threading.Condition()
        self._computing = 0
        self._closing = self._given_up = False

    def require_open(self) -> None:
        """Raises Cancelled where no page is to be begun any more."""
        if self._closing or self._cancel.is_set():
            raise Cancelled(STOPPED)

    @contextmanager
    def reading(self, way: Origin) -> Iterator[None]:
        """Read a page in this way inside. Raises Cancelled where that is not to be begun any more."""
        with self._calm:
            self.require_open()
            self._computing += way == "ocr"
        try:
            yield
        finally:
            with self._calm:
                self._computing -= way == "ocr"
                self._calm.notify_all()

    @contextmanager
    def telling(self) -> Iterator[bool]:
        """Whether what was read may still be kept and told. One thread at a time is inside."""
        with self._calm:
            yield not self._given_up

    def give_up(self) -> None:
        """Begin no page any more, and leave those behind that a model reads. OCR is waited for: it is soon
        done, and a thread left in the midst of it aborts the process."""
        with self._calm:
            self._closing = True
            self._calm.wait_for(lambda: not self._computing)
            self._given_up = True
