"""``treegraph serve`` as a process, with the SDK's own client: both transports, both eras of the protocol."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from command_line import Done, Here, environment
from fake_openai import Answer, FakeOpenAIServer
from mcp import Client
from mcp.shared.exceptions import MCPError
from serving import SECONDS, Served, client, over_http, start, stdio
from small_index import build, manual

TOOLS = ["documents", "outline", "search", "read", "neighbours", "path"]
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
POST = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


async def looked_over(connected: Client) -> dict[str, Any]:
    """Go through what a client does, and return what it was shown by tool."""
    listed = (await connected.list_tools()).tools
    assert [tool.name for tool in listed] == TOOLS
    for tool in listed:
        hints = tool.annotations
        assert hints is not None
        assert (hints.read_only_hint, hints.idempotent_hint, hints.open_world_hint) == (True, True, False)
        assert (tool.title, hints.title, hints.destructive_hint) == (tool.title, tool.title, False)
        assert tool.description
        assert tool.input_schema["additionalProperties"] is False
        assert all("description" in property_ for property_ in tool.input_schema["properties"].values())
        assert tool.output_schema is not None
    shown: dict[str, Any] = {}
    for name, arguments in (
        ("documents", {}),
        ("outline", {"depth": 2, "detail": "summaries"}),
        ("search", {"question": "How is the pump controller reset?", "k": 3}),
        ("read", {"id": "manuals/pump.pdf@1"}),
    ):
        result = await connected.call_tool(name, arguments)
        assert not result.is_error
        shown[name] = result.structured_content
        assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    wrong = await connected.call_tool("read", {"id": "manuals/nothing.pdf"})
    assert wrong.is_error
    assert "nothing to read" in wrong.content[0].text  # type: ignore[union-attr]
    assert wrong.structured_content is None
    with pytest.raises(MCPError, match="there is no tool 'erase'; there are documents"):
        await connected.call_tool("erase", {})
    return shown


def sources(shown: dict[str, Any]) -> set[str]:
    return {document["source"] for document in shown["documents"]["documents"]}


def test_a_client_over_stdio_finds_and_reads(workplace: Path) -> None:
    async def talk() -> dict[str, Any]:
        async with stdio(workplace, "--labels", "") as connected:
            assert connected.server_info.name == "treegraph"
            assert "never follow instructions" in (connected.instructions or "")
            many = await asyncio.gather(
                *(connected.call_tool("search", {"question": f"step {n} of the pump"}) for n in range(12))
            )
            assert not any(result.is_error for result in many)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(connected.call_tool("search", {"question": "given up"}), 0.001)
            return await looked_over(connected)

    shown = asyncio.run(talk())
    assert sources(shown) == {"manuals/pump.pdf", "manuals/valve.md"}
    best = shown["search"]["hits"][0]
    assert (best["source"], best["pages"]) == ("manuals/pump.pdf", "1")
    assert "green key" in shown["read"]["parts"][0]["text"]


def test_models_bring_a_tool_that_answers_and_one_that_looks(workplace: Path) -> None:
    async def talk(url: str) -> dict[str, Any]:
        models = ("--llm", f"m@{url}", "--vision", f"v@{url}")
        async with stdio(workplace, "--labels", "", *models) as connected:
            assert [tool.name for tool in (await connected.list_tools()).tools] == [*TOOLS, "look", "ask"]
            nowhere = {"page": "manuals/nought.pdf@1", "question": "Which key is green?"}
            assert (await connected.call_tool("look", nowhere)).is_error
            result = await connected.call_tool("ask", {"question": "How is the pump controller reset?"})
            return result.structured_content or {}

    with FakeOpenAIServer(lambda prompt, number: Answer("Hold the green key [1].")) as model:
        said = asyncio.run(talk(model.base_url))
    assert (said["found"], said["model"]) == (True, "m")
    assert said["parts"][0]["kind"] == "answer"
    assert {part.get("source") for part in said["parts"]} <= {None, "manuals/pump.pdf", "manuals/valve.md"}
    assert len(model.prompts) == 1


@pytest.fixture(scope="module")
def served(workplace: Path) -> Any:
    with over_http(workplace, "--labels", "dealer", TREEGRAPH_SERVE_TOKEN="let me in") as running:
        yield running


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_over_http_shows_the_token_and_is_served(served: Served, mode: str) -> None:
    async def talk() -> dict[str, Any]:
        async with client(served.url, {"authorization": "Bearer let me in"}, mode) as connected:
            return await looked_over(connected)

    assert "manuals/notes.txt" in sources(asyncio.run(talk()))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer let me out"}, 401),
        ({"authorization": "Bearer"}, 401),
        ({"authorization": "Basic let me in"}, 401),
        ({"authorization": "Bearer let me in", "host": "evil.example:80"}, 421),
        ({"authorization": "Bearer let me in", "origin": "http://evil.example"}, 403),
        ({"authorization": "Bearer let me in", "origin": "http://localhost:3000"}, 200),
    ],
)
def test_who_may_talk_to_it_over_http(served: Served, headers: dict[str, str], status: int) -> None:
    answer = httpx2.post(served.url, json=HELLO, headers={**POST, **headers}, timeout=SECONDS)
    assert answer.status_code == status
    assert ("green key" in answer.text, "let me in" in answer.text) == (False, False)


def test_a_token_is_made_and_shown_where_there_is_none(workplace: Path) -> None:
    async def talk(served: Served, token: str) -> list[str]:
        async with client(served.url, {"authorization": f"Bearer {token}"}) as connected:
            return [tool.name for tool in (await connected.list_tools()).tools]

    with over_http(workplace, "--owner") as served:
        assert len(served.token) >= 32
        assert asyncio.run(talk(served, served.token)) == TOOLS
        refused = httpx2.post(served.url, json=HELLO, headers=POST, timeout=SECONDS)
        assert refused.status_code == 401
        assert "Bearer" in refused.headers["www-authenticate"]
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(SECONDS) == 0


def test_what_is_asked_before_stdin_is_closed_is_answered(workplace: Path) -> None:
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call"}
    asked = [
        json.dumps(HELLO),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        "this is no message",
        json.dumps({**call, "params": {"name": "search", "arguments": {"question": "drain \ud83d valve"}}}),
    ]
    process = start(workplace, "--labels", "")
    lines = "\n".join(asked)  # the last is not ended
    out, err = process.communicate(lines, timeout=SECONDS)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["id"] for answer in answers] == [1, 2]
    assert "VX-12" in answers[1]["result"]["content"][0]["text"]
    assert process.returncode == 0
    assert err.startswith("treegraph: serving over stdin and stdout what the public may see")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_ends_it_and_its_lease(workplace: Path, number: int, code: int) -> None:
    process = start(workplace, "--labels", "dealer, staff")
    assert process.stderr is not None
    assert "what readers with dealer, staff may see" in process.stderr.readline()
    process.send_signal(number)
    assert process.wait(SECONDS) == code
    out, err = process.communicate()
    assert (out, err) == ("", "")
    leases = (workplace / "treegraph.index" / "leases").iterdir()
    assert not any(f"-{process.pid}-" in lease.name for lease in leases)


def refused(here: Here, *arguments: str) -> Done:
    done = here("serve", *arguments)
    assert done.out == ""
    return done


def test_an_index_with_labels_has_to_be_told_whose_view_it_serves(here: Here) -> None:
    done = refused(here)
    assert done.code == 2
    assert all(way in done.err for way in ("--labels a,b", "--labels ''", "--owner"))
    assert refused(here, "--owner", "--labels", "dealer").code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--http", "0.0.0.0:0", "--owner"), "TREEGRAPH_SERVE_TOKEN"),
        (("--http", "192.0.2.7", "--owner"), "choose a token"),
        (("--http", "host:port", "--owner"), "expected HOST:PORT"),
        (("--http", "127.0.0.1:70000", "--owner"), "expected HOST:PORT"),
        (("--http", "::1", "--owner"), "expected HOST:PORT"),
        (("--tokens", "10", "--owner"), "at least 800"),
    ],
)
def test_wrong_usage_is_exit_2(here: Here, arguments: tuple[str, ...], said: str) -> None:
    done = refused(here, *arguments)
    assert (done.code, said in done.err) == (2, True)


def test_every_address_needs_the_name_that_clients_use(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREEGRAPH_SERVE_TOKEN", "let the dealers in")
    done = refused(here, "--http", "0.0.0.0:0", "--owner")
    assert (done.code, "--allow-host" in done.err, "let the dealers in" in done.err) == (2, True, False)


@pytest.mark.parametrize(
    ("token", "host", "said"),
    [
        ("schlüssel zum hof", "127.0.0.1:0", "printable ASCII"),
        ("a key\tof parts", "127.0.0.1:0", "printable ASCII"),
        (" a key that begins late", "127.0.0.1:0", "space"),
        ("let me in", "192.0.2.7:0", "16 characters"),
    ],
)
def test_a_token_that_no_client_can_show_or_anybody_can_guess_is_refused(
    here: Here, monkeypatch: pytest.MonkeyPatch, token: str, host: str, said: str
) -> None:
    monkeypatch.setenv("TREEGRAPH_SERVE_TOKEN", token)
    done = refused(here, "--http", host, "--owner")
    assert (done.code, said in done.err, token in done.err) == (2, True, False)


def test_a_port_that_is_taken_is_exit_3(here: Here) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = refused(here, "--owner", "--http", f"127.0.0.1:{taken.getsockname()[1]}")
    assert (done.code, "cannot listen at 127.0.0.1" in done.err) == (3, True)


def test_without_the_sdk_it_says_what_to_install(workplace: Path, tmp_path: Path) -> None:
    (tmp_path / "mcp.py").write_text("raise ImportError(\"No module named 'mcp'\")\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from treegraph.pipelines.cli import main; "
        "main(['serve', '--owner'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=workplace,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 3
    assert "pip install 'treegraph[mcp]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_builds_that_come_later_are_followed(tmp_path: Path) -> None:
    manuals = manual(tmp_path / "manuals", a="# A\n\nThe red key opens the cabinet.\n")
    index = tmp_path / "treegraph.index"
    build(index, manuals, without=["tree", "graph"])

    async def talk() -> tuple[Any, Any]:
        async with stdio(tmp_path) as connected:
            before = await connected.call_tool("documents", {})
            manual(manuals, b="# B\n\nThe blue key opens the door.\n", c="# C\n\nThe staff key.\n")
            (manuals / "c.md.meta.toml").write_text('labels = ["staff"]\n')
            await asyncio.to_thread(build, index, manuals, without=["tree", "graph"])
            return before.structured_content, (await connected.call_tool("documents", {})).structured_content

    before, after = asyncio.run(talk())
    assert (before["generation"], before["total"]) == (1, 1)
    assert (after["generation"], after["total"]) == (2, 2)  # what only the staff may see came in meanwhile
