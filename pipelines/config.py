"""The configuration: one TOML file, the environment and flags, read here and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ..indexer.chunking import ChunkSettings
from ..indexer.context import ContextSettings
from ..indexer.errors import ConfigurationError, TreegraphError
from ..indexer.graph.settings import GraphSettings
from ..indexer.loaders.settings import LoadSettings
from ..indexer.metadata import MetadataRule
from ..indexer.models.settings import EmbedSettings, LLMSettings, OcrSettings, RerankSettings, VisionSettings
from ..indexer.redaction.settings import RedactSettings
from ..indexer.tree.settings import TreeSettings
from ..query.answer.settings import AnswerSettings
from ..query.graph_settings import GraphReadSettings
from ..query.router.settings import RouterSettings
from ..query.settings import SearchSettings
from ..query.tools.settings import ServeSettings
from ..query.tree_settings import TreeReadSettings
from .config_documents import parse_rules
from .config_layers import Given, Key, Layer, from_environment, from_file, read_toml, unnested
from .config_secrets import SECRETS, check_passwords, check_url
from .config_values import field_types
from .engines.settings import RunSettings
from .telemetry_settings import TelemetrySettings

FILE_NAME = "treegraph.toml"


@dataclass(frozen=True, slots=True)
class AccessSettings:
    """Who may read a document that has no labels: everybody (``public``) or the owner alone."""

    unlabelled: Literal["public", "hidden"] = "public"


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Servers that keep the index's structures, by URL; empty means embedded in the index's folder."""

    qdrant: str = ""
    neo4j: str = ""


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that can be set, a field a table. ``Config()`` is all defaults.

    ``ignore`` are gitignore-style patterns of files that are no documents ([load] ignore),
    ``documents`` the [[documents]] rules in order; an empty ``llm.model`` means that there is no model, an
    empty ``vision.model`` that there is none that sees.
    """

    load: LoadSettings = field(default_factory=LoadSettings)
    redact: RedactSettings = field(default_factory=RedactSettings)
    ignore: tuple[str, ...] = ()
    documents: tuple[MetadataRule, ...] = ()
    chunk: ChunkSettings = field(default_factory=ChunkSettings)
    context: ContextSettings = field(default_factory=ContextSettings)
    embed: EmbedSettings = field(default_factory=EmbedSettings)
    tree: TreeSettings = field(default_factory=TreeSettings)
    tree_read: TreeReadSettings = field(default_factory=TreeReadSettings)
    graph: GraphSettings = field(default_factory=GraphSettings)
    graph_read: GraphReadSettings = field(default_factory=GraphReadSettings)
    rerank: RerankSettings = field(default_factory=RerankSettings)
    llm: LLMSettings = field(default_factory=LLMSettings)
    vision: VisionSettings = field(default_factory=VisionSettings)
    ocr: OcrSettings = field(default_factory=OcrSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    router: RouterSettings = field(default_factory=RouterSettings)
    answer: AnswerSettings = field(default_factory=AnswerSettings)
    serve: ServeSettings = field(default_factory=ServeSettings)
    access: AccessSettings = field(default_factory=AccessSettings)
    stores: StoreSettings = field(default_factory=StoreSettings)
    telemetry: TelemetrySettings = field(default_factory=TelemetrySettings)
    run: RunSettings = field(default_factory=RunSettings)


_TABLES: Mapping[str, type] = {
    "load": LoadSettings,
    "load.redact": RedactSettings,
    "chunk": ChunkSettings,
    "context": ContextSettings,
    "embed": EmbedSettings,
    "tree": TreeSettings,
    "tree_read": TreeReadSettings,
    "graph": GraphSettings,
    "graph_read": GraphReadSettings,
    "search": SearchSettings,
    "router": RouterSettings,
    "answer": AnswerSettings,
    "serve": ServeSettings,
    "rerank": RerankSettings,
    "access": AccessSettings,
    "llm": LLMSettings,
    "vision": VisionSettings,
    "ocr": OcrSettings,
    "stores": StoreSettings,
    "telemetry": TelemetrySettings,
    "run": RunSettings,
}
_INTO = {"tree_read": "tree", "graph_read": "graph"}
"""Settings that share a table with others: how a structure is read stands where how it is made does."""
_FIELDS = {"load.redact": "redact"}
"""Fields of Config that go by another name than their tables."""
_AT_HAND = ("ocr", "native")
"""Keys of [load] that the build sets, no configuration does."""
_DEFAULT = Given(None, "default", "")
_URLS = (
    ("llm", "base_url"),
    ("vision", "base_url"),
    ("stores", "qdrant"),
    ("stores", "neo4j"),
    ("telemetry", "endpoint"),
)


@dataclass(frozen=True, slots=True)
class Setting:
    """One effective value. ``where`` names the flag, variable or file; empty for a default."""

    table: str
    key: str
    value: object
    layer: Layer
    where: str


@dataclass(frozen=True, slots=True)
class Effective:
    """A configuration with where each of its values came from. ``file`` is None where none was read."""

    config: Config
    file: Path | None
    settings: tuple[Setting, ...]

    def layer(self, table: str, key: str) -> Layer:
        """Where the value of a key came from."""
        return next((s.layer for s in self.settings if (s.table, s.key) == (table, key)), "default")


def schema() -> dict[str, dict[str, Any]]:
    """Every table with its keys and their types."""
    tables: dict[str, dict[str, Any]] = {}
    for name, cls in _TABLES.items():
        tables.setdefault(_INTO.get(name, name), {}).update(field_types(cls))
    tables["load"] = {key: hint for key, hint in tables["load"].items() if key not in _AT_HAND}
    tables["load"]["ignore"] = tuple[str, ...]
    return tables


def load_config(
    path: str | os.PathLike[str] | None = None,
    *,
    flags: Mapping[Key, Given] | None = None,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Effective:
    """Read the configuration: ``flags`` over ``environ`` over the file over the defaults.

    The file is ``path``, else ``$TREEGRAPH_CONFIG``, else ``treegraph.toml`` in ``folder`` (default: the
    working folder) where there is one. ``environ`` is the process's environment unless given. Raises
    ConfigurationError, which names the place, the key, what was expected and what was found.
    """
    environ = os.environ if environ is None else environ
    file = _find(path, environ, folder or Path.cwd())
    tables = unnested(read_toml(file)) if file else {}
    rules = parse_rules(tables.pop("documents", []), file)
    known = schema()
    given = from_file(tables, file, known) if file else {}
    given |= from_environment(environ, known)
    given |= flags or {}
    _check(given)
    config = _compose(given, rules)
    return Effective(config, file, tuple(_settings(config, given, known)))


def _find(path: str | os.PathLike[str] | None, environ: Mapping[str, str], folder: Path) -> Path | None:
    asked = path or environ.get("TREEGRAPH_CONFIG")
    if asked:
        file = Path(asked)
        if not file.is_file():
            raise ConfigurationError(f"there is no configuration file {file}")
        return file
    file = folder / FILE_NAME
    return file if file.is_file() else None


def _check(given: Mapping[Key, Given]) -> None:
    for table, key in _URLS:
        value = given.get((table, key))
        if value and isinstance(value.value, str) and value.value:
            check_url(table, key, value.value, value.where)
    passwords = given.get(("load", "passwords"))
    if passwords and isinstance(passwords.value, Mapping):
        check_passwords(passwords.value, passwords.where)


def _compose(given: Mapping[Key, Given], rules: tuple[MetadataRule, ...]) -> Config:
    values: dict[str, dict[str, Any]] = {name: {} for name in _TABLES}
    for (table, key), item in given.items():
        values[part_of(table, key)][key] = item.value
    ignore = values["load"].pop("ignore", ())
    parts = {name: _build(_INTO.get(name, name), cls, values[name], given) for name, cls in _TABLES.items()}
    return Config(ignore=ignore, documents=rules, **{_FIELDS.get(name, name): p for name, p in parts.items()})


def part_of(table: str, key: str) -> str:
    """The field of Config that a key of a table belongs to."""
    shared = (name for name, into in _INTO.items() if into == table and key in field_types(_TABLES[name]))
    return next(shared, table)


def _build(table: str, cls: Callable[..., Any], values: Mapping[str, Any], given: Mapping[Key, Given]) -> Any:
    """One table's settings. Their own checks say what is wrong; here the places are added."""
    try:
        return cls(**values)
    except (TreegraphError, ValueError) as error:
        places = sorted({item.where for (name, _), item in given.items() if name == table})
        named = str(error).startswith((f"[{table}]", f"{table}."))
        raise ConfigurationError(f"{', '.join(places)}: {'' if named else f'[{table}] '}{error}") from error


def _settings(
    config: Config, given: Mapping[Key, Given], known: Mapping[str, Mapping[str, Any]]
) -> list[Setting]:
    found: list[Setting] = []
    for table, keys in known.items():
        for key in keys:
            ignore = (table, key) == ("load", "ignore")
            value = config.ignore if ignore else _value(config, part_of(table, key), key)
            item = given.get((table, key), _DEFAULT)
            found.append(Setting(table, key, value, item.layer, item.where))
    return found


def _value(config: Config, part: str, key: str) -> object:
    return getattr(getattr(config, _FIELDS.get(part, part)), key)


def secrets_set(environ: Mapping[str, str] | None = None) -> dict[str, bool]:
    """Which of the variables that hold secrets are set: whether, never what."""
    environ = os.environ if environ is None else environ
    return {name: bool(environ.get(name)) for name in SECRETS}
