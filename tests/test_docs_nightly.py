"""docs/nightly.md, run as it stands."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from treegraph.pipelines.cli.app import treegraph

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "nightly.md").read_text("utf-8")


def _blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.M | re.S)


@pytest.mark.timeout(300)
def test_every_command_runs_one_after_the_other(tmp_path: Path) -> None:
    some = shutil.ignore_patterns("*.pdf", "protocol.md", "commands.md")
    shutil.copytree(ROOT / "corpora" / "sample", tmp_path / "manuals", ignore=some)
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "treegraph"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m treegraph.pipelines.cli "$@"\n')
    command.chmod(0o755)
    environment = {**os.environ, "PATH": f"{command.parent}:{os.environ['PATH']}"}
    environment.pop("TREEGRAPH_INDEX", None)
    blocks = _blocks("sh")
    assert len(blocks) > 5
    for block in blocks:
        done = subprocess.run(
            ["bash", "-euc", block],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{block}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    assert "treegraph_run_outcome" in (tmp_path / "metrics" / "treegraph.prom").read_text("utf-8")


def test_what_a_service_starts_is_a_command() -> None:
    (started,) = re.findall(r"^ExecStart=\S+/treegraph (.+)$", "\n".join(_blocks("ini")), re.M)
    name, *options = shlex.split(started)
    command = treegraph.get_command(click.Context(treegraph), name)
    assert command is not None
    assert command.make_context(name, options).params["sources"] == ("manuals/",)
