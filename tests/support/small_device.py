"""A device of its own, small enough to be filled: the kind of file system that indexes lie on, whose files
have holes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import IO


class SmallDevice:
    """An ext4 of 80 MB in a file of ``folder``, mounted at ``path``. Raises OSError where that cannot be done
    here."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "device"
        self.path.mkdir()
        image = folder / "device.img"
        with image.open("wb") as file:
            file.truncate(80 << 20)
        for command in (
            ["mkfs.ext4", "-q", "-O", "^has_journal", "-m", "0", str(image)],
            ["mount", "-o", "loop", str(image), str(self.path)],
        ):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise OSError(f"{command[0]}: {done.stderr.strip()}")
        self._ballast = [self.path / "ballast", self.path / "rest"]

    def fill(self) -> None:
        """Leave no block of it free."""
        first, rest = self._ballast
        free = shutil.disk_usage(self.path).free
        with first.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(4096, free - (1 << 18)))
        with rest.open("wb", buffering=0) as file:
            while self._filled(file):
                os.fsync(file.fileno())  # what was held back for writes to come may be free after them

    @staticmethod
    def _filled(file: IO[bytes]) -> int:
        """Write what there is room for, and return how much that was."""
        written = 0
        for size in (4096, 512):
            try:
                while True:
                    written += file.write(bytes(size))
            except OSError:
                continue
        return written

    def clear(self) -> None:
        """Free what filled it."""
        for path in self._ballast:
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """Take it off."""
        subprocess.run(["umount", "-l", str(self.path)], check=True)
