"""What a build is pointed at: files, folders and globs, each with a name."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from .errors import ConfigurationError, SourceUnreadable
from .sources_layout import SIDECAR
from .sources_names import absolute, escape_name

_MAGIC = re.compile(r"[*?\[]")
_NAMED = re.compile(r"([^/=]+)=(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Root:
    """A file, a folder, or a glob's fixed part with the rest as ``pattern``.

    ``name`` begins every source in it. ``spec`` is what was asked for, made absolute: the same words
    from another working folder are another root, the same place is the same.
    """

    name: str
    path: Path
    spec: str
    pattern: str | None = None


def parse_roots(specs: Sequence[str | Path], cwd: Path | None = None) -> list[Root]:
    """Roots from what the user wrote: ``PATH``, ``GLOB`` or ``NAME=`` before either.

    What exists under the very words is taken as a path, whatever characters it holds. A root is named
    by the last part of its file or folder, or of its glob's fixed part. A spec that stands twice
    counts once.

    Raises SourceUnreadable for a path that is missing or may not be read, ConfigurationError where two
    roots come to one name or a root has none.
    """
    roots: dict[str, Root] = {}
    for spec in specs:
        root = _parse(spec, cwd or Path.cwd())
        other = roots.setdefault(root.name, root)
        if other != root:
            raise ConfigurationError(
                f"two sources are named {root.name!r}: {other.spec} and {root.spec}. "
                f"Give one another name: OTHER_NAME={root.spec}"
            )
    return list(roots.values())


def _parse(spec: str | Path, cwd: Path) -> Root:
    text = os.fspath(spec)
    if not text:
        raise ConfigurationError("a source is an empty string; name a file, a folder or a glob")
    name, place = None, text
    if (
        isinstance(spec, str)
        and not os.path.lexists(absolute(text, cwd))
        and (named := _NAMED.fullmatch(text))
    ):
        name, place = named[1], named[2]
    path, pattern = _split_glob(place, cwd)
    _check(path)
    name = escape_name(path.name if name is None else name)
    if name in {"", ".", ".."}:
        raise ConfigurationError(f"the source {text!r} has no name of its own; write NAME={place}")
    full = path if pattern is None else path / pattern
    return Root(name, path, escape_name(str(full)), pattern)


def _split_glob(place: str, cwd: Path) -> tuple[Path, str | None]:
    """The path, or a glob's leading parts without wildcards and the rest of it."""
    whole = absolute(place, cwd)
    if os.path.lexists(whole) or not _MAGIC.search(place):
        return whole, None
    parts = place.split("/")
    fixed = next(index for index, part in enumerate(parts) if _MAGIC.search(part))
    base = "/".join(parts[:fixed]) or ("/" if place.startswith("/") else ".")
    pattern = [part for part in parts[fixed:] if part not in {"", "."}]
    if ".." in pattern:
        raise ConfigurationError(f"the source {place!r} has '..' after a wildcard; name the folder itself")
    return absolute(base, cwd), "/".join(pattern)


def _check(path: Path) -> None:
    shown = escape_name(str(path))
    if path.name.endswith(SIDECAR):
        raise ConfigurationError(f"{shown} is a sidecar, not a document; name the file that it describes")
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise SourceUnreadable(f"the source {shown} cannot be read: {error.strerror}") from error
    if not (S_ISDIR(mode) or S_ISREG(mode)):
        raise SourceUnreadable(f"the source {shown} is neither a file nor a folder")
    if not os.access(path, os.R_OK | (os.X_OK if S_ISDIR(mode) else 0), effective_ids=True):
        raise SourceUnreadable(f"the source {shown} may not be read by this user: change its permissions")
