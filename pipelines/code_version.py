"""Which code made a result: what is kept of other code is made again."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ..indexer.digests import digest

_PACKAGE = Path(__file__).parents[1]


@cache
def code_digest(*folders: str) -> str:
    """A digest of the code and the prompts in these folders of the package: others, another result."""
    files = sorted(
        path for folder in folders for kind in ("*.py", "*.txt") for path in (_PACKAGE / folder).rglob(kind)
    )
    return digest([[str(path.relative_to(_PACKAGE)), path.read_text("utf-8")] for path in files])
