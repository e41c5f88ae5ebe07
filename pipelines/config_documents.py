"""The ``[[documents]]`` rules: what is known of the files that a glob matches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..indexer.errors import ConfigurationError, LoadError
from ..indexer.metadata import MetadataRule


def parse_rules(entries: object, file: Path | None) -> tuple[MetadataRule, ...]:
    """The rules in the order of the file. Raises ConfigurationError that counts them from 1."""
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ConfigurationError(f"{file}: documents: expected tables, write each as [[documents]]")
    return tuple(_rule(entry, f"{file}: [[documents]] number {n}") for n, entry in enumerate(entries, 1))


def _rule(entry: dict[str, Any], where: str) -> MetadataRule:
    values = dict(entry)
    glob = values.pop("glob", None)
    if not isinstance(glob, str) or not glob:
        raise ConfigurationError(f'{where}: glob: expected a pattern such as "manuals/**", got {glob!r}')
    try:
        return MetadataRule(glob, values)
    except (ConfigurationError, LoadError) as error:
        raise ConfigurationError(f"{where}: {error}") from error
