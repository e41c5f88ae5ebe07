"""One file over HTTP: streamed, resumed where it stopped, tried again a few times."""

from __future__ import annotations

import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol
from urllib.parse import urlsplit

from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from ..indexer.errors import CorpusUnavailable

ATTEMPTS = 4
TIMEOUT = 60.0
_BLOCK = 1 << 18
_TRANSIENT_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})

Progress = Callable[[int, int | None], None]
"""Called with the bytes that are here, and the bytes that there will be (None: the server did not say)."""


class Opener(Protocol):
    """Opens a request, as ``urllib.request.OpenerDirector`` does."""

    def open(self, fullurl: urllib.request.Request, data: None = None, timeout: float = ...) -> Any:
        """Return the response; raise ``urllib.error.HTTPError`` for a status of 400 or more."""
        ...


class _Interrupted(Exception):
    """The transfer broke off; what came so far is kept and the next try goes on from there."""


class _NoDowngrade(urllib.request.HTTPRedirectHandler):
    """Follows redirects, but never from https to anything less."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        target = urlsplit(newurl).scheme
        if target != "https" and (target != "http" or urlsplit(req.full_url).scheme == "https"):
            raise CorpusUnavailable(f"{req.full_url} redirects to {newurl}, which is not safe to follow")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def default_opener() -> Opener:
    """The opener that :func:`download` uses unless it is given one: proxies from the environment."""
    return urllib.request.build_opener(_NoDowngrade)


@dataclass(frozen=True, slots=True)
class _Partial:
    """A download under way: its bytes, and beside them what the server called that version of it."""

    path: Path

    @property
    def validator_path(self) -> Path:
        return self.path.with_name(self.path.name + ".version")

    def start(self) -> tuple[int, str | None]:
        """How many bytes can be kept, and the validator that they stand for."""
        if not self.path.exists() or not self.validator_path.exists():
            return 0, None
        return self.path.stat().st_size, self.validator_path.read_text("utf-8")

    def begin(self, validator: str | None) -> None:
        """Forget the bytes so far; remember the validator of those to come."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(b"")
        if validator is None:
            self.validator_path.unlink(missing_ok=True)
        else:
            self.validator_path.write_text(validator, "utf-8")

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self.validator_path.unlink(missing_ok=True)


def download(url: str, part: Path, progress: Progress, opener: Opener) -> None:
    """Bring ``url`` into ``part``, going on with what an earlier call left there.

    A resumed transfer is asked for with ``If-Range``, so that a file which changed on the server in the
    meantime is fetched from its start, never stitched together. Network failures, timeouts and passing
    server errors are tried :data:`ATTEMPTS` times. Raises CorpusUnavailable.
    """
    partial = _Partial(part)
    retrying = Retrying(
        stop=stop_after_attempt(ATTEMPTS),
        wait=wait_exponential(multiplier=0.25, max=8),
        retry=retry_if_exception_type(_Interrupted),
        reraise=True,
    )
    try:
        retrying(_attempt, url, partial, progress, opener)
    except _Interrupted as error:
        raise CorpusUnavailable(
            f"{url} could not be fetched: {error}. What came so far is kept: the same command goes on with it"
        ) from error
    partial.validator_path.unlink(missing_ok=True)


def discard(part: Path) -> None:
    """Remove an unfinished or wrong download."""
    _Partial(part).discard()


def _attempt(url: str, partial: _Partial, progress: Progress, opener: Opener) -> None:
    kept, validator = partial.start()
    request = urllib.request.Request(url, headers={"User-Agent": "treegraph", "Accept-Encoding": "identity"})
    if kept and validator:
        request.add_header("Range", f"bytes={kept}-")
        request.add_header("If-Range", validator)
    try:
        response = opener.open(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        raise _refused(url, partial, error) from error
    except (OSError, http.client.HTTPException) as error:
        raise _Interrupted(getattr(error, "reason", None) or error) from error
    with response:
        if not _continues(response, kept):
            kept = 0
            partial.begin(_validator(response))
        _receive(response, partial, kept, progress)


def _refused(url: str, partial: _Partial, error: urllib.error.HTTPError) -> Exception:
    """What an error status means: try again, or give up with what the user can do."""
    error.close()
    if error.code == 416:
        partial.discard()
        return _Interrupted("the server does not have the rest of the file any more")
    if error.code in _TRANSIENT_STATUS:
        return _Interrupted(f"the server answered {error.code} {error.reason}")
    return CorpusUnavailable(
        f"{url} answered {error.code} {error.reason}: the publisher moved or withdrew it. "
        "Look at the corpus's homepage for the new address"
    )


def _continues(response: Any, kept: int) -> bool:
    """Whether the response is the rest of the file from exactly where our bytes end."""
    return response.status == 206 and str(response.headers.get("Content-Range", "")).startswith(
        f"bytes {kept}-"
    )


def _validator(response: Any) -> str | None:
    """A strong ETag, else the date of the last change: what ``If-Range`` may carry (RFC 9110, 13.1.5)."""
    tag = response.headers.get("ETag")
    if tag and not tag.startswith("W/"):
        return str(tag)
    changed = response.headers.get("Last-Modified")
    return str(changed) if changed else None


def _receive(response: Any, partial: _Partial, kept: int, progress: Progress) -> None:
    length = response.headers.get("Content-Length")
    total = kept + int(length) if length is not None else None
    with partial.path.open("ab") as file:
        progress(kept, total)
        while block := _read(response):
            kept += _write(file, block)
            progress(kept, total)
        file.flush()
        os.fsync(file.fileno())
    if total is not None and kept < total:
        raise _Interrupted(f"the connection closed after {kept} of {total} bytes")


def _read(response: Any) -> bytes:
    try:
        return bytes(response.read(_BLOCK))
    except (OSError, http.client.HTTPException) as error:
        raise _Interrupted(error) from error


def _write(file: IO[bytes], block: bytes) -> int:
    try:
        return file.write(block)
    except OSError as error:
        raise CorpusUnavailable(f"cannot write {file.name}: {error.strerror}") from error
