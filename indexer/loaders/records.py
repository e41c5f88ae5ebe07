"""JSONL records: one document a line, or the pre-cut chunks of documents that stand beside them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import BadRecord, LoadError, UnreadableFile
from ..sources_layout import DOCUMENTS
from ..sources_names import escape_name
from ..types import Content
from .encoding import scrub
from .loaded import Loaded
from .media import PLAIN
from .records_cuts import locate

MAX_LINE = 64 * 1024 * 1024
"""The longest line, in bytes, that is taken for a record."""

_ID = re.compile(rb'"_id"\s*:\s*("(?:[^"\\]|\\.){1,512}")')
_OWN_KEYS = frozenset({"_id", "title", "text"})


_ACCESS = ("labels", "valid_from", "valid_until")
"""Metadata that decides who may read a document, and when."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a JSONL file: where it begins, its 1-based number, its bytes without the line end."""

    offset: int
    number: int
    data: bytes


@dataclass(frozen=True, slots=True)
class _Record:
    """A line that is a usable record. ``metadata`` are its keys but for id, title and text."""

    id: str
    title: str | None
    text: str
    metadata: Mapping[str, Any]
    digest: str


def read_records(path: Path, source: str | None = None) -> Iterator[Loaded]:
    """The documents of a JSONL file, one after the other.

    A line is ``{"_id", "title", "text", ...}``; its other keys are metadata, a missing ``_id`` is the
    line's number, and where there is a title but no text the title is the text. ``source`` is the
    file's own (by default its name); a document's is ``<source>#<_id>``. What is no such record comes
    as ``Loaded(error=BadRecord)`` that names the line: malformed JSON, a second record of one ``_id``,
    a line over :data:`MAX_LINE`.

    Records whose ``_id`` is ``<document>#<n>``, with ``<document>`` in ``documents.jsonl`` beside the
    file, come as one document with ``Content.cuts``, in the order of n, after all others.

    Raises UnreadableFile where a file cannot be read at all.
    """
    name = source if source is not None else escape_name(path.name)
    try:
        with path.open("rb") as file:
            yield from _read(file, path, name)
    except OSError as error:
        raise UnreadableFile(f"cannot be read: {error.strerror}") from error


def _read(file: BinaryIO, path: Path, name: str) -> Iterator[Loaded]:
    documents = _documents(path)
    seen: set[str] = set()
    cut: dict[str, list[tuple[str, int]]] = {}
    for line in _lines(file):
        try:
            record = _parse(line)
            if record.id in seen:
                raise BadRecord(f"line {line.number}: a record with the _id {record.id!r} stands above")
        except BadRecord as error:
            yield _failed(name, line, error, seen)
            continue
        seen.add(record.id)
        document = record.id.rpartition("#")[0]
        if document in documents:
            cut.setdefault(document, []).append((record.id, line.offset))
            continue
        yield Loaded(_source(name, record.id), record.digest, _content(record), record.metadata)
    if cut:
        with (path.parent / DOCUMENTS).open("rb") as texts:
            for document, records in cut.items():
                try:
                    yield _assemble(file, texts, documents[document], name, records)
                except BadRecord as error:
                    yield Loaded(_source(name, document), "", None, error=error)


def _assemble(
    file: BinaryIO, texts: BinaryIO, offset: int, name: str, places: list[tuple[str, int]]
) -> Loaded:
    """One document from its own line and its records' lines."""
    document = _parse(_line_at(texts, offset))
    records = [_parse(_line_at(file, place)) for _, place in sorted(places, key=_order)]
    text, cuts = locate(document.text, [(record.id, record.text) for record in records])
    digest = hashlib.sha256("\n".join([document.digest, *(r.digest for r in records)]).encode()).hexdigest()
    title = document.title or next((record.title for record in records if record.title), None)
    _require_one_access(document, records)
    metadata = {**_common(records), **document.metadata}
    content = Content(text=text, media_type=_media_type(document.metadata), title=title, cuts=cuts)
    return Loaded(_source(name, document.id), digest, content, metadata)


def _require_one_access(document: _Record, records: list[_Record]) -> None:
    """Records of one document share its labels and dates: what differs must not fall open."""
    for key in _ACCESS:
        values = [record.metadata.get(key) for record in records]
        stated = document.metadata.get(key, values[0])
        if any(value != values[0] for value in values) or values[0] not in (None, stated):
            raise BadRecord(f"the records of {document.id!r} differ in {key}; give all of them the same")


def _common(records: list[_Record]) -> dict[str, Any]:
    """The metadata on which all records of a document agree."""
    first, *others = (record.metadata for record in records)
    return {
        key: value
        for key, value in first.items()
        if all(key in other and other[key] == value for other in others)
    }


def _content(record: _Record) -> Content:
    return Content(text=record.text, media_type=_media_type(record.metadata), title=record.title)


def _media_type(metadata: Mapping[str, Any]) -> str:
    stated = metadata.get("media_type")
    return stated if isinstance(stated, str) and "/" in stated else PLAIN


def _order(place: tuple[str, int]) -> tuple[int, int]:
    """Records by the number in their id where it is one, else as they stand in the file."""
    number = place[0].rpartition("#")[2]
    return (int(number) if number.isdecimal() and len(number) < 18 else 0, place[1])


def _documents(path: Path) -> dict[str, int]:
    """Where each document's line begins in the ``documents.jsonl`` beside ``path``."""
    texts = path.parent / DOCUMENTS
    if path.name == DOCUMENTS or not texts.is_file():
        return {}
    offsets: dict[str, int] = {}
    with texts.open("rb") as file:
        for line in _lines(file):
            try:
                offsets.setdefault(_parse(line).id, line.offset)
            except BadRecord:
                # Its records are then documents of their own, so nothing of them is lost.
                continue
    return offsets


def _lines(file: BinaryIO) -> Iterator[_Line]:
    """The lines with something on them. Of one that is too long only the beginning is kept."""
    number = offset = 0
    while raw := file.readline(MAX_LINE):
        number += 1
        start, offset = offset, offset + len(raw)
        rest = raw
        while len(rest) == MAX_LINE and not rest.endswith(b"\n"):
            rest = file.readline(MAX_LINE)
            offset += len(rest)
        data = raw.removeprefix(b"\xef\xbb\xbf") if start == 0 else raw
        if data.strip():
            yield _Line(start, number, data.rstrip(b"\r\n"))


def _line_at(file: BinaryIO, offset: int) -> _Line:
    file.seek(offset)
    data = file.readline(MAX_LINE)
    return _Line(offset, 0, (data.removeprefix(b"\xef\xbb\xbf") if offset == 0 else data).rstrip(b"\r\n"))


def _parse(line: _Line) -> _Record:
    """Raises BadRecord, with the number of the line."""
    where = f"line {line.number}: "
    if len(line.data) >= MAX_LINE:
        raise BadRecord(f"{where}is longer than {MAX_LINE} bytes")
    try:
        value = json.loads(line.data.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise BadRecord(f"{where}is not UTF-8 at byte {error.start}") from error
    except (ValueError, RecursionError) as error:
        raise BadRecord(f"{where}is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise BadRecord(f'{where}is not an object like {{"_id": ..., "text": ...}}')
    return _record(value, line, where)


def _record(value: dict[str, Any], line: _Line, where: str) -> _Record:
    identifier = value.get("_id", line.number)
    if isinstance(identifier, bool) or not isinstance(identifier, (str, int)) or identifier == "":
        raise BadRecord(f"{where}its _id is neither a text nor a number")
    title, text = value.get("title"), value.get("text")
    if not isinstance(title, str | None) or not isinstance(text, str | None):
        raise BadRecord(f"{where}its title and text must be texts")
    text = text if text and text.strip() else title
    if not text or not text.strip():
        raise BadRecord(f"{where}has no text")
    return _Record(
        id=scrub(str(identifier)),
        title=scrub(title).strip() or None if title else None,
        text=scrub(text).replace("\r\n", "\n"),
        metadata={key: item for key, item in value.items() if key not in _OWN_KEYS},
        digest=hashlib.sha256(line.data).hexdigest(),
    )


def _refuse_constant(constant: str) -> float:
    raise ValueError(f"{constant} is not a JSON value")


def _failed(name: str, line: _Line, error: LoadError, seen: set[str]) -> Loaded:
    """A bad line, under its own ``_id`` where one can be made out, so that an index may keep what it
    last had for it; else under the line's number."""
    found = _ID.search(line.data[:4096])
    identifier = f"line {line.number}"
    if found is not None:
        try:
            stated = scrub(json.loads(found[1]))
        except ValueError:
            stated = ""
        if stated and stated not in seen:
            identifier = stated
    return Loaded(_source(name, identifier), hashlib.sha256(line.data).hexdigest(), None, error=error)


def _source(name: str, identifier: str) -> str:
    return f"{name}#{escape_name(identifier)}"
