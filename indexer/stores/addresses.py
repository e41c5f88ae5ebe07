"""Addresses of servers, as they may be shown."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit


def without_secrets(url: str) -> str:
    """The URL without user, password and query, for messages and for what an index keeps. Of what is no URL
    nothing is shown."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "that"
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
