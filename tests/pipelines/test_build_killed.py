"""A build killed at any instant loses nothing: the same command again makes the same index."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import treegraph
from folder_copies import copy_folder
from index_content import published_content

SCRIPT = Path(__file__).parent.parent / "support" / "slow_build.py"
TRIALS = int(os.environ.get("TREEGRAPH_TEST_KILLS", "4"))
DELAY = 0.01


def write_manual(folder: Path, edition: int) -> None:
    folder.mkdir(exist_ok=True)
    for n in range(8):
        paragraphs = (
            f"Step {p} of part {n}: turn the valve {p * n % 7} until gauge {p} shows {p * 3} bar.\n"
            for p in range(30)
        )
        text = f"# Part {n}\n\n## Edition {edition if n % 3 == 0 else 0}\n\n" + "\n".join(paragraphs)
        (folder / f"part{n}.md").write_text(text)
    (folder / f"only{edition}.md").write_text(f"# Only in edition {edition}\n\nA page of its own.\n")


def run(source: Path, index: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), str(source), str(index), str(DELAY)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def finish(source: Path, index: Path) -> float:
    began = time.monotonic()
    process = run(source, index)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors.decode()
    return time.monotonic() - began


@pytest.mark.slow
def test_the_index_is_the_same_after_kills_at_random_instants(tmp_path: Path) -> None:
    source = tmp_path / "manual"
    write_manual(source, 1)
    calm = tmp_path / "calm"
    finish(source, calm)
    first = published_content(calm)
    copy_folder(calm, tmp_path / "before")
    (source / "only1.md").unlink()
    write_manual(source, 2)
    seconds = finish(source, calm)
    expected = published_content(calm)
    assert expected != first

    rng = random.Random(7)
    for trial in range(TRIALS):
        index = tmp_path / f"killed{trial}"
        copy_folder(tmp_path / "before", index)
        for _ in range(2):
            process = run(source, index)
            time.sleep(rng.uniform(0.05, 1.0) * seconds)
            process.kill()
            process.communicate()
            visible = published_content(index)
            assert visible in (first, expected), "a reader saw half a build"
        finish(source, index)
        assert published_content(index) == expected
        status = treegraph.status(index)
        assert status["unfinished"] is None
        shutil.rmtree(index)
