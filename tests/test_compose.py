"""compose.yaml as data: pinned, on loopback, health-checked, without a secret."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from treegraph.pipelines.cli.app import treegraph

COMPOSE = Path(__file__).parents[1] / "compose.yaml"
ROOT = COMPOSE.parent
ALL: dict[str, dict[str, Any]] = yaml.safe_load(COMPOSE.read_text("utf-8"))["services"]
SERVICES = {name: service for name, service in ALL.items() if "build" not in service}
OURS = {name: service for name, service in ALL.items() if "build" in service}


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
        for service in ALL.values()
        for name, value in service["environment"].items()
        if re.search(r"KEY|AUTH|PASSWORD|TOKEN|SECRET", name.upper())
        and value is not None  # handed on from the environment as it is
    ]
    assert {name for name, _ in secrets} >= {"QDRANT__SERVICE__API_KEY", "NEO4J_AUTH"}
    for name, value in secrets:
        assert re.fullmatch(r"(neo4j/)?\$\{TREEGRAPH_[A-Z0-9_]+:\?[^}]+\}", value), name


def test_nothing_else_is_taken_from_a_default() -> None:
    """``${NAME:-value}`` would put a default password into the file."""
    for text in _strings(yaml.safe_load(COMPOSE.read_text("utf-8"))):
        assert ":-" not in text
        assert not re.search(r"\$\{[A-Z_]+\}", text)


def test_our_own_services_wait_for_their_profiles_and_for_the_servers() -> None:
    assert {name: service["profiles"] for name, service in OURS.items()} == {
        "build": ["build"],
        "serve": ["serve"],
    }
    for service in OURS.values():
        assert set(service["depends_on"]) == set(SERVICES)
        assert service["cap_drop"] == ["ALL"]
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))


@pytest.mark.parametrize("service", OURS)
def test_the_command_line_takes_what_a_service_is_started_with(service: str) -> None:
    command, *options = OURS[service]["command"]
    known = treegraph.get_command(click.Context(treegraph), command)
    assert known is not None
    assert known.make_context(command, list(options)).params


def test_the_image_does_not_run_as_root_and_has_all_that_the_package_needs() -> None:
    steps = (ROOT / "Dockerfile").read_text("utf-8")
    assert re.search(r"^USER (?!root)\w+$", steps, re.MULTILINE)
    assert steps.index("\nUSER ") < steps.index("\nENTRYPOINT ")
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", steps, re.MULTILINE)
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").split() if line.startswith("!")}
    assert {name for line in copied for name in line.split()} == sent
    assert all((ROOT / name).exists() for name in sent)


def test_the_image_has_the_versions_that_were_tested() -> None:
    image, tested = (_pinned(ROOT / name) for name in ("requirements-image.lock", "requirements.lock"))
    assert image
    assert not image - tested
    assert not {name for name, _ in image} & {"pytest", "mypy", "ruff", "torch"}


def _pinned(lock: Path) -> set[tuple[str, str]]:
    return set(re.findall(r"^([A-Za-z0-9._-]+)(?:\[.*\])?==(\S+)", lock.read_text("utf-8"), re.MULTILINE))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, str):
        yield value
