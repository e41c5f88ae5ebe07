"""Methods for asyncio: the same code in a thread, no second copy."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


def awaited(method: Callable[Parameters, Returned]) -> Callable[Parameters, Coroutine[Any, Any, Returned]]:
    """``method`` to be awaited: it runs in a thread of asyncio's pool, so the event loop goes on.

    The result has its parameters, its errors and its documentation. A task that is cancelled stops waiting at
    once; the thread ends what it does, and the index stays usable.
    """

    @wraps(method)
    async def call(*arguments: Parameters.args, **options: Parameters.kwargs) -> Returned:
        import asyncio

        return await asyncio.to_thread(method, *arguments, **options)

    call.__name__ = f"a{method.__name__}"
    call.__qualname__ = f"{method.__qualname__.rpartition('.')[0]}.{call.__name__}"
    return call
