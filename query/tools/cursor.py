"""Cursors: where the rest of a result begins, opaque to the caller."""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from struct import Struct

from .refusal import Refusal

_PLACE = Struct(">IIII")
_SEAL = 8
"""Bytes of the seal: a cursor is no secret, it only has to be one of ours."""


@dataclass(frozen=True, slots=True)
class Place:
    """``offset`` characters into the text of the item number ``item`` of a result of ``generation``; ``mark``
    tells that from another of the same number."""

    generation: int
    mark: int = 0
    item: int = 0
    offset: int = 0


class Cursors:
    """Makes and reads the cursors of one server. Each is good for the very call that it came from: the
    server, and so its reader, the tool and the arguments are under its seal."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(16)

    def seal(self, place: Place, call: str) -> str:
        """The cursor for ``place`` in the result of ``call``, which is the tool with its arguments."""
        packed = _PLACE.pack(place.generation, place.mark, place.item, place.offset)
        return urlsafe_b64encode(packed + self._sealed(packed, call)).decode().rstrip("=")

    def open(self, cursor: str, call: str) -> Place:
        """The place that a cursor stands for. Raises Refusal for one that is none of this call's."""
        try:
            data = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        except ValueError:
            data = b""
        packed, seal = data[: _PLACE.size], data[_PLACE.size :]
        if len(packed) < _PLACE.size or not hmac.compare_digest(seal, self._sealed(packed, call)):
            raise Refusal(
                "this cursor does not belong to this call: a cursor goes with the tool and the arguments of "
                "the result that it came from, as long as the server runs",
                "repeat that call with its arguments unchanged and this cursor, or begin without a cursor",
            )
        return Place(*_PLACE.unpack(packed))

    def _sealed(self, packed: bytes, call: str) -> bytes:
        return hmac.digest(self._key, packed + call.encode("utf-8", "surrogatepass"), "sha256")[:_SEAL]
