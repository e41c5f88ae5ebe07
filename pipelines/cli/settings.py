"""``treegraph config``: the effective configuration, and where each value came from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .common import Common, command
from .flags import build_flags, effective_with
from .output import emit, say

if TYPE_CHECKING:
    from ..config import Effective, Setting


@command("config", short_help="Print the effective configuration.")
@build_flags
def config(
    common: Common,
    pdf: str | None,
    qdrant: str | None,
    neo4j: str | None,
    llm: str | None,
    vision: str | None,
) -> int:
    """Print the effective configuration as TOML, and where each value came from.

    Flags come before the environment (TREEGRAPH_TABLE_KEY, as TREEGRAPH_CHUNK_SIZE), the environment
    before the file (--config, $TREEGRAPH_CONFIG or treegraph.toml here), the file before the defaults.
    """
    effective = effective_with(common, pdf, qdrant, neo4j, llm, vision)
    if common.json:
        emit(_document(effective, common))
    else:
        say("\n".join(_toml(effective, common)))
    return 0


def _document(effective: Effective, common: Common) -> dict[str, Any]:
    from ..config import secrets_set

    tables: dict[str, dict[str, Any]] = {}
    for setting in effective.settings:
        entry = {"value": _plain(setting.value), "from": setting.layer, "where": setting.where or None}
        tables.setdefault(setting.table, {})[setting.key] = entry
    return {
        "file": str(effective.file) if effective.file else None,
        "index": {"value": str(common.index_path), "from": common.index_origin},
        "config": tables,
        "documents": [{"glob": rule.glob, **_plain(rule.values)} for rule in effective.config.documents],
        "secrets": secrets_set(),
    }


def _plain(value: object) -> Any:
    """A value as JSON has it: lists for tuples, ISO text for dates."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _toml(effective: Effective, common: Common) -> list[str]:
    from ..config import secrets_set

    lines = [f"# index: {common.index_path} ({common.index_origin})", f"# file: {effective.file or 'none'}"]
    lines += [f"# {name}: {'set' if given else 'not set'}" for name, given in secrets_set().items()]
    lines += ["version = 1"]
    table = ""
    for setting in sorted(effective.settings, key=lambda s: isinstance(s.value, Mapping)):
        if isinstance(setting.value, Mapping):
            continue
        if setting.table != table:
            table = setting.table
            lines += ["", f"[{table}]"]
        lines.append(_line(setting))
    for setting in effective.settings:
        if isinstance(setting.value, Mapping) and setting.value:
            lines += ["", f"[{setting.table}.{setting.key}]  # {_origin(setting)}", _dump(setting.value)]
    for rule in effective.config.documents:
        lines += ["", "[[documents]]", _dump({"glob": rule.glob, **rule.values})]
    return lines


def _line(setting: Setting) -> str:
    if setting.value is None:
        return f"{'# ' + setting.key + ' is not set':40} # {_origin(setting)}"
    return f"{_dump({setting.key: setting.value}):40} # {_origin(setting)}"


def _origin(setting: Setting) -> str:
    return f"{setting.layer}: {setting.where}" if setting.where else setting.layer


def _dump(values: Mapping[str, Any]) -> str:
    """TOML, a line a key: a list, which takes a line an item in tomli_w, is folded into one."""
    import tomli_w

    lines = (tomli_w.dumps({key: value}).strip() for key, value in values.items())
    return "\n".join(re.sub(r"\s*\n\s*", " ", line) for line in lines)
