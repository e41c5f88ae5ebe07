"""The recipe of a file: a digest of every setting that decides what its bytes become."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..indexer.digests import digest
from ..indexer.errors import UnreadableFile
from ..indexer.loaders.settings import LOADER_VERSION
from ..indexer.metadata import source_matches
from ..indexer.prompts import load_prompt
from ..indexer.sources import SourceFile
from ..indexer.stores.ledger_rows import EDITED
from .config import Config

PIPELINE_VERSION = 3
"""Raised when the same settings make other rows than before."""
_PAGES = ("pdf", "ocr", "native")
"""How pages are read is in the recipes of those files alone that it touches: see :mod:`.page_readers`."""
_LIMITS = ("max_pages", "max_bytes", "max_seconds", "max_memory", "max_characters", "passwords")


def shared_recipe(config: Config, llm: str | None = None) -> dict[str, Any]:
    """The part of the recipe that all files of a build share. ``llm`` is the model that is asked, where it is
    not the configured one.

    Limits are not in it: a file that stayed within the old ones reads the same under the new.
    """
    load = {key: value for key, value in asdict(config.load).items() if key not in (*_LIMITS, *_PAGES)}
    recipe: dict[str, Any] = {
        "pipeline": PIPELINE_VERSION,
        "loader": LOADER_VERSION,
        "load": load,
        "chunk": asdict(config.chunk),
        "context": asdict(config.context),
        "access": config.access.unlabelled,
        "embed": asdict(config.embed) if config.chunk.by == "semantic" else None,
    }
    if config.redact.active:
        from ..indexer.redaction.finder import Redactor

        recipe["redact"] = Redactor(config.redact).name
    if config.context.by == "model":
        recipe["llm"] = llm or config.llm.model
        recipe["prompt"] = load_prompt("situate").version
    return recipe


def recipes(config: Config, edit: str | None = None, llm: str | None = None) -> Callable[[SourceFile], str]:
    """The recipe of a file: what all share, its name's ending, and what rules and sidecar say of it.

    ``edit`` names what is changed in what was read, if anything is: the recipe says so, too. ``llm`` is as in
    :func:`shared_recipe`.
    """
    recipe_of_all = shared_recipe(config, llm)
    if edit is not None:
        recipe_of_all["edit"] = edit
    shared = digest(recipe_of_all)
    mark = "" if edit is None else EDITED
    rules = [asdict(rule) for rule in config.documents]

    def recipe(file: SourceFile) -> str:
        applying = [_plain(rule) for rule in rules if _may_apply(str(rule["glob"]), file.source)]
        return mark + digest([shared, file.path.suffix.lower(), applying, sidecar_text(file.sidecar)])

    return recipe


def access_rules(config: Config) -> int:
    """How many settings of a configuration say who may read what: label rules, and hidden by default."""
    return sum("labels" in rule.values for rule in config.documents) + (config.access.unlabelled == "hidden")


def limits_digest(config: Config, pages: str = "") -> str:
    """The limits on one file, and by what its ``pages`` are read: raising a limit, or another reader, is a
    reason to try again a file that failed."""
    return digest([*(_plain(asdict(config.load)[name]) for name in _LIMITS), pages])


def sidecar_text(path: Path | None) -> str | None:
    """A sidecar's text as it is. Raises UnreadableFile."""
    if path is None:
        return None
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise UnreadableFile(f"{path.name} cannot be read: {error.strerror}") from error


def _may_apply(glob: str, source: str) -> bool:
    """Whether a rule concerns a file; a file of records is concerned by rules about its records too."""
    return source.endswith(".jsonl") or source_matches([glob], source)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
