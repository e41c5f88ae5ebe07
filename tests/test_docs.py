"""The documentation, held against what it describes."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from treegraph.pipelines.config import Config, load_config

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
CONFIGURATION = (ROOT / "docs" / "configuration.md").read_text("utf-8")
EXAMPLES = [
    (page.name, block)
    for page in PAGES
    for block in re.findall(r"^```toml\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
]


@pytest.mark.parametrize(("page", "example"), EXAMPLES)
def test_every_configuration_shown_is_accepted(page: str, example: str, tmp_path: Path) -> None:
    file = tmp_path / "treegraph.toml"
    file.write_text(example, "utf-8")
    assert load_config(file, environ={}) is not None


def test_the_defaults_shown_are_all_of_them_and_right() -> None:
    shown = tomllib.loads(re.findall(r"^```toml\n(.*?)^```", CONFIGURATION, re.M | re.S)[0])
    assert shown.pop("version") == 1
    config = Config()
    assert tuple(shown["load"].pop("ignore")) == config.ignore
    shown["redact"] = shown["load"].pop("redact")
    optional = {("embed", "question_prefix"), ("embed", "passage_prefix"), ("search", "weight")}
    optional |= {("embed", "price_in"), ("load", "ocr"), ("load", "native")}  # which the build sets
    tables: dict[str, dict[str, object]] = {}
    for field in dataclasses.fields(Config):
        if field.name in ("ignore", "documents"):
            continue
        values = dataclasses.asdict(getattr(config, field.name))
        values.pop("passwords", None)
        values.pop("models", None)
        values.pop("patterns", None)
        table = tables.setdefault(field.name.removesuffix("_read"), {})
        table.update(
            (key, list(value) if isinstance(value, tuple) else value)
            for key, value in values.items()
            if (field.name, key) not in optional
        )
    assert shown == tables


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_every_command_in_the_readme_is_one() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    block = re.search(r"## Commands\n\n```\n(.*?)```", readme, re.S)
    assert block
    named = {word for line in block[1].splitlines() for word in re.findall(r"^treegraph (\w+)", line)}
    named |= {"rollback"}
    done = subprocess.run(
        [sys.executable, "-m", "treegraph.pipelines.cli", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    commands = set(re.findall(r"^  (\w+) ", done.stdout.partition("Commands:")[2], re.M))
    assert named == commands


def test_every_make_target_that_is_named_is_there() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    for page in PAGES:
        assert (
            set(re.findall(r"\bmake ([a-z0-9-]+)\b(?=`|\s{2,}#|\s*\n| TESTS)", page.read_text("utf-8")))
            <= targets
        )


def test_the_readme_stays_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) < 200
