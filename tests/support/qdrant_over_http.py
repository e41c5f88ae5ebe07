"""Qdrant's REST interface over the client's own in-memory mode, on loopback.

It is no Qdrant server: it has that mode's engine. But what crosses the wire is what a server would get,
so requests and answers of the adapter go through the same (de)serialisation as in earnest.
"""

from __future__ import annotations

import json
import re
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from own_authority import Certified
from pydantic import BaseModel
from qdrant_client import QdrantClient, models

VERSION = {"title": "qdrant - vector search engine", "version": "1.19.0"}


def _selector(body: dict[str, Any]) -> models.FilterSelector | models.PointIdsList:
    if "filter" in body:
        return models.FilterSelector(filter=models.Filter(**body["filter"]))
    return models.PointIdsList(points=body["points"])


class _Routes:
    """One method a route, named by verb and path."""

    def __init__(self, client: QdrantClient) -> None:
        self._client = client

    def get_exists(self, name: str, body: dict[str, Any]) -> object:
        return {"exists": self._client.collection_exists(name)}

    def get_collections(self) -> object:
        return self._client.get_collections()

    def get_(self, name: str, body: dict[str, Any]) -> object:
        return self._client.get_collection(name)

    def put_(self, name: str, body: dict[str, Any]) -> object:
        asked = models.CreateCollection(**body)
        return self._client.create_collection(
            name, asked.vectors, sparse_vectors_config=asked.sparse_vectors, metadata=asked.metadata
        )

    def delete_(self, name: str, body: dict[str, Any]) -> object:
        return self._client.delete_collection(name)

    def patch_(self, name: str, body: dict[str, Any]) -> object:
        return self._client.update_collection(name, metadata=models.UpdateCollection(**body).metadata)

    def put_index(self, name: str, body: dict[str, Any]) -> object:
        asked = models.CreateFieldIndex(**body)
        return self._client.create_payload_index(name, asked.field_name, asked.field_schema)

    def put_points(self, name: str, body: dict[str, Any]) -> object:
        return self._client.upsert(name, models.PointsList(**body).points)

    def post_points(self, name: str, body: dict[str, Any]) -> object:
        asked = models.PointRequest(**body)
        return self._client.retrieve(name, asked.ids, asked.with_payload, asked.with_vector or False)

    def post_points_payload(self, name: str, body: dict[str, Any]) -> object:
        return self._client.set_payload(name, models.SetPayload(**body).payload, _selector(body))

    def post_points_delete(self, name: str, body: dict[str, Any]) -> object:
        return self._client.delete(name, _selector(body))

    def post_points_count(self, name: str, body: dict[str, Any]) -> object:
        return self._client.count(name, models.CountRequest(**body).filter)

    def post_points_scroll(self, name: str, body: dict[str, Any]) -> object:
        asked = models.ScrollRequest(**body)
        points, offset = self._client.scroll(
            name, asked.filter, asked.limit or 10, None, asked.offset, asked.with_payload, asked.with_vector
        )
        return {"points": points, "next_page_offset": offset}

    def post_points_query(self, name: str, body: dict[str, Any]) -> object:
        return self._query(name, models.QueryRequest(**body))

    def post_points_query_batch(self, name: str, body: dict[str, Any]) -> object:
        return [self._query(name, asked) for asked in models.QueryRequestBatch(**body).searches]

    def _query(self, name: str, asked: models.QueryRequest) -> object:
        return self._client.query_points(
            name, asked.query, asked.using, query_filter=asked.filter, search_params=asked.params,
            limit=asked.limit or 10, with_payload=asked.with_payload,
        )  # fmt: skip


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_none=True)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


@contextmanager
def qdrant_over_http(certified: Certified | None = None) -> Iterator[str]:
    """The URL of such a server, which ends with the block; over TLS where it is ``certified``."""
    routes, one_at_a_time = _Routes(QdrantClient(":memory:")), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else {}
            path = re.fullmatch(r"/collections/([^/?]+)/?([^?]*)(\?.*)?", self.path)
            if self.path == "/collections":
                with one_at_a_time:
                    self._send({"result": _plain(routes.get_collections()), "status": "ok", "time": 0.0})
                return
            if path is None:
                self._send(VERSION)
                return
            route = f"{self.command.lower()}_{path[2].replace('/', '_')}"
            with one_at_a_time:
                result = getattr(routes, route)(path[1], body)
            self._send({"result": _plain(result), "status": "ok", "time": 0.0})

        do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = _answer

        def _send(self, answer: object) -> None:
            data = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if certified is not None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certified.certificate, certified.key)
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http{'s' if certified else ''}://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
