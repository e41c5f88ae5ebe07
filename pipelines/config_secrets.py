"""Secrets come from the environment alone: what looks like one in the configuration is refused, unshown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlsplit

from ..indexer.errors import ConfigurationError

SECRETS: Mapping[str, str] = {
    "TREEGRAPH_LLM_API_KEY": "the language model's key",
    "TREEGRAPH_VISION_API_KEY": "the vision model's key; without it, the language model's is taken",
    "TREEGRAPH_QDRANT_API_KEY": "the Qdrant server's key",
    "TREEGRAPH_NEO4J_PASSWORD": "the Neo4j server's password",
    "TREEGRAPH_SERVE_TOKEN": "the token that clients of treegraph serve --http show",
}
"""Environment variables that hold secrets, and what each is for."""

_LIKE_A_SECRET = re.compile(
    r"api[_-]?key|passw(or)?d|passphrase|secret|(^|_)token$|credential|^auth", re.IGNORECASE
)
_FOR_TABLE = {
    "llm": "TREEGRAPH_LLM_API_KEY",
    "vision": "TREEGRAPH_VISION_API_KEY",
    "embed": "TREEGRAPH_LLM_API_KEY",
    "serve": "TREEGRAPH_SERVE_TOKEN",
}


def looks_secret(key: str) -> bool:
    """Whether a key that no table knows is named like one that holds a secret."""
    return _LIKE_A_SECRET.search(key) is not None


def refusal(table: str, key: str, where: str) -> ConfigurationError:
    """The error for a secret in the configuration: it names the place and the variable, never the value."""
    if table == "load":
        advice = 'give a PDF\'s password as "PATTERN" = "env:NAME" in [load.passwords]'
    elif table == "stores":
        variable = (
            "TREEGRAPH_NEO4J_PASSWORD" if "neo4j" in key or "passw" in key else "TREEGRAPH_QDRANT_API_KEY"
        )
        advice = f"set the environment variable {variable}"
    else:
        advice = f"set the environment variable {_FOR_TABLE.get(table, ' or '.join(SECRETS))}"
    return ConfigurationError(
        f"{where}: [{table}] {key}: secrets are never read from the configuration; take it out and {advice}"
    )


def check_url(table: str, key: str, url: str, where: str) -> None:
    """Refuse a URL that carries a password or a key. Raises ConfigurationError, which does not show it."""
    try:
        parts = urlsplit(url)
        carries = parts.password is not None or parts.username is not None
    except ValueError:
        raise ConfigurationError(f"{where}: [{table}] {key}: expected a URL, got text that is none") from None
    if carries or any(looks_secret(name) for name, _ in parse_qsl(parts.query)):
        raise refusal(table, key, where)
    if parts.scheme not in ("http", "https", "bolt", "bolt+s", "neo4j", "neo4j+s") or not parts.hostname:
        raise ConfigurationError(
            f"{where}: [{table}] {key}: expected a URL such as https://host:6333, got {url!r}"
        )


def check_passwords(passwords: Mapping[str, str], where: str) -> None:
    """Every password is named by its variable. Raises ConfigurationError, which does not show it."""
    for pattern, value in passwords.items():
        if not re.fullmatch(r"env:[A-Za-z_][A-Za-z0-9_]*", value):
            raise ConfigurationError(
                f'{where}: [load.passwords] "{pattern}": expected "env:NAME", the environment variable that '
                "holds the password; the password itself does not belong in a file"
            )
