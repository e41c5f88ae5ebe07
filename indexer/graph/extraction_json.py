"""Extractions as JSON, for the ledger: short lists, since there is one a chunk."""

from __future__ import annotations

import json
from typing import Any

from .extraction import Extraction, Named, Stated


def extraction_to_json(extraction: Extraction) -> str:
    """What was found, without what it took to find it."""
    names = [
        [named.name, named.type, named.role, named.count, named.local, named.description, named.aliases]
        for named in extraction.names
    ]
    statements = [
        [said.source, said.target, said.type, said.sentence, said.condition, said.description]
        for said in extraction.statements
    ]
    return json.dumps([extraction.by, names, statements], ensure_ascii=True, separators=(",", ":"))


def extraction_from_json(text: str) -> Extraction:
    """The extraction that :func:`extraction_to_json` wrote."""
    by, names, statements = json.loads(text)
    return Extraction(tuple(map(_named, names)), tuple(Stated(*said) for said in statements), by)


def _named(values: list[Any]) -> Named:
    name, type_, role, count, local, description, aliases = values
    return Named(name, type_, role, count, local, description, tuple(aliases))
