"""Globs over sources."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\]|.", re.DOTALL)


def source_matches(globs: Sequence[str], source: str) -> bool:
    """Whether any of ``globs`` matches ``source``, from its root's name on.

    ``*`` and ``?`` stay within a name, ``**`` crosses folders, ``[ab]`` and ``[!ab]`` are sets. A glob
    that names a folder or a JSONL file covers what is in it; a record is also matched as
    ``file.jsonl#id``. A glob without a slash may match any one name on the way (``*.pdf``).
    """
    return any(_compiled(glob).match(source) is not None for glob in globs)


@lru_cache(maxsize=1024)
def _compiled(glob: str) -> re.Pattern[str]:
    body = glob.strip("/")
    anchored = "/" in body
    pattern = "".join(_translate(token) for token in _TOKEN.findall(body))
    return re.compile(("" if anchored else "(?:.*/)?") + pattern + r"(?:[/#].*)?\Z", re.DOTALL)


def _translate(token: str) -> str:
    if token == "**/":
        return "(?:.*/)?"
    if token == "**":
        return ".*"
    if token == "*":
        return "[^/]*"
    if token == "?":
        return "[^/]"
    if len(token) > 1:
        inside = token[1:-1].replace("\\", "\\\\").replace("[", "\\[").replace("^", "\\^")
        return f"[^{inside[1:]}]" if inside.startswith("!") else f"[{inside}]"
    return re.escape(token)
