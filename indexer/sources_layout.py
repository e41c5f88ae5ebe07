"""Files that belong to other files: sidecars, a benchmark's folder, the texts that records are cut from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from .sources_patterns import IGNORE_FILE

SIDECAR = ".meta.toml"
"""The end of a sidecar's name: ``sdm.pdf.meta.toml``, or ``sdm.meta.toml`` for every ``sdm.*``."""

DOCUMENTS = "documents.jsonl"
"""The texts that the records of the other JSONL files in the folder were cut from."""

_BEIR: Final = {"corpus.jsonl", "queries.jsonl"}
_INDEX: Final = {"index.toml", "writer.lock"}
_SETTINGS: Final = {"treegraph.toml", IGNORE_FILE}
_PEEK = 1 << 16


def is_index(names: frozenset[str]) -> bool:
    """Whether a folder that holds these names is an index of ours, if only one begun."""
    return "ledger.db" in names and not _INDEX.isdisjoint(names)


def reason_to_skip(folder: Path, name: str, is_folder: bool, names: frozenset[str]) -> str | None:
    """Why an entry that no pattern ignores is still no document, None where it is one.

    ``names`` are all the names in ``folder``. Of a folder in the BEIR layout (``corpus.jsonl`` beside
    ``queries.jsonl``) only ``corpus.jsonl`` is a document source.
    """
    if name in _SETTINGS:
        return "settings of treegraph"
    if names >= _BEIR and name != "corpus.jsonl" and (not is_folder or name == "qrels"):
        return "beside corpus.jsonl"
    if name == DOCUMENTS and any(
        other != DOCUMENTS and other.endswith(".jsonl") and _is_cut(folder / other) for other in names
    ):
        return "text of pre-cut records"
    return None


def sidecar_name(name: str, names: frozenset[str]) -> str | None:
    """The sidecar that describes ``name``: by its whole name, else by its name without the ending."""
    return next((candidate for candidate in _sidecars_of(name) if candidate in names), None)


def orphans(names: frozenset[str]) -> list[str]:
    """The sidecars among ``names`` that describe none of the others."""
    described = {sidecar for name in names if not name.endswith(SIDECAR) for sidecar in _sidecars_of(name)}
    return sorted(name for name in names if name.endswith(SIDECAR) and name not in described)


def neighbours(path: Path) -> frozenset[str]:
    """The names beside a single file that bear on it: its sidecars, and the texts of its records."""
    candidates = (*_sidecars_of(path.name), DOCUMENTS)
    return frozenset(name for name in candidates if (path.parent / name).is_file())


def is_cut_from_documents(name: str, names: frozenset[str]) -> bool:
    """Whether ``name`` is a JSONL file with a ``documents.jsonl`` beside it."""
    return name.endswith(".jsonl") and name != DOCUMENTS and DOCUMENTS in names


def _sidecars_of(name: str) -> tuple[str, ...]:
    stem = name.rpartition(".")[0]
    return (name + SIDECAR, stem + SIDECAR) if stem else (name + SIDECAR,)


def _is_cut(path: Path) -> bool:
    """Whether the first record is named ``<document>#<n>``."""
    try:
        with path.open("rb") as file:
            record = json.loads(file.readline(_PEEK))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(record, dict) and "#" in str(record.get("_id", ""))
