"""The command line as a process: what it loads, its streams, its signals."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import COMMAND, Done, environment, treegraph

HEAVY = (
    "onnxruntime",
    "qdrant_client",
    "llama_index",
    "pymupdf",
    "markitdown",
    "FlagEmbedding",
    "mcp",
    "pydantic",
)


def loaded_by(folder: Path, *arguments: str) -> set[str]:
    """The heavy packages that a command line imports."""
    code = (
        "import sys\nfrom treegraph.pipelines.cli.app import run\n"
        f"code = run({list(arguments)!r})\n"
        f"print(*(name for name in {(*HEAVY, 'rich', 'numpy')!r} if name in sys.modules), file=sys.stderr)\n"
        "sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environment(),
        capture_output=True,
        timeout=60,
        check=True,
    )
    return set(done.stderr.decode().split())


def test_help_loads_next_to_nothing(workplace: Path) -> None:
    assert loaded_by(workplace, "--help") == set()


def test_a_search_loads_no_loader(workplace: Path) -> None:
    loaded = loaded_by(workplace, "search", "pump", "--json")
    assert loaded <= {"onnxruntime", "numpy"}


def test_a_reader_that_goes_away_is_no_error_of_ours(workplace: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "config"], cwd=workplace, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert process.wait(60) == 141


def test_a_full_disk_under_stdout_is_said(workplace: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, "config", "--json"],
            cwd=workplace,
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert done.returncode == 3
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_full_disk_under_stderr_stops_no_build(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "a.md").write_text("# A\n\nOne.\n")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, "build", "m", "--without", "tree,graph", "--json"],
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=full,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0
    assert Done(0, done.stdout.decode(), "").json("build")["generation"] == 1


def test_output_is_utf8_under_any_locale(workplace: Path) -> None:
    env = environment(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    done = treegraph(workplace, "search", "größe 重置", "--json", "-q", env=env)
    assert done.code == 0, done.err
    assert done.json("search")["question"] == "größe 重置"


@pytest.fixture
def many(tmp_path: Path) -> Path:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(12):
        words = " ".join(f"word{number}x{place}" for place in range(40))
        (folder / f"{number:02}.md").write_text(f"# Part {number}\n\n{words}\n", "utf-8")
    return tmp_path


def started(folder: Path) -> subprocess.Popen[bytes]:
    """A build that has begun: its handler for Ctrl-C is in place once it says so."""
    process = subprocess.Popen(
        [*COMMAND, "build", "many", "--json"],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == b"building treegraph.index ...\n"
    return process


def test_ctrl_c_stops_a_build_and_the_same_command_finishes_it(many: Path) -> None:
    process = started(many)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    stopped = Done(process.returncode, out.decode(), err.decode())
    error = stopped.json("error")["error"]
    assert (stopped.code, error["type"], error["exit_code"]) == (130, "Cancelled", 130)
    assert "Ctrl-C again stops at once" in stopped.err
    assert "the same command goes on from here: treegraph build many --json" in stopped.err
    finished = treegraph(many, "build", "many", "--json")
    assert finished.code == 0, finished.err
    assert len(finished.json("build")["documents"]["added"]) == 12
    assert treegraph(many, "status", "--json").json("status")["unfinished"] is None


def test_a_second_ctrl_c_stops_at_once_and_loses_nothing(many: Path) -> None:
    process = started(many)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert treegraph(many, "build", "many").code == 0
