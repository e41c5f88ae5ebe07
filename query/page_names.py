"""The names that readers give to single pages."""

from __future__ import annotations

import re

_PAGE = re.compile(r"(?s)(.+)@(\d{1,9})")


def page_named(asked: str) -> tuple[str, int | None]:
    """Source and page of ``<source>@<page>``; of anything else, as a hit's id, that and None."""
    found = _PAGE.fullmatch(asked)
    return (found[1], int(found[2])) if found else (asked, None)
