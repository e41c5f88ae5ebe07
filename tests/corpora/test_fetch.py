"""Fetching, against a real HTTP server on loopback that can be told to misbehave."""

from __future__ import annotations

import hashlib
import threading
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from treegraph.corpora.fetch import LOCK, FetchEvent, fetch, fetch_corpus, list_corpora
from treegraph.corpora.manifest import Corpus, CorpusFile, parse_manifest
from treegraph.indexer.errors import ConfigurationError, CorpusUnavailable

BODY = bytes(range(256)) * 4096
SUM = hashlib.sha256(BODY).hexdigest()


@dataclass
class Site:
    """What the server does next, and what it was asked."""

    body: bytes = BODY
    etag: str | None = '"v1"'
    cut_after: int | None = None
    failures: list[int] = field(default_factory=list)
    ranges: list[str | None] = field(default_factory=list)
    address: str = ""

    def corpus(self, path: str = "/manual.pdf", sha256: str = SUM, size: int = len(BODY)) -> Corpus:
        file = CorpusFile(self.address + path, "pdf/manual.pdf", sha256, size)
        return Corpus("made-up", "A made-up corpus", "CC0", self.address, (file,))


@pytest.fixture
def site() -> Iterator[Site]:
    state = Site()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked = self.headers.get("Range")
            state.ranges.append(asked)
            if state.failures:
                return self._empty(state.failures.pop(0))
            if self.path == "/moved":
                return self._empty(302, ("Location", "/manual.pdf"))
            if self.path == "/elsewhere":
                return self._empty(302, ("Location", "ftp://127.0.0.1/manual.pdf"))
            if self.path != "/manual.pdf":
                return self._empty(404)
            start = 0
            if asked and self.headers.get("If-Range") == state.etag:
                start = int(asked.removeprefix("bytes=").removesuffix("-"))
            if start and start >= len(state.body):
                return self._empty(416)
            return self._send(start)

        def _send(self, start: int) -> None:
            rest = state.body[start:]
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(rest)))
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(state.body) - 1}/{len(state.body)}")
            if state.etag:
                self.send_header("ETag", state.etag)
            self.end_headers()
            if state.cut_after is not None:
                rest, state.cut_after = rest[: state.cut_after], None
                self.close_connection = True
            self.wfile.write(rest)

        def _empty(self, status: int, *headers: tuple[str, str]) -> None:
            self.send_response(status)
            for name, value in (*headers, ("Content-Length", "0")):
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Stay quiet."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            """A client that hangs up is what some tests are about."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    state.address = f"http://127.0.0.1:{server.server_address[1]}"
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


def leftovers(out: Path) -> list[str]:
    return sorted(path.name for path in out.rglob("*") if path.is_file() and path.name != LOCK)


def test_fetches_checks_and_reports(site: Site, tmp_path: Path) -> None:
    events: list[FetchEvent] = []
    paths = fetch_corpus(site.corpus(), tmp_path, events.append)
    assert paths == [tmp_path / "pdf" / "manual.pdf"]
    assert paths[0].read_bytes() == BODY
    assert leftovers(tmp_path) == ["manual.pdf"]
    assert (events[-1].done, events[-1].total) == (len(BODY), len(BODY))
    assert [e.done for e in events] == sorted(e.done for e in events)
    assert not any(e.note for e in events)


def test_what_is_there_and_right_is_not_downloaded(site: Site, tmp_path: Path) -> None:
    fetch_corpus(site.corpus(), tmp_path)
    events: list[FetchEvent] = []
    fetch_corpus(site.corpus(), tmp_path, events.append)
    assert len(site.ranges) == 1
    assert [e.note for e in events] == ["already there"]


def test_what_is_there_and_wrong_is_fetched_again(site: Site, tmp_path: Path) -> None:
    target = fetch_corpus(site.corpus(), tmp_path)[0]
    target.write_bytes(b"edited")
    fetch_corpus(site.corpus(), tmp_path)
    assert target.read_bytes() == BODY


def test_a_cut_connection_is_resumed(site: Site, tmp_path: Path) -> None:
    site.cut_after = 300_000
    target = fetch_corpus(site.corpus(), tmp_path)[0]
    assert target.read_bytes() == BODY
    assert site.ranges == [None, "bytes=300000-"]


@pytest.mark.usefixtures("pauses")
def test_a_later_call_goes_on_where_the_first_gave_up(site: Site, tmp_path: Path) -> None:
    site.cut_after = 300_000
    with pytest.raises(CorpusUnavailable, match="same command goes on"):
        fetch_corpus(site.corpus(), tmp_path, opener=_FailingAfterFirst())
    assert leftovers(tmp_path) == ["manual.pdf.part", "manual.pdf.part.version"]
    assert fetch_corpus(site.corpus(), tmp_path)[0].read_bytes() == BODY
    assert site.ranges == [None, "bytes=300000-"]
    assert leftovers(tmp_path) == ["manual.pdf"]


class _FailingAfterFirst:
    """A network that is gone after one request."""

    def __init__(self) -> None:
        self.calls = 0

    def open(self, fullurl: object, data: None = None, timeout: float = 1.0) -> object:
        from treegraph.corpora.download import default_opener

        self.calls += 1
        if self.calls > 1:
            raise ConnectionRefusedError("network is gone")
        return default_opener().open(fullurl, data, timeout)  # type: ignore[arg-type]


@pytest.mark.usefixtures("pauses")
def test_a_file_that_changed_meanwhile_is_never_stitched(site: Site, tmp_path: Path) -> None:
    site.cut_after = 300_000
    with pytest.raises(CorpusUnavailable):
        fetch_corpus(site.corpus(sha256="", size=0), tmp_path, opener=_FailingAfterFirst())
    site.body, site.etag = BODY[::-1], '"v2"'
    assert fetch_corpus(site.corpus(sha256="", size=0), tmp_path)[0].read_bytes() == BODY[::-1]


def test_without_a_validator_a_resume_starts_over(site: Site, tmp_path: Path) -> None:
    site.etag, site.cut_after = None, 300_000
    assert fetch_corpus(site.corpus(), tmp_path)[0].read_bytes() == BODY
    assert site.ranges == [None, None]


@pytest.mark.usefixtures("pauses")
def test_passing_server_errors_are_tried_again(site: Site, tmp_path: Path) -> None:
    site.failures = [503, 429]
    assert fetch_corpus(site.corpus(), tmp_path)[0].read_bytes() == BODY
    assert len(site.ranges) == 3


def test_retries_are_bounded(site: Site, tmp_path: Path, pauses: list[float]) -> None:
    site.failures = [503] * 99
    with pytest.raises(CorpusUnavailable, match="503"):
        fetch_corpus(site.corpus(), tmp_path)
    assert len(site.ranges) == 4
    assert pauses == [0.25, 0.5, 1.0]


def test_redirects_are_followed_but_not_out_of_http(site: Site, tmp_path: Path) -> None:
    assert fetch_corpus(site.corpus("/moved"), tmp_path / "a")[0].read_bytes() == BODY
    with pytest.raises(CorpusUnavailable, match="not safe"):
        fetch_corpus(site.corpus("/elsewhere"), tmp_path / "b")


def test_a_dead_link_says_so_at_once(site: Site, tmp_path: Path) -> None:
    with pytest.raises(CorpusUnavailable, match=r"404 .*homepage"):
        fetch_corpus(site.corpus("/gone.pdf"), tmp_path)
    assert len(site.ranges) == 1
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize(
    ("sha256", "size"), [("0" * 64, len(BODY)), (SUM, len(BODY) + 1), ("", len(BODY) - 1)]
)
def test_other_bytes_than_expected_are_refused(site: Site, tmp_path: Path, sha256: str, size: int) -> None:
    with pytest.raises(CorpusUnavailable, match="not what was expected"):
        fetch_corpus(site.corpus(sha256=sha256, size=size), tmp_path)
    assert leftovers(tmp_path) == []


def test_an_empty_answer_is_not_a_document(site: Site, tmp_path: Path) -> None:
    site.body = b""
    with pytest.raises(CorpusUnavailable, match="0 bytes"):
        fetch_corpus(site.corpus(sha256="", size=0), tmp_path)


def test_first_use_is_trusted_once_and_said(site: Site, tmp_path: Path) -> None:
    events: list[FetchEvent] = []
    corpus = site.corpus(sha256="", size=0)
    target = fetch_corpus(corpus, tmp_path, events.append)[0]
    assert "no published checksum" in events[-1].note
    assert SUM in events[-1].note
    assert tomllib.loads((tmp_path / LOCK).read_text())["files"]["pdf/manual.pdf"]["sha256"] == SUM
    target.unlink()
    site.body = BODY[::-1]
    with pytest.raises(CorpusUnavailable, match="fetched first"):
        fetch_corpus(corpus, tmp_path)
    (tmp_path / LOCK).unlink()
    assert fetch_corpus(corpus, tmp_path)[0].read_bytes() == BODY[::-1]


def test_a_damaged_record_of_sums_is_an_error(site: Site, tmp_path: Path) -> None:
    (tmp_path / LOCK).write_text("files = 1")
    with pytest.raises(CorpusUnavailable, match="damaged"):
        fetch_corpus(site.corpus(), tmp_path)


def test_a_folder_that_cannot_be_written_is_an_error(site: Site, tmp_path: Path) -> None:
    (tmp_path / "pdf").write_text("in the way")
    with pytest.raises(CorpusUnavailable, match="cannot write"):
        fetch_corpus(site.corpus(), tmp_path)


def test_an_unknown_name_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"did you mean intel-sdm.*postgresql"):
        fetch("intel-smd", tmp_path)


def test_every_manifest_is_whole() -> None:
    corpora = {corpus.name: corpus for corpus in list_corpora()}
    assert corpora["intel-sdm"].pinned
    assert corpora["intel-sdm"].size
    for corpus in corpora.values():
        assert corpus.title
        assert corpus.licence
        assert corpus.homepage.startswith("https://")
        assert all(file.url.startswith("https://") for file in corpus.files)


GOOD = 'version = 1\ntitle = "T"\nlicence = "L"\nhomepage = "https://h"\n'


@pytest.mark.parametrize(
    "text",
    [
        "version = 2",
        GOOD,
        GOOD + '[[files]]\nurl = "https://h/a"\npath = "../a"',
        GOOD + '[[files]]\nurl = "https://h/a"\npath = "/a"',
        GOOD + '[[files]]\nurl = "file:///etc/passwd"\npath = "a"',
        GOOD + '[[files]]\nurl = "https://h/a"\npath = "a"\nsha256 = "12"',
        GOOD + '[[files]]\nurl = "https://h/a"\npath = "a"\nsum = "12"',
        GOOD + '[[files]]\nurl = "https://h/a"\npath = "a"\n' * 2,
        "not toml",
    ],
)
def test_a_bad_manifest_is_named(text: str) -> None:
    with pytest.raises(ConfigurationError, match="made-up"):
        parse_manifest("made-up", text)
