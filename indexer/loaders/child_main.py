"""The parsing child: reads requests from its parent, one after the other, until the parent is gone.

Run as ``python -m treegraph.indexer.loaders.child_main CHANNEL LIFELINE`` with two inherited sockets.
"""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import socket
import sys

from ..errors import CorruptFile, LimitExceeded, LoadError, UnreadableFile
from ..pages import PageImage
from ..sources_names import escape_name
from ..types import Content
from .child_wire import Answer, Asked, Ready, Render, Request, receive_request, send

_HEADROOM = 256 * 1024**2


def main(arguments: list[str]) -> int:
    """Serve requests. The exit code is 0 when the parent closed the channel."""
    channel, lifeline = (socket.socket(fileno=int(number)) for number in arguments)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _die_with(lifeline)
    send(channel, Ready())
    os.dup2(1, 2)  # both go nowhere from here on
    while True:
        try:
            request = receive_request(channel)
        except (EOFError, OSError):
            return 0
        answer = _answer(request)
        send(channel, answer)


def _die_with(lifeline: socket.socket) -> None:
    """Have the kernel end this process when the other end of ``lifeline`` closes.

    Nothing is ever written to it: the only event is its end, which raises SIGIO, whose default is to
    terminate. That works inside a long call of a parser, where no Python thread would run.
    """
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)


def _answer(request: Asked) -> Answer:
    name = escape_name(request.path.name)
    _limit_memory(request.settings.max_memory)
    try:
        return _draw(request) if isinstance(request, Render) else _load(request)
    except LoadError as error:
        return error
    except MemoryError:
        return LimitExceeded(
            f"{name} needs more than {request.settings.max_memory} bytes of memory (max_memory)"
        )
    except RecursionError:
        return CorruptFile(f"{name} is nested too deeply to be read")
    except Exception as error:  # noqa: BLE001 - the outer edge: a parser may raise anything on a bad file
        return CorruptFile(_without(f"{name} cannot be parsed: {type(error).__name__}: {error}", request))


def _load(request: Request) -> Content:
    from . import load_file

    settings, name = request.settings, escape_name(request.path.name)
    try:
        size = request.path.stat().st_size
    except OSError as error:
        raise UnreadableFile(f"cannot read {name}: {error.strerror}") from error
    if size > settings.max_bytes:
        raise LimitExceeded(f"{name} has {size} bytes, over the limit of {settings.max_bytes} (max_bytes)")
    content = load_file(request.path, request.media_type, settings, request.password, request.readings)
    if len(content.text) > settings.max_characters:
        raise LimitExceeded(
            f"{name} holds {len(content.text)} characters of text, over the limit of "
            f"{settings.max_characters} (max_characters)"
        )
    return content


def _draw(request: Render) -> PageImage:
    from .page_image import draw_page

    return draw_page(
        request.path,
        request.media_type,
        request.number,
        request.dpi,
        request.settings,
        request.password,
        request.marks,
        request.clip,
    )


def _limit_memory(limit: int) -> None:
    """Refuse allocations far over the limit: the parent's watch is slower than a single huge one."""
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    wanted = limit + _HEADROOM
    resource.setrlimit(
        resource.RLIMIT_DATA, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard)
    )


def _without(message: str, request: Asked) -> str:
    """``message`` with the password, should a library have put it there, blotted out."""
    return message.replace(request.password, "***") if request.password else message


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
