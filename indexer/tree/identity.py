"""Ids of branches: UUIDv5, so that the same tree has the same ids wherever it is built."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

_BRANCH = uuid.UUID("6d1f0f0a-3b52-5d0e-9c53-5a6c2f0b7a41")


def section_id(document: str, path: Sequence[str], occurrence: int) -> str:
    """The id of an author's section: ``occurrence`` counts, from 0, the stretches of the document that
    have this very path. The empty path is the document itself."""
    return _uuid("section", document, str(occurrence), *path)


def run_id(section: str, after: str) -> str:
    """The id of the chunks of a section that stand between two of its own sections: ``after`` is the id of
    the one before them, empty for those before the first."""
    return _uuid("run", section, after)


def cluster_id(children: Sequence[str], occurrence: int) -> str:
    """The id of a cluster: the children that founded it. ``occurrence`` tells it from an earlier cluster
    of the same founders that lives on with others."""
    return _uuid("cluster", str(occurrence), *sorted(children))


def shell_id(leaf: str) -> str:
    """The id of the branch around one leaf that is too long to stand beside others."""
    return _uuid("shell", leaf)


def _uuid(*parts: str) -> str:
    return str(uuid.uuid5(_BRANCH, "".join(f"{len(part)}:{part}" for part in parts)))
