"""Keeping the pictures of a document beside the index: each drawn as it is shown on its page."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from ..indexer.errors import LoadError
from ..indexer.loaders.child import ParserPool
from ..indexer.loaders.settings import LoadSettings
from ..indexer.pages import Figure, Page
from ..indexer.types import Content

DPI = 150
"""How large pictures are drawn: a whole letter page would have 2 million pixels."""


class Images(Protocol):
    """Where pictures are kept."""

    def put(self, png: bytes) -> str:
        """Keep a picture, if it is not there yet, and return its digest. Raises StoreError."""
        ...


def keep_images(
    pool: ParserPool,
    images: Images,
    path: Path,
    content: Content,
    settings: LoadSettings,
    password: str | None,
) -> Content:
    """``content`` with its figures kept in ``images``, up to ``settings.max_images`` of them.

    Those over the limit, and those that cannot be drawn, are left out and counted in ``dropped``. What is
    drawn over a picture, as labels are, is in it; one that comes again is kept once. Raises StoreError.
    """
    dropped = Counter(content.dropped)
    kept: set[str] = set()
    pages: list[Page] = []
    for page in content.pages:
        figures: list[Figure] = []
        for figure in page.figures:
            if len(kept) >= settings.max_images:
                dropped["picture over max_images"] += 1
                continue
            try:
                drawn = pool.draw(path, content.media_type, page.number, DPI, password, clip=figure.box)
            except LoadError:
                dropped["picture that cannot be drawn"] += 1
                continue
            digest = images.put(drawn.png)
            kept.add(digest)
            figures.append(replace(figure, digest=digest, width=drawn.width, height=drawn.height))
        pages.append(replace(page, figures=tuple(figures)) if page.figures else page)
    return replace(content, pages=tuple(pages), dropped=dict(dropped))
