"""Pictures in results: which are named, and which of them are sent along."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..read_result import KeptImage
from .paging import Entry, Pictures
from .places import SENTENCE, clip, filled

MOST = 4
"""Pictures of one result: a model pays for each."""
BYTES = 2_000_000
"""What the pictures of one result may take together."""


def pictured(images: Iterable[KeptImage], pictures: Pictures) -> dict[str, Any]:
    """The key that names ``images`` in an item, which are put among ``pictures``; nothing where there are
    none."""
    named = []
    for image in images:
        pictures[image.id] = image
        named.append({"id": image.id, "page": image.page, **filled(caption=clip(image.caption, SENTENCE))})
    return filled(images=named)


def sent(document: Entry, pictures: Pictures) -> tuple[bytes, ...]:
    """The pictures, as PNG, that the items of ``document`` name: the first four, and two million bytes."""
    found: dict[str, bytes] = {}
    named = (image["id"] for part in document.get("parts", ()) for image in part.get("images", ()))
    for name in named:
        image = pictures.get(name)
        if image is None or name in found or len(found) == MOST:
            continue
        try:
            png = image.path.read_bytes()
        except OSError:  # an index that was copied without its images: the text is all there is
            continue
        if sum(map(len, found.values())) + len(png) <= BYTES:
            found[name] = png
    return tuple(found.values())
