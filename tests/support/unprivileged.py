"""Being somebody who may not write: what a root shell cannot test otherwise."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

NOBODY = 65534


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nothing below ``folder`` can be written meanwhile, by root neither: root is nobody meanwhile."""
    every = [folder, *folder.rglob("*")]
    modes = {path: path.stat().st_mode for path in every}
    for path, mode in modes.items():
        path.chmod(mode & 0o555 | (0o555 if path.is_dir() else 0o444))
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)
        for path, mode in modes.items():
            if path.exists():
                path.chmod(mode)


@contextmanager
def open_to_all() -> Iterator[Path]:
    """A temporary folder that every user may enter; pytest's own are closed to others."""
    with TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)
