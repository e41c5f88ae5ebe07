"""Fetch a public corpus: every file checked against its manifest, nothing downloaded twice."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import tomli_w

from ..indexer.errors import CorpusUnavailable
from .download import Opener, default_opener, discard, download
from .manifest import Corpus, CorpusFile, find_corpus, list_corpora

__all__ = ["Corpus", "CorpusFile", "FetchEvent", "LOCK", "fetch", "list_corpora"]

LOCK = "fetched.toml"
"""Beside the download: address, size and sha256 of every file as it was first fetched."""


@dataclass(frozen=True, slots=True)
class FetchEvent:
    """Progress of one file (``item``): ``done`` of ``total`` bytes, total None where nobody knows.

    ``note`` says something that the user should read, once: that a file was there already, or that it
    had no checksum to hold it against.
    """

    done: int
    total: int | None
    item: str
    note: str = ""
    stage: str = "fetch"
    unit: str = "bytes"


Listener = Callable[[FetchEvent], None]
Entry = dict[str, str | int]


def fetch(name: str, out: Path, on_event: Listener | None = None, opener: Opener | None = None) -> list[Path]:
    """Bring the corpus ``name`` into the folder ``out`` and return its files, in the manifest's order.

    A file that is there and right is left alone; an interrupted download goes on where it stopped. A
    file whose manifest has no sha256 is trusted at its first fetch: its sum is written to
    ``out/fetched.toml``, and from then on another sum is an error. Raises ConfigurationError for an
    unknown name, CorpusUnavailable for a dead link or bytes other than expected.
    """
    return fetch_corpus(find_corpus(name), out, on_event, opener)


def fetch_corpus(
    corpus: Corpus, out: Path, on_event: Listener | None = None, opener: Opener | None = None
) -> list[Path]:
    """:func:`fetch` for a corpus that has no manifest in this package."""
    tell = on_event or (lambda event: None)
    opener = opener or default_opener()
    try:
        out.mkdir(parents=True, exist_ok=True)
        known = _read_lock(out / LOCK)
        for file in corpus.files:
            target = out / file.path
            expected = file.sha256 or _recorded(known, file)
            if _is_right(target, expected):
                tell(FetchEvent(target.stat().st_size, target.stat().st_size, file.path, "already there"))
            else:
                expected = _bring(corpus, file, target, expected, tell, opener)
            known[file.path] = {"url": file.url, "size": target.stat().st_size, "sha256": expected}
            _write_lock(out / LOCK, known)
    except OSError as error:
        raise CorpusUnavailable(f"cannot write to {out}: {error.strerror or error}") from error
    return [out / file.path for file in corpus.files]


def _bring(
    corpus: Corpus, file: CorpusFile, target: Path, expected: str, tell: Listener, opener: Opener
) -> str:
    """Download into ``.part``, check, only then put the file in its place, and return its sha256."""
    part = target.with_name(target.name + ".part")
    download(file.url, part, lambda done, total: tell(FetchEvent(done, total, file.path)), opener)
    size, found = part.stat().st_size, _sha256(part)
    if not size or (file.size and size != file.size) or (expected and found != expected):
        discard(part)
        raise CorpusUnavailable(_mismatch(corpus, file, size, found, expected))
    os.replace(part, target)
    if not expected:
        note = f"no published checksum: trusted as fetched now, sha256 {found} recorded in {LOCK}"
        tell(FetchEvent(size, size, file.path, note))
    return found


def _mismatch(corpus: Corpus, file: CorpusFile, size: int, found: str, expected: str) -> str:
    wanted = f"sha256 {expected or 'not known'}, {file.size or 'unknown'} bytes"
    if file.sha256 or not expected:
        advice = f"the publisher may have replaced it; see {corpus.homepage}"
    else:
        advice = f"it is not what was fetched first; to accept the new one, remove its entry from {LOCK}"
    return f"{file.url} is not what was expected ({wanted}) but sha256 {found}, {size} bytes: {advice}"


def _is_right(target: Path, expected: str) -> bool:
    return bool(expected) and target.is_file() and _sha256(target) == expected


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _recorded(known: Mapping[str, Entry], file: CorpusFile) -> str:
    """The sha256 of the first fetch, if it was from the address that the manifest has today."""
    entry = known.get(file.path, {})
    return str(entry.get("sha256", "")) if entry.get("url") == file.url else ""


def _read_lock(path: Path) -> dict[str, Entry]:
    if not path.exists():
        return {}
    try:
        return dict(tomllib.loads(path.read_text("utf-8"))["files"])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
        raise CorpusUnavailable(f"{path} is damaged ({error}); remove it to fetch everything anew") from error


def _write_lock(path: Path, known: dict[str, Entry]) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(tomli_w.dumps({"files": known}), "utf-8")
    os.replace(part, path)
