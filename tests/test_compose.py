"""compose.yaml as data: pinned, on loopback, health-checked, without a secret."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

COMPOSE = Path(__file__).parents[1] / "compose.yaml"
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(COMPOSE.read_text("utf-8"))["services"]


def test_both_servers_stand_there() -> None:
    assert set(SERVICES) == {"qdrant", "neo4j"}


@pytest.mark.parametrize("service", SERVICES)
def test_every_image_is_pinned_by_tag_and_digest(service: str) -> None:
    pattern = r"[a-z0-9/]+:v?\d+\.\d+\.\d+@sha256:[0-9a-f]{64}"
    assert re.fullmatch(pattern, SERVICES[service]["image"])


def test_qdrant_is_new_enough_for_idf_over_a_filter() -> None:
    version = re.search(r":v(\d+)\.(\d+)", SERVICES["qdrant"]["image"])
    assert version
    assert (int(version[1]), int(version[2])) >= (1, 19)


@pytest.mark.parametrize("service", SERVICES)
def test_every_port_is_on_loopback(service: str) -> None:
    assert SERVICES[service]["ports"]
    for port in SERVICES[service]["ports"]:
        assert re.fullmatch(r"127\.0\.0\.1:\d+:\d+", port)
    assert "network_mode" not in SERVICES[service]


@pytest.mark.parametrize("service", SERVICES)
def test_every_service_is_health_checked_and_keeps_its_data(service: str) -> None:
    health = SERVICES[service]["healthcheck"]
    assert health["test"][0] in ("CMD", "CMD-SHELL")
    assert {"interval", "timeout", "retries"} <= set(health)
    assert SERVICES[service]["volumes"]


def test_secrets_come_from_the_environment_and_are_required() -> None:
    secrets = [
        (name, value)
        for service in SERVICES.values()
        for name, value in service["environment"].items()
        if re.search(r"KEY|AUTH|PASSWORD|TOKEN|SECRET", name.upper())
    ]
    assert len(secrets) == 2
    for name, value in secrets:
        assert re.fullmatch(r"(neo4j/)?\$\{TREEGRAPH_[A-Z0-9_]+:\?[^}]+\}", value), name


def test_nothing_else_is_taken_from_a_default() -> None:
    """``${NAME:-value}`` would put a default password into the file."""
    for text in _strings(yaml.safe_load(COMPOSE.read_text("utf-8"))):
        assert ":-" not in text
        assert not re.search(r"\$\{[A-Z_]+\}", text)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, str):
        yield value
