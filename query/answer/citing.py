"""Where in a passage an answer's sentence comes from: the parts that hold what it quotes or states."""

from __future__ import annotations

from collections.abc import Sequence

from ...indexer.types import Part
from ...indexer.words import words
from ..chunk_parts import touched

_COLONS = ":："


def quoted_in(text: str, parts: Sequence[Part], quoted: str, announced: str = "") -> Sequence[Part]:
    """Those of a ``text``'s ``parts`` in which ``quoted`` stands, and behind it what it ``announced``; none
    where it is not found. White space does not count."""
    places = [at for at, char in enumerate(text) if not char.isspace()]
    bare = "".join(text.split())
    wanted, further = ("".join(one.split()).rstrip(_COLONS) for one in (quoted, announced))
    start = bare.find(wanted) if wanted and parts else -1
    if start < 0:
        return ()
    end = start + len(wanted)
    if further and (at := bare.find(further, end)) >= 0:
        end = at + len(further)
    return touched(parts, places[start], places[end - 1] + 1)


def stated_in(text: str, parts: Sequence[Part], said: str, language: str | None) -> Sequence[Part]:
    """The one of a ``text``'s ``parts`` that holds all words of ``said`` which stand in any; none where they
    are spread over several."""
    sought = set(words(said, language))
    ends = [*(part.start for part in parts[1:]), len(text)]
    held = [
        sought & set(words(text[part.start : end], language))
        for part, end in zip(parts, ends[: len(parts)], strict=True)
    ]
    every = set().union(*held)
    return [part for part, found in zip(parts, held, strict=True) if found and found >= every][:1]
