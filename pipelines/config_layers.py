"""Where configuration values come from: flags > environment > file > default."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..indexer.errors import ConfigurationError
from .config_secrets import SECRETS, looks_secret, refusal
from .config_values import Mismatch, convert, convert_text, is_mapping

VERSION = 1
"""The configuration format that this treegraph reads."""

Layer = Literal["flag", "environment", "file", "default"]
Key = tuple[str, str]
Schema = Mapping[str, Mapping[str, Any]]
"""Table name to key to type: every key that there is."""

PREFIX = "TREEGRAPH_"
_OTHER_VARIABLES = frozenset({"TREEGRAPH_INDEX", "TREEGRAPH_CONFIG", "TREEGRAPH_CACHE", *SECRETS})


@dataclass(frozen=True, slots=True)
class Given:
    """A value that somebody gave. ``where`` names the flag, the variable or the file."""

    value: object
    layer: Layer
    where: str


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a configuration file, its version checked and taken out. Raises ConfigurationError."""
    try:
        with path.open("rb") as file:
            tables = tomllib.load(file)
    except OSError as error:
        raise ConfigurationError(f"cannot read the configuration {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} is not valid TOML: {error}") from error
    version = tables.pop("version", None)
    if version is None:
        raise ConfigurationError(f"{path} does not say its version; write `version = {VERSION}` at its top")
    if type(version) is not int or version < 1:
        raise ConfigurationError(f"{path}: version: expected {VERSION}, got {version!r}")
    if version > VERSION:
        raise ConfigurationError(
            f"{path} has version {version}, this treegraph reads {VERSION}; use a newer treegraph"
        )
    return tables


def unnested(tables: Mapping[str, Any]) -> dict[str, Any]:
    """The tables with ``[load.redact]``, which stands in one of them, as one of its own."""
    flat = dict(tables)
    load = flat.get("load")
    if isinstance(load, Mapping) and isinstance(load.get("redact"), Mapping):
        flat["load"] = {key: value for key, value in load.items() if key != "redact"}
        flat["load.redact"] = load["redact"]
    return flat


def from_file(tables: Mapping[str, Any], path: Path, schema: Schema) -> dict[Key, Given]:
    """The file's values, each of its key's type. Raises ConfigurationError."""
    found: dict[Key, Given] = {}
    for table, content in tables.items():
        if table not in schema:
            raise _unknown_table(table, content, path, schema)
        if not isinstance(content, Mapping):
            raise ConfigurationError(f"{path}: {table}: expected a table, write it as [{table}]")
        for key, value in content.items():
            if key not in schema[table]:
                raise _unknown_key(table, key, str(path), schema)
            found[table, key] = Given(_typed(schema, table, key, value, str(path)), "file", str(path))
    return found


def from_environment(environ: Mapping[str, str], schema: Schema) -> dict[Key, Given]:
    """Values of ``TREEGRAPH_<TABLE>_<KEY>``; an empty one counts as not given. Raises ConfigurationError."""
    found: dict[Key, Given] = {}
    for name, text in environ.items():
        if not name.startswith(PREFIX) or name in _OTHER_VARIABLES or not text:
            continue
        table, _, key = (
            name.removeprefix(PREFIX).lower().replace("load_redact_", "load.redact_").partition("_")
        )
        if table not in schema:
            continue
        if key not in schema[table]:
            raise _unknown_key(table, key, name, schema)
        if is_mapping(schema[table][key]):
            raise ConfigurationError(f"{name}: [{table}.{key}] can only be given in the configuration file")
        try:
            found[table, key] = Given(convert_text(schema[table][key], text), "environment", name)
        except Mismatch as error:
            raise ConfigurationError(f"{name}: {error}") from None
    return found


def _typed(schema: Schema, table: str, key: str, value: object, where: str) -> object:
    try:
        return convert(schema[table][key], value)
    except Mismatch as error:
        # What stands in place of a variable's name may be the password: it is not shown.
        shown = 'expected pairs of "PATTERN" = "env:NAME"' if key == "passwords" else str(error)
        raise ConfigurationError(f"{where}: [{table}] {key}: {shown}") from None


def _unknown_table(name: str, content: object, path: Path, schema: Schema) -> ConfigurationError:
    if looks_secret(name):
        return refusal("", name, str(path))
    if isinstance(content, Mapping) or name in schema:
        return ConfigurationError(f"{path}: there is no table [{name}]; {_nearest(name, schema)}")
    homes = [table for table, keys in schema.items() if name in keys]
    if homes:
        tables = " or ".join(f"[{table}]" for table in homes)
        return ConfigurationError(f"{path}: {name} stands above all tables; it belongs in {tables}")
    return ConfigurationError(f"{path}: unknown key {name}; {_nearest(name, ['version', *schema])}")


def _unknown_key(table: str, key: str, where: str, schema: Schema) -> ConfigurationError:
    if looks_secret(key):
        return refusal(table, key, where)
    if not schema[table]:
        return ConfigurationError(f"{where}: [{table}] has no keys in this version, got {key}")
    advice = _nearest(key, schema[table])
    if not difflib.get_close_matches(key, schema[table], n=1):
        homes = [other for other, keys in schema.items() if key in keys]
        if homes:
            advice = "it belongs in " + " or ".join(f"[{home}]" for home in homes)
    return ConfigurationError(f"{where}: unknown key {key} in [{table}]; {advice}")


def _nearest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"did you mean {close[0]}?" if close else f"known are {', '.join(sorted(known))}"
