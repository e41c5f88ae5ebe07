"""Passwords of source files: which environment variable holds which, by ``[load.passwords]``."""

from __future__ import annotations

import os
from fnmatch import fnmatch

from ..indexer.loaders.settings import LoadSettings


def password_variable(settings: LoadSettings, source: str) -> str | None:
    """The name of the environment variable that holds the password of a file, if one is configured."""
    for pattern, place in settings.passwords.items():
        if fnmatch(source, pattern):
            return place.removeprefix("env:")
    return None


def password_of(settings: LoadSettings, source: str) -> str | None:
    """The password of a file, where one is configured and its environment variable is set."""
    name = password_variable(settings, source)
    return os.environ.get(name) if name else None
