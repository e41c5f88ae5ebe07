"""What a corpus is, and the manifests that describe the ones which can be fetched."""

from __future__ import annotations

import difflib
import re
import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from ..indexer.errors import ConfigurationError

_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """One file to download: ``path`` is where it goes, relative to the corpus's folder.

    ``sha256`` is empty where the publisher replaces the file in place, so that no sum can hold: the sum
    of the first download is then recorded beside it. ``size`` is in bytes, 0 where it is not known.
    """

    url: str
    path: str
    sha256: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True)
class Corpus:
    """A set of public documents: where they come from, and under which licence."""

    name: str
    title: str
    licence: str
    homepage: str
    files: tuple[CorpusFile, ...]

    @property
    def size(self) -> int | None:
        """Bytes to download, None if the size of any file is not known."""
        sizes = [file.size for file in self.files]
        return sum(sizes) if all(sizes) else None

    @property
    def pinned(self) -> bool:
        """Whether every file has a checksum in the manifest."""
        return all(file.sha256 for file in self.files)


def list_corpora() -> list[Corpus]:
    """Every corpus that this package has a manifest for, by name."""
    folder = resources.files(__package__) / "manifests"
    found = [entry for entry in folder.iterdir() if entry.name.endswith(".toml")]
    return sorted(
        (parse_manifest(entry.name.removesuffix(".toml"), entry.read_text("utf-8")) for entry in found),
        key=lambda corpus: corpus.name,
    )


def find_corpus(name: str) -> Corpus:
    """The corpus of that name. Raises ConfigurationError that lists the known ones."""
    known = {corpus.name: corpus for corpus in list_corpora()}
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise ConfigurationError(f"no corpus is called {name!r}{hint} (known: {', '.join(known)})")


def parse_manifest(name: str, text: str) -> Corpus:
    """Read one TOML manifest. Raises ConfigurationError that names the entry at fault."""
    try:
        data = tomllib.loads(text)
        if data["version"] != 1:
            raise ConfigurationError(f"manifest {name}: version {data['version']} is not one that this reads")
        files = tuple(_file(name, entry) for entry in data["files"])
        corpus = Corpus(name, str(data["title"]), str(data["licence"]), str(data["homepage"]), files)
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise ConfigurationError(f"manifest {name} is not usable: {error!r}") from error
    if not _NAME.fullmatch(name):
        raise ConfigurationError(f"manifest {name!r}: a name has small letters, digits and hyphens only")
    if not files or len({file.path for file in files}) != len(files):
        raise ConfigurationError(f"manifest {name}: needs files, each with a path of its own")
    return corpus


def _file(name: str, entry: dict[str, Any]) -> CorpusFile:
    file = CorpusFile(**entry)
    path = PurePosixPath(file.path)
    if path.is_absolute() or ".." in path.parts or path == PurePosixPath("."):
        raise ConfigurationError(f"manifest {name}: {file.path!r} would leave the corpus's folder")
    if urlsplit(file.url).scheme not in ("http", "https"):
        raise ConfigurationError(f"manifest {name}: {file.url!r} is not an http or https address")
    if file.sha256 and not _SHA256.fullmatch(file.sha256):
        raise ConfigurationError(f"manifest {name}: the sha256 of {file.path!r} is not one")
    return file
