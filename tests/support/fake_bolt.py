"""A fake that shakes hands in Bolt and says hello as whatever server it is told to be. No database at all."""

from __future__ import annotations

import socketserver
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SUCCESS = 0x70


def _text(value: str) -> bytes:
    data = value.encode()
    return bytes([0xD0, len(data)]) + data


def _message(server: str) -> bytes:
    fields = _text("server") + _text(server) + _text("connection_id") + _text("bolt-1")
    return bytes([0xB1, SUCCESS, 0xA2]) + fields


@contextmanager
def fake_bolt(server: str, version: bytes = b"\0\0\4\4") -> Iterator[str]:
    """The URL of a server that agrees on this version of Bolt (zeros: none) and calls itself ``server``."""

    class Talk(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.rfile.read(20)
            self.wfile.write(version)
            while len(head := self.rfile.read(2)) == 2:
                (size,) = struct.unpack(">H", head)
                if size:
                    self.rfile.read(size)
                    continue
                body = _message(server)
                self.wfile.write(struct.pack(">H", len(body)) + body + b"\0\0")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Talk) as running:
        running.daemon_threads = True
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"bolt://127.0.0.1:{running.server_address[1]}"
        finally:
            running.shutdown()
            thread.join()
