"""Optimising a shard in a process of its own.

The engine holds the interpreter while it optimises, and an HNSW graph over 100,000 rows takes it
minutes: in a child, the threads of this process go on, and the memory that it took goes with it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path

from ..errors import StoreError
from .edge_engine import schema, stored_schema
from .edge_errors import engine_errors

_PR_SET_PDEATHSIG = 1


def optimize_in_child(folder: Path) -> None:
    """Build the HNSW graph of the closed shard in ``folder``. Raises StoreError, also when killed."""
    command = [sys.executable, "-m", f"{__package__}.edge_optimize", str(folder), str(os.getpid())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        cause = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise StoreError(f"Cannot optimise the vectors in {folder}: {cause}. Run again to go on from here.")


def optimize(folder: Path) -> None:
    """Build the HNSW graph of the shard in ``folder``, in this process."""
    import qdrant_edge as engine

    with engine_errors("optimise the vectors", folder):
        config = schema(*stored_schema(folder), hnsw=True)
        shard = engine.EdgeShard.load(str(folder), config)
        shard.optimize()
        shard.flush()
        shard.close()


def _main(folder: str, parent: str) -> None:
    # A killed parent must not leave a child that holds the shard: the next writer would be refused.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == int(parent):
        optimize(Path(folder))


if __name__ == "__main__":
    _main(*sys.argv[1:])
