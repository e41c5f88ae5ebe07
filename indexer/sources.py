"""Sources: what a build is pointed at, and the files that it comes to.

``parse_roots`` reads what the user named, ``walk`` finds the files below, ``read_stable`` takes a
file's digest. None of them opens a file as a document: that is the loaders' work.
"""

from __future__ import annotations

from .sources_files import SourceFile, Walk, read_stable
from .sources_names import escape_name, unescape_name
from .sources_roots import Root, parse_roots
from .sources_walk import walk

__all__ = [
    "Root",
    "SourceFile",
    "Walk",
    "escape_name",
    "parse_roots",
    "read_stable",
    "unescape_name",
    "walk",
]
