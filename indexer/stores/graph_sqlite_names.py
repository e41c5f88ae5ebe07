"""Entities, the names they go by and where they are mentioned, from what a reader may read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..types import Entity
from .graph_answers import entity_of
from .graph_ports import Mention
from .graph_sqlite_file import letters, listed, plain, trigrams
from .graph_sqlite_view import View

_MOST_TRIGRAMS = 48
_FEWEST_TRIGRAMS, _BROUGHT_UP = 5, 2000
"""The rarest trigrams are looked for, until so many names have one: a common ending tells little."""
_COSTLY = 100
"""Mentions that are worth being counted once alone."""
_CANDIDATES = 40
"""Names of those that are compared in full, at least."""


@dataclass(slots=True)
class _Said:
    """What readable mentions call an entity; every chunk counts once."""

    names: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    mentions: int = 0

    def add(self, said: str, chunks: int) -> None:
        names, type_ = json.loads(said)
        self.mentions += chunks
        for name in set(names):
            self.names[name] += chunks
        if type_:
            self.types[type_] += chunks


def entities(view: View, ids: Sequence[str]) -> list[Entity]:
    """Entities in the order asked: the name that most readable chunks use, and so on."""
    asked = {each: ("entity", view.access, each) for each in ids}
    recalled = {each: view.memory.get(key) for each, key in asked.items()}
    found: dict[str, Entity] = {each: entity for each, entity in recalled.items() if entity is not None}
    said = _said(view, asked.keys() - found.keys())
    described = _descriptions(view, said)
    for each, held in said.items():
        found[each] = entity_of(each, held.mentions, held.names, held.types, described[each])
        if held.mentions >= _COSTLY:
            view.remember(asked[each], found[each])
    return [found[each] for each in ids if each in found]


def named(view: View, forms: Sequence[str]) -> dict[str, list[str]]:
    """Ids of the entities that readable mentions spell so, those of most mentions first."""
    asked = {form: plain(form) for form in forms}
    sql = f"""
        WITH RECURSIVE
        asked(n, form) AS MATERIALIZED (
          SELECT forms.n, forms.form FROM json_each(?3) each CROSS JOIN forms ON forms.form = each.value),
        spelt(n, form, entity) AS (
          SELECT n, form, (SELECT min(entity) FROM spelled WHERE spelled.form = asked.n) FROM asked
          UNION ALL
          SELECT n, form,
            (SELECT min(spelled.entity) FROM spelled
             WHERE spelled.form = spelt.n AND spelled.entity > spelt.entity)
          FROM spelt WHERE entity IS NOT NULL)
        SELECT form, entity FROM spelt WHERE entity IS NOT NULL AND EXISTS (
          {_reading(view, "spelled.form = spelt.n AND spelled.entity = spelt.entity")})"""
    found: dict[str, list[str]] = {}
    for form, entity in view.rows(sql, listed(asked.values())):
        found.setdefault(form, []).append(entity)
    counted = chunk_counts(view, {entity for each in found.values() for entity in each})
    for each in found.values():
        each.sort(key=lambda entity: (-counted[entity], entity))
    return {form: list(found[stored]) for form, stored in asked.items() if stored in found}


def alike(view: View, form: str, limit: int) -> list[str]:
    """Readable names by how many trigrams they share with ``form`` (Dice's coefficient), those compared that
    full text brings up first for its rarest trigrams (BM25)."""
    asked = letters(plain(form))
    grams = trigrams(asked)
    if not form.strip():
        return []
    either = " OR ".join('"' + gram.replace('"', '""') + '"' for gram in _rarest(view, grams))
    if not either:
        return []
    sql = f"""
        SELECT forms.form, forms.letters FROM alike CROSS JOIN forms ON forms.n = alike.rowid
        WHERE alike MATCH ?3 AND EXISTS ({_reading(view, "spelled.form = alike.rowid")})
        ORDER BY alike.rank LIMIT ?4"""
    found = view.rows(sql, either, max(_CANDIDATES, 4 * limit))
    ranked = sorted((-_likeness(grams, spelt), name != form, len(name), name) for name, spelt in found)
    return [name for *_, name in ranked[:limit]]


def mentions(view: View, chunks: Sequence[str]) -> list[Mention]:
    """What these chunks name, by (chunk, entity)."""
    sql = f"""
        SELECT m.entity, m.chunk, g.document, m.said, m.subject, m.count
        FROM json_each(?3) each CROSS JOIN mentions m ON m.chunk = each.value
        JOIN grounds g ON g.n = m.ground WHERE {view.seen("m")} ORDER BY m.chunk, m.entity"""
    return [_mention(row) for row in view.rows(sql, listed(chunks))]


def mentioning(view: View, ids: Sequence[str], limit: int) -> list[Mention]:
    """Where these entities are mentioned, entity after entity: subjects first, then by count."""
    sql = f"""
        SELECT m.entity, m.chunk, g.document, m.said, m.subject, m.count
        FROM mentions m INDEXED BY mentions_entity CROSS JOIN grounds g ON g.n = m.ground
        WHERE m.entity = ?3 AND {view.seen("m")}
        ORDER BY m.subject DESC, m.count DESC, m.chunk LIMIT ?4"""
    return [_mention(row) for each in dict.fromkeys(ids) for row in view.rows(sql, plain(each), limit)]


def best_chunks(view: View, entity: str, limit: int) -> list[str]:
    """The chunks of :func:`mentioning`, of one entity."""
    sql = f"""
        SELECT m.chunk FROM mentions m INDEXED BY mentions_entity WHERE m.entity = ?3 AND {view.seen("m")}
        ORDER BY m.subject DESC, m.count DESC, m.chunk LIMIT ?4"""
    return [chunk for (chunk,) in view.rows(sql, plain(entity), limit)]


def chunk_counts(view: View, ids: Iterable[str]) -> dict[str, int]:
    """How many readable chunks name each of these entities; those that none names are left out."""
    if view.tallied and view.access.all:
        sql = f"""
            SELECT t.entity, t.mentions FROM json_each(?3) each
            CROSS JOIN tallies t ON t.entity = each.value WHERE {view.live("t")}"""
        return dict(view.rows(sql, listed(ids)))
    sql = f"""
        SELECT each.value, (SELECT count(*) FROM mentions m INDEXED BY mentions_entity
                            WHERE m.entity = each.value AND {view.seen("m")}) AS chunks
        FROM json_each(?3) each WHERE chunks > 0"""
    asked = {entity: ("chunks", view.access, entity) for entity in ids}
    recalled = {entity: view.memory.get(key) for entity, key in asked.items()}
    known: dict[str, int] = {entity: chunks for entity, chunks in recalled.items() if chunks is not None}
    for entity, chunks in view.rows(sql, listed(asked.keys() - known.keys())):
        known[entity] = chunks
        if chunks >= _COSTLY:
            view.remember(asked[entity], chunks)
    return known


def _reading(view: View, which: str) -> str:
    """That a readable mention is spelled so."""
    return f"""SELECT 1 FROM spelled CROSS JOIN mentions m
          ON m.chunk = spelled.chunk AND m.entity = spelled.entity AND m.since = spelled.since
          WHERE {which} AND {view.open("spelled")} AND {view.live("m")}"""


def _rarest(view: View, grams: Sequence[str]) -> list[str]:
    """The trigrams that bring up the fewest names, some always."""
    sql = "SELECT term, doc FROM trigrams WHERE term IN (SELECT value FROM json_each(?)) ORDER BY doc, term"
    chosen: list[str] = []
    names = 0
    for gram, count in view.file.rows(sql, listed(grams[:_MOST_TRIGRAMS])):
        names += count
        if names > _BROUGHT_UP and len(chosen) >= _FEWEST_TRIGRAMS:
            break
        chosen.append(gram)
    return chosen


def _said(view: View, ids: Iterable[str]) -> dict[str, _Said]:
    sql = f"""
        SELECT m.entity, m.said, count(*) FROM json_each(?3) each
        CROSS JOIN mentions m INDEXED BY mentions_entity ON m.entity = each.value
        WHERE {view.seen("m")} GROUP BY m.entity, m.said"""
    found: dict[str, _Said] = {}
    for entity, said, chunks in view.rows(sql, listed(ids)):
        found.setdefault(entity, _Said()).add(said, chunks)
    return found


def _descriptions(view: View, ids: Iterable[str]) -> dict[str, str]:
    """Those of the first mention that has one, in the order of :func:`mentioning`."""
    sql = f"""
        SELECT each.value, (
          SELECT m.description FROM mentions m INDEXED BY mentions_described
          WHERE m.entity = each.value AND m.description <> '' AND {view.seen("m")}
          ORDER BY m.subject DESC, m.count DESC, m.chunk LIMIT 1)
        FROM json_each(?3) each"""
    found = view.rows(sql, listed(ids))
    return {entity: json.loads(description) if description else "" for entity, description in found}


def _mention(row: tuple[str, str, str, str, int, int]) -> Mention:
    entity, chunk, document, said, subject, count = row
    names = tuple(json.loads(said)[0])
    return Mention(entity, chunk, document, names, "subject" if subject else "mention", count)


def _likeness(grams: Sequence[str], spelt: str) -> float:
    others = set(trigrams(spelt))
    return 2 * len(others.intersection(grams)) / (len(grams) + len(others))
