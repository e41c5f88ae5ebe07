"""A document's metadata, from the least to the most specific: loader, rules, sidecar, record."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, Final, Literal

from .errors import BadMetadata, TreegraphError, UnreadableFile
from .loaders.loaded import Loaded
from .metadata_globs import source_matches
from .sources_names import escape_name
from .types import Document

HIDDEN: Final = "\x00hidden"
"""The label of unlabelled documents where the configuration hides them: no reader can name it."""

_TEXTS: Final = ("title", "edition", "language")
_DATES: Final = ("valid_from", "valid_until")
_RESERVED: Final = ("id", "source", "media_type", "version", "page_count", "content")
_KNOWN: Final = ("labels", *_TEXTS, *_DATES)
_MAX_NUMBER: Final = 2**63
_DEEPEST: Final = 8


@dataclass(frozen=True, slots=True)
class MetadataRule:
    """Values for the documents whose source ``glob`` matches (see :func:`.source_matches`).

    Raises BadMetadata that names the key where a value has the wrong type.
    """

    glob: str
    values: Mapping[str, Any]

    def __post_init__(self) -> None:
        if not self.glob.strip("/"):
            raise BadMetadata('glob: expected a pattern over sources, such as "manuals/**/*.pdf"')
        _check(self.values, f"rule for {self.glob}")


@dataclass(frozen=True, slots=True)
class _Known:
    """Metadata of the right types. None means that this place says nothing of it."""

    labels: tuple[str, ...] | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    dates: Mapping[str, date] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)


def read_sidecar(path: Path | None) -> Mapping[str, Any] | None:
    """The values in a sidecar (``NAME.meta.toml``), checked; None where there is no sidecar.

    Raises BadMetadata, naming file and key; UnreadableFile.
    """
    if path is None:
        return None
    name = escape_name(path.name)
    try:
        values = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise UnreadableFile(f"{name} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadMetadata(f"{name}: is not TOML: {error}") from error
    _check(values, name)
    return values


def describe(
    loaded: Loaded,
    *,
    id: str,
    rules: Sequence[MetadataRule] = (),
    sidecar: Mapping[str, Any] | None = None,
    unlabelled: Literal["public", "hidden"] = "public",
) -> Document:
    """The document that a loaded source is, under the id that it has in the index.

    Of two places that speak of one thing the more specific wins: a record's own keys, then the
    sidecar, then the rules (the later the stronger), then what the loader found. ``labels = []``
    takes labels away again. The title falls back to the source's last part.

    Raises BadMetadata where a value has the wrong type, ValueError for a source without content.
    """
    content = loaded.content
    if content is None:
        raise ValueError(f"{loaded.source} was not loaded")
    known = _merge(loaded, rules, sidecar or {})
    labels = known.labels or ((HIDDEN,) if unlabelled == "hidden" else ())
    return Document(
        id=id,
        source=loaded.source,
        title=known.texts.get("title") or content.title or _last_part(loaded.source),
        media_type=content.media_type,
        version=loaded.version,
        language=known.texts.get("language") or content.language,
        labels=labels,
        edition=known.texts.get("edition"),
        valid_from=known.dates.get("valid_from"),
        valid_until=known.dates.get("valid_until"),
        fields=known.fields,
        page_count=len(content.pages) or None,
        content=content,
        redacted=content.redacted,
        withheld=content.withheld,
    )


def _merge(loaded: Loaded, rules: Sequence[MetadataRule], sidecar: Mapping[str, Any]) -> _Known:
    """All that is said of a source, the most specific last word on each key."""
    matching = [each for each in rules if source_matches([each.glob], loaded.source)]
    places = [_check(each.values, f"rule for {each.glob}") for each in matching]
    places += [_check(sidecar, "sidecar"), _check(loaded.metadata, "record", reserved=())]
    known = _Known(
        labels=next((place.labels for place in reversed(places) if place.labels is not None), None),
        texts={key: value for place in places for key, value in place.texts.items()},
        dates={key: value for place in places for key, value in place.dates.items()},
        fields={key: value for place in places for key, value in place.fields.items()},
    )
    first, last = known.dates.get("valid_from"), known.dates.get("valid_until")
    if first is not None and last is not None and last < first:
        raise BadMetadata(f"valid_until: expected a day not before valid_from, {first}, got {last}")
    return known


def _check(values: Mapping[str, Any], origin: str, reserved: Sequence[str] = _RESERVED) -> _Known:
    """Values as they must be; a table's keys become fields as ``table.key``. Raises BadMetadata for
    the first that is not right, and for names that are ``reserved``."""
    labels: tuple[str, ...] | None = None
    texts: dict[str, str] = {}
    dates: dict[str, date] = {}
    fields: dict[str, Any] = {}
    for key, value in _flat(values):
        if key in reserved:
            raise BadMetadata(f"{origin}: {key}: is set by treegraph; choose another name")
        if (meant := _meant(key, written_by_hand=bool(reserved))) is not None:
            raise BadMetadata(f"{origin}: {key}: did you mean {meant}? Name a field of your own otherwise")
        try:
            if key == "labels":
                labels = _labels(value)
            elif key in _TEXTS:
                texts[key] = _text(value)
            elif key in _DATES:
                dates[key] = _date(value)
            else:
                fields[key] = _field(value)
        except _WrongType as wrong:
            raise BadMetadata(f"{origin}: {key}: expected {wrong}, got {_shown(value)}") from None
    return _Known(labels, texts, dates, fields)


def _meant(key: str, written_by_hand: bool) -> str | None:
    """The known key that a key was surely meant to be.

    A misspelled ``labels`` must not pass for a field of one's own, and the document for public. In
    records, whose keys come from elsewhere, only the case of letters counts as a slip.
    """
    if key in _KNOWN:
        return None
    near = difflib.get_close_matches(key.lower(), _KNOWN, 1, 0.8 if written_by_hand else 1.0)
    return near[0] if near else None


def _flat(values: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Keys and values; those of tables under ``table.key``, what is null left out."""
    for key, value in values.items():
        if isinstance(value, Mapping) and key not in _KNOWN and depth < _DEEPEST:
            yield from ((f"{key}.{below}", item) for below, item in _flat(value, depth + 1))
        elif value is not None:
            yield key, value


class _WrongType(TreegraphError):
    """What was expected of a value; the caller adds where it stands."""


def _labels(value: Any) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        raise _WrongType('a list of labels or a text like "staff, partners"')
    labels = sorted({part.strip() for part in parts} - {""})
    if any(not label.isprintable() or "," in label for label in labels):
        raise _WrongType("labels of printable characters without a comma")
    if parts and not labels:
        # An empty label is a slip, and reading it as "public" would open the document to everyone.
        raise _WrongType("labels that are not empty; an empty list means public")
    return tuple(labels)


def _text(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).strip():
        raise _WrongType("a text")
    return str(value).strip()


def _date(value: Any) -> date:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value.strip()).date()
        except ValueError:
            pass  # Said below, as for every other wrong value.
    raise _WrongType("a date like 2024-12-31")


def _field(value: Any) -> Any:
    if isinstance(value, list):
        return [_scalar(item) for item in value]
    return _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, str | bool):
        return value
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, int) and -_MAX_NUMBER <= value < _MAX_NUMBER:
        return value
    if isinstance(value, float) and abs(value) < float("inf"):
        return value
    raise _WrongType("a text, number, true or false, date, or a list of these")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _last_part(source: str) -> str:
    """The file's name, and for a record its id as well, whatever slashes that holds."""
    match = re.search(r"[^/]*\.\w+#.+\Z|[^/]*\Z", source, re.DOTALL)
    return match[0] if match else source
