"""Seeded corruptions of a small index: how many are found, and how many of the derived ones are mended.

``python docs/measure_verify.py [COUNT [SEED]]``, from the root of the repository. Each is done to a copy of
its own; found means that a verification is not sound, mended that a repair leaves a sound index that answers
as the intact one does.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from corruptions import STORES, damaged, seeded
from damaged_index import Corruption, answers, look, make_yard

COLUMNS = ("done", "found", "derived", "mended")


def main(count: int = 200, seed: int = 1) -> int:
    """Print a row a store; returns how many were not found, or not mended though they can be. Ctrl-C ends it
    with what was done."""
    counts: dict[str, Counter[str]] = {store: Counter() for store in STORES}
    missed: list[str] = []
    with tempfile.TemporaryDirectory() as temporary:
        yard = make_yard(Path(temporary) / "yard")
        intact = answers(yard / "index")
        whole = look(yard / "index")
        assert whole.sound, whole.findings
        with contextlib.suppress(KeyboardInterrupt):
            for at, (corruption, own) in enumerate(seeded(count, seed)):
                store = next(name for name, kinds in STORES.items() if corruption in kinds)
                with tempfile.TemporaryDirectory() as place:
                    result = _tried(yard, Path(place) / "index", corruption, own, intact)
                counts[store].update(result)
                if not result["found"] or (corruption.derived and not result["mended"]):
                    missed.append(f"{corruption.name} (seed {own})")
                    print("missed:", missed[-1], dict(result), file=sys.stderr, flush=True)
                print(f"\r{at + 1}/{count}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(f"{'store':8}" + "".join(f"{name:>9}" for name in COLUMNS))
    for store, found in [*counts.items(), ("all", sum(counts.values(), Counter()))]:
        print(f"{store:8}" + "".join(f"{found[name]:9}" for name in COLUMNS))
    return len(missed)


def _tried(yard: Path, index: Path, corruption: Corruption, seed: int, intact: object) -> Counter[str]:
    damaged(yard, index, (corruption, seed))
    found = not look(index, deep=corruption.deep).sound
    mended = look(index, deep=corruption.deep, repair=True).sound and answers(index) == intact
    return Counter(
        done=1, found=int(found), derived=int(corruption.derived), mended=int(mended and corruption.derived)
    )


if __name__ == "__main__":
    sys.exit(1 if main(*map(int, sys.argv[1:3])) else 0)
