"""What the parent and a parsing child say to each other: pickles, each with its length before it."""

from __future__ import annotations

import io
import pickle
import socket
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import LoadError
from ..pages import PageBox, PageImage, PageReading
from ..types import Content
from .settings import LoadSettings

_LENGTH = struct.Struct("!Q")
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Request:
    """A file to parse, with what was read of some of its pages otherwise. The password is not shown where a
    request is."""

    path: Path
    media_type: str
    settings: LoadSettings
    password: str | None = field(default=None, repr=False)
    readings: tuple[PageReading, ...] = ()


@dataclass(frozen=True, slots=True)
class Render:
    """Page ``number`` (1-based) of a file, to be drawn at ``dpi`` or less, with ``marks`` on it; what is in
    ``clip`` alone, where that is given."""

    path: Path
    media_type: str
    settings: LoadSettings
    number: int
    dpi: float
    password: str | None = field(default=None, repr=False)
    marks: tuple[PageBox, ...] = ()
    clip: PageBox | None = None


@dataclass(frozen=True, slots=True)
class Ready:
    """The child's first word: it has started."""


Asked = Request | Render
Answer = Content | PageImage | LoadError


def send(channel: socket.socket, message: object) -> None:
    """Send one message. Raises OSError if the other side is gone."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    channel.sendall(_LENGTH.pack(len(data)))
    channel.sendall(data)


def receive_request(channel: socket.socket) -> Asked:
    """The next request. Raises EOFError when the parent has closed the channel."""
    message = pickle.loads(_read_message(channel))
    if not isinstance(message, Asked):
        raise EOFError
    return message


def receive_answer(channel: socket.socket) -> Answer | Ready:
    """The child's next message. Raises EOFError when it is gone, or says what no child should say.

    Only value types and errors are accepted: a child that a hostile file took over cannot make the
    parent run code.
    """
    try:
        message = _AnswerUnpickler(io.BytesIO(_read_message(channel))).load()
    except (pickle.UnpicklingError, AttributeError, TypeError, ValueError) as error:
        raise EOFError from error
    if not isinstance(message, Answer | Ready):
        raise EOFError
    return message


class _AnswerUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        package = __name__.rpartition(".")[0]
        trusted = {f"{package.rpartition('.')[0]}.{part}" for part in ("errors", "types", "pages")}
        if module in trusted or (module, name) == (__name__, "Ready"):
            found = super().find_class(module, name)
            if isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no part of an answer")


def _read_message(channel: socket.socket) -> bytes:
    (length,) = _LENGTH.unpack(_read(channel, _LENGTH.size))
    return bytes(_read(channel, length))


def _read(channel: socket.socket, length: int) -> bytearray:
    data = bytearray()
    while len(data) < length:
        piece = channel.recv(min(_PIECE, length - len(data)))
        if not piece:
            raise EOFError
        data += piece
    return data
