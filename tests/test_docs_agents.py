"""Each snippet of docs/agents.md does what it says, over an index of a few small manuals."""

from __future__ import annotations

import asyncio
import json
import os
import re
from pathlib import Path

import pytest
import treegraph
from command_line import COMMAND, environment
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from small_guide import write_pages

GUIDE = (Path(__file__).parents[1] / "docs" / "agents.md").read_text("utf-8")


def part(heading: str) -> str:
    """What stands under a heading of the second level."""
    return GUIDE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def snippets(heading: str, language: str) -> list[str]:
    """The listings in a language under a heading."""
    return re.findall(rf"^```{language}\n(.*?)^```", part(heading), re.M | re.S)


PYTHON = [
    (heading, number)
    for heading in ("A desktop client over MCP", "Plain Python")
    for number in range(len(snippets(heading, "python")))
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``manuals`` and ``treegraph.index``, and the command in ``bin``."""
    folder = tmp_path_factory.mktemp("guide")
    write_pages(folder / "manuals" / "pump.pdf", "pressure", "membrane")
    (folder / "manuals" / "reset.md").write_text("# Reset\n\nHold the green key: so the pump is reset.\n")
    (folder / "manuals" / "move.md").write_text("# Transport\n\nDrain the pump before transport.\n")
    treegraph.build_index([folder / "manuals"], folder / "treegraph.index")
    command = folder / "bin" / "treegraph"
    command.parent.mkdir()
    command.write_text("#!/bin/sh\nexec " + " ".join(COMMAND) + ' "$@"\n')
    command.chmod(0o755)
    return folder


def around(folder: Path) -> dict[str, str]:
    """The environment of a user who has installed the command."""
    return environment() | {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}


def test_the_guide_has_what_is_tested_here() -> None:
    assert len(PYTHON) == 4
    assert len(snippets("A desktop client over MCP", "json")) == 1


@pytest.mark.parametrize(("heading", "number"), PYTHON)
def test_the_python_of_the_guide_runs(
    folder: Path,
    heading: str,
    number: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = snippets(heading, "python")[number]
    if "StdioServerParameters(" in code:  # the SDK starts a server without our variables; a test needs them
        code = re.sub(r'(treegraph\.index"\])', lambda found: f"{found[1]}, env={around(folder)!r}", code)
    monkeypatch.chdir(folder)
    exec(compile(code, "docs/agents.md", "exec"), {"__name__": "guide"})
    assert "manuals/reset.md" in capsys.readouterr().out


def test_the_desktop_clients_configuration_starts_a_server_that_answers(folder: Path) -> None:
    (listing,) = snippets("A desktop client over MCP", "json")
    (entry,) = json.loads(listing)["mcpServers"].values()
    shown = "/home/me/treegraph.index"
    assert entry["args"].count(shown) == 1
    arguments = [str(folder / "treegraph.index") if word == shown else word for word in entry["args"]]
    server = StdioServerParameters(command=entry["command"], args=arguments, env=around(folder))

    async def talk() -> tuple[list[str], str]:
        async with Client(stdio_client(server)) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            found = await client.call_tool("search", {"question": "How is the pump reset?"})
            return tools, found.structured_content["hits"][0]["source"]

    tools, best = asyncio.run(talk())
    assert best == "manuals/reset.md"
    assert tools == re.findall(r"^\| `(\w+)` \|", part("A desktop client over MCP"), re.M)
