"""A model's names and statements together with those that the default extractor found in the same chunk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..names_form import form
from ..word_forms import stem
from .extraction import Extraction, Named, Stated
from .written_items import Items

_Key = tuple[str, bool]


def structure(names: Iterable[Named]) -> list[Named]:
    """Names that come from how the document is built and not from what it says: its subjects and places."""
    return [named for named in names if named.role == "subject" or named.local]


def merge(
    base: Extraction, parts: Sequence[Items], language: str | None
) -> tuple[tuple[Named, ...], tuple[Stated, ...]]:
    """The names and statements of a chunk. Of ``base`` the structure is kept, what its statements are
    about, and what a part names as well; of the parts everything.

    A name that both have keeps its writing, place and aliases from ``base``, its type and description from
    the model, and the higher count.
    """
    found = _added_up(parts)
    said_of = {form(end) for said in base.statements for end in (said.source, said.target)}
    forms = {key for key, _ in found}
    kept = {
        (form(named.name), named.local): named
        for named in base.names
        if named.role == "subject" or named.local or form(named.name) in said_of | forms
    }
    for (key, local), named in found.items():
        at = next((place for place in ((key, local), (key, not local)) if place in kept), (key, local))
        kept[at] = _joined(kept[at], named) if at in kept else named
    written = {key: named.name for (key, _), named in sorted(kept.items(), reverse=True)}
    stated = [said for part in parts for said in part.statements]
    return tuple(kept.values()), _statements(base.statements, stated, written, language)


def _added_up(parts: Sequence[Items]) -> dict[_Key, Named]:
    """The names of all parts by form, with the counts of the parts together."""
    found: dict[_Key, Named] = {}
    for named in (named for part in parts for named in part.names):
        key = form(named.name), named.local
        before = found.get(key)
        if before is not None:
            named = replace(_joined(before, named), count=before.count + named.count)
        found[key] = named
    return found


def _joined(known: Named, told: Named) -> Named:
    aliases = dict.fromkeys((*known.aliases, *told.aliases))
    return replace(
        known,
        type=told.type or known.type,
        role="subject" if "subject" in (known.role, told.role) else "mention",
        count=max(known.count, told.count),
        description=told.description or known.description,
        aliases=tuple(aliases),
    )


def _statements(
    base: Sequence[Stated], told: Sequence[Stated], written: dict[str, str], language: str | None
) -> tuple[Stated, ...]:
    """Statements of both, each once: of two that say the same, the first, with what it lacks."""
    kept: dict[tuple[str, ...], Stated] = {}
    for said in (*base, *told):
        named = replace(
            said,
            source=written.get(form(said.source), said.source),
            target=written.get(form(said.target), said.target),
        )
        verb = " ".join(stem(word, language) for word in said.type.split())
        key = (form(said.source), form(said.target), verb, "".join(said.sentence.split()))
        before = kept.setdefault(key, named)
        kept[key] = replace(
            before,
            condition=before.condition or named.condition,
            description=before.description or named.description,
        )
    return tuple(kept.values())
