"""Calls that hang until a test lets them go, and what they leave behind."""

from __future__ import annotations

import threading
import time
from typing import Any


class Hanging:
    """Calls that block until they are let go, and then answer."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.entered = 0

    def around(self, whole: Any) -> Any:
        def blocked(*arguments: Any) -> Any:
            if not self.go.is_set():
                self.entered += 1
            assert self.go.wait(60)
            return whole(*arguments)

        return blocked


def left_behind() -> int:
    return sum(thread.name == "treegraph-search" for thread in threading.enumerate())


def until_none_is_left() -> None:
    end = time.monotonic() + 10
    while left_behind() and time.monotonic() < end:
        time.sleep(0.01)
    assert not left_behind()
