"""Run the commands that the documentation shows, and put what they print below them.

::

    python docs/measure.py docs/quality.md docs/performance.md [--only TEXT]

A block of the kind ``console`` holds one command after ``$ `` and its output. ``$EVAL_DATA`` (evaluation
sets), ``$CORPORA`` (a folder of PDF manuals) and ``$WORK`` (indexes, kept between runs) come from the
environment. A command that fails leaves its old output, and the run ends with 1.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

_BLOCK = re.compile(
    r"^```console\n\$ (?P<command>.+(?:\\\n.+)*)\n(?P<output>(?:(?!```).*\n)*)```$", re.MULTILINE
)


def main() -> int:
    """Measure every page that is named. Returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--only", default="", help="only the commands that hold this text")
    arguments = parser.parse_args()
    failed = [failure for page in arguments.pages for failure in measure(page, arguments.only)]
    for command in failed:
        print(f"failed, its old output stands: {command}", file=sys.stderr)
    return 1 if failed else 0


def measure(page: Path, only: str) -> list[str]:
    """Renew the outputs on ``page`` one by one; returns the commands that failed."""
    failed = []
    for number, found in enumerate(list(_BLOCK.finditer(page.read_text("utf-8")))):
        command = found["command"]
        if only not in command:
            continue
        print(f"{page}: {command}", file=sys.stderr, flush=True)
        done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            failed.append(command)
            continue
        text = page.read_text("utf-8")
        block = list(_BLOCK.finditer(text))[number]
        page.write_text(
            text[: block.start("output")] + _output(done.stdout) + text[block.end("output") :], "utf-8"
        )
    return failed


def _output(text: str) -> str:
    lines = [line.rstrip() for line in text.rstrip().splitlines()]
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
