"""The rows of the embedded graph as they lie in its file, and what of its bookkeeping does not fit them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from ..types import Evidence
from .graph_ports import Slip
from .graph_rows import (
    ChunkPlace,
    CommunityRow,
    EntityRow,
    GraphKind,
    GraphRow,
    MentionRow,
    RelationRow,
    StoredRow,
)
from .graph_sqlite_file import GraphFile, letters, plain

_PAGE = 2000
_LIVE = "t.since <= ?1 AND t.until > ?1"
_PAGES = {
    "chunk": f"""SELECT t.chunk, '', t.digest, t.body, g.document, g.class
        FROM chunks t LEFT JOIN grounds g ON g.n = t.ground
        WHERE {_LIVE} AND t.chunk > ?2 AND ?3 = ?3 ORDER BY t.chunk LIMIT ?4""",
    "entity": f"""SELECT t.id, '', t.digest, t.body FROM entities t
        WHERE {_LIVE} AND t.id > ?2 AND ?3 = ?3 ORDER BY t.id LIMIT ?4""",
    "mention": f"""SELECT t.chunk, t.entity, t.digest, t.said, t.description, t.forms, t.subject, t.count,
          g.document, g.class, (SELECT json_group_array(f.form) FROM json_each(t.forms) each
            JOIN forms f ON f.n = each.value)
        FROM mentions t LEFT JOIN grounds g ON g.n = t.ground
        WHERE {_LIVE} AND (t.chunk, t.entity) > (?2, ?3) ORDER BY t.chunk, t.entity LIMIT ?4""",
    "relation": f"""SELECT t.id, '', t.digest, t.body, t.source, t.target, t.n
        FROM relations t WHERE {_LIVE} AND t.id > ?2 AND ?3 = ?3 ORDER BY t.id LIMIT ?4""",
    "community": f"""SELECT t.id, '', t.digest, t.body, t.level, t.members, t.documents, t.classes
        FROM communities t WHERE {_LIVE} AND t.id > ?2 AND ?3 = ?3 ORDER BY t.id LIMIT ?4""",
}
_EVIDENCE = """SELECT v.body, g.document, g.class FROM evidence v LEFT JOIN grounds g ON g.n = v.ground
    WHERE v.relation = ? ORDER BY v.place"""
_SLIPS: tuple[tuple[GraphKind | None, str, str], ...] = (
    ("chunk", "is there twice", f"""SELECT t.chunk FROM chunks t WHERE {_LIVE}
        GROUP BY t.chunk HAVING count(*) > 1"""),
    ("entity", "is there twice", f"""SELECT t.id FROM entities t WHERE {_LIVE}
        GROUP BY t.id HAVING count(*) > 1"""),
    ("mention", "is there twice", f"""SELECT t.entity || ' ' || t.chunk FROM mentions t WHERE {_LIVE}
        GROUP BY t.chunk, t.entity HAVING count(*) > 1"""),
    ("relation", "is there twice", f"""SELECT t.id FROM relations t WHERE {_LIVE}
        GROUP BY t.id HAVING count(*) > 1"""),
    ("community", "is there twice", f"""SELECT t.id FROM communities t WHERE {_LIVE}
        GROUP BY t.id HAVING count(*) > 1"""),
    ("mention", "is not found by all of its names", f"""SELECT t.entity || ' ' || t.chunk FROM mentions t
        JOIN json_each(t.forms) each WHERE {_LIVE} AND NOT EXISTS (SELECT 1 FROM spelled s
        JOIN forms f ON f.n = s.form WHERE s.form = each.value AND s.entity = t.entity AND s.chunk = t.chunk
        AND s.since = t.since AND s.ground = t.ground)"""),
    ("relation", "has another weight than evidence", f"""SELECT t.id FROM relations t WHERE {_LIVE}
        AND t.weight <> (SELECT count(*) FROM evidence v WHERE v.relation = t.n)"""),
    ("community", "has another size than members", f"""SELECT t.id FROM communities t WHERE {_LIVE}
        AND t.size <> json_array_length(t.members)"""),
    ("community", "is not found by all of its members", f"""SELECT t.id FROM communities t
        JOIN json_each(t.members) each WHERE {_LIVE} AND NOT EXISTS (SELECT 1 FROM members m
        WHERE m.entity = each.value AND m.community = t.n)"""),
)  # fmt: skip
_ORPHANS = (
    ("a name without its mention", "spelled", """NOT EXISTS (SELECT 1 FROM mentions m
        JOIN json_each(m.forms) each ON each.value = spelled.form WHERE m.chunk = spelled.chunk
        AND m.entity = spelled.entity AND m.since = spelled.since)"""),
    ("evidence without its relation", "evidence", """NOT EXISTS (
        SELECT 1 FROM relations r WHERE r.n = evidence.relation)"""),
    ("a member without its community", "members", """NOT EXISTS (SELECT 1 FROM communities c
        JOIN json_each(c.members) each ON each.value = members.entity WHERE c.n = members.community)"""),
    ("a name that nothing has", "forms", "NOT EXISTS (SELECT 1 FROM spelled s WHERE s.form = forms.n)"),
)  # fmt: skip
_TALLIED = f"""
WITH counted AS (
  SELECT t.entity, count(*) AS mentions FROM mentions t WHERE {_LIVE} GROUP BY t.entity),
outgoing AS (SELECT t.source AS entity, count(*) AS n FROM relations t WHERE {_LIVE} GROUP BY t.source),
incoming AS (SELECT t.target AS entity, count(*) AS n FROM relations t WHERE {_LIVE} GROUP BY t.target),
right AS (SELECT c.entity, c.mentions, coalesce(o.n, 0) AS o, coalesce(i.n, 0) AS i FROM counted c
  LEFT JOIN outgoing o ON o.entity = c.entity LEFT JOIN incoming i ON i.entity = c.entity),
held AS (SELECT t.entity, t.mentions, t.outgoing AS o, t.incoming AS i FROM tallies t WHERE {_LIVE})
SELECT DISTINCT entity FROM (
  SELECT * FROM (SELECT * FROM right EXCEPT SELECT * FROM held)
  UNION ALL SELECT * FROM (SELECT * FROM held EXCEPT SELECT * FROM right)
  UNION ALL SELECT * FROM held GROUP BY entity HAVING count(*) > 1)"""
_MARKED = ("chunks", "entities", "mentions", "relations", "communities", "tallies")


def stored(file: GraphFile, generation: int, kind: GraphKind) -> Iterator[StoredRow]:
    """The rows of a kind that the generation holds, whole, with the digests kept beside them. Raises
    ValueError for a row that is none."""
    first = second = ""
    while True:
        page = file.rows(_PAGES[kind], generation, first, second, _PAGE)
        for row in page:
            first, second = row[0], row[1]
            yield StoredRow(_row(kind, row, lambda n: file.rows(_EVIDENCE, n)), row[2].hex())
        if len(page) < _PAGE:
            return


def slips(file: GraphFile, generation: int) -> Iterator[Slip]:
    """What of the file's bookkeeping does not fit the rows that the generation holds."""
    for (fault,) in file.rows("PRAGMA integrity_check(20)"):
        if fault != "ok":
            yield Slip(None, "", f"the file is damaged: {fault}")
    for kind, what, sql in _SLIPS:
        for (key,) in file.rows(sql, generation):
            yield Slip(kind, key, what)
    if not file.rows("SELECT 1 FROM untallied WHERE generation <= ?", generation):
        for (entity,) in file.rows(_TALLIED, generation):
            yield Slip("tally", entity, "its mentions or relations are counted wrongly")
    for what, table, lost in _ORPHANS:
        count = file.rows(f"SELECT count(*) FROM {table} WHERE {lost}")[0][0]
        if count:
            yield Slip("orphan", table, f"{count} times {what}")
    for number, form, spelt in file.rows("SELECT n, form, letters FROM forms"):
        if spelt != letters(form):
            yield Slip("form", str(number), "a name's letters are another name's")
    for (number,) in file.rows("""
        SELECT n FROM forms WHERE n NOT IN (SELECT id FROM alike_docsize)
        UNION SELECT id FROM alike_docsize WHERE id NOT IN (SELECT n FROM forms)"""):
        yield Slip("form", str(number), "a name is not in the full text, or one in it is no name")


def odd_marks(file: GraphFile, newest: int, unended: int) -> Iterator[Slip]:
    """Rows whose marks no build can have made: ``newest`` is the newest generation ever begun."""
    for table in _MARKED:
        sql = f"""SELECT count(*) FROM {table} WHERE since < 1 OR since > ?1 OR until <= since
                  OR (until > ?1 AND until <> ?2)"""
        count = file.rows(sql, newest, unended)[0][0]
        if count:
            yield Slip("marks", table, f"{count} rows are marked with generations that never were")


def distrust(file: GraphFile, table: str, which: str, keys: list[tuple[Any, ...]]) -> None:
    """Have the next writer take these rows for others than they are."""
    file.write(f"UPDATE {table} SET digest = x'00' WHERE {which}", keys)


def tidy(file: GraphFile) -> None:
    """Delete what hangs on rows that are gone, and make the full text over names anew."""
    with file.transaction():
        for _, table, lost in _ORPHANS:
            file.write(f"DELETE FROM {table} WHERE {lost}", [()])
        wrong = [
            (letters(form), number)
            for number, form, spelt in file.rows("SELECT n, form, letters FROM forms")
            if spelt != letters(form)
        ]
        file.write("UPDATE forms SET letters = ? WHERE n = ?", wrong)
        file.write("INSERT INTO alike (alike) VALUES ('rebuild')", [()])


def _row(kind: GraphKind, row: Any, evidence: Callable[[int], list[Any]]) -> GraphRow:
    if kind == "chunk":
        source, title, ordinal, pages = json.loads(row[3])
        return ChunkPlace(row[0], row[4], source, title, ordinal, _pair(pages), row[5])
    if kind == "entity":
        return EntityRow(row[0], *json.loads(row[3]))
    if kind == "mention":
        return _mention(row)
    if kind == "relation":
        type_, description = json.loads(row[3])
        pieces = []
        for body, document, access in evidence(row[6]):
            chunk, sentence, condition = json.loads(body)
            pieces.append(Evidence(chunk, document, sentence, condition, access))
        return RelationRow(row[0], row[4], row[5], type_, tuple(pieces), description)
    parent, title, report, chunks, by, made = json.loads(row[3])
    lists = (tuple(json.loads(each)) for each in row[5:8])
    members, documents, classes = lists
    return CommunityRow(
        row[0], row[4], parent, members, title, report, tuple(chunks), documents, classes, by, made
    )


def _mention(row: Any) -> MentionRow:
    """Forms are kept as a set: their order is that of the names."""
    from ..graph.resolution_uses import name_form

    chunk, entity, _, said, description, numbers, subject, count, document, access, spelt = row
    names, type_ = json.loads(said)
    kept = json.loads(spelt)
    forms = tuple(dict.fromkeys(map(name_form, names)))
    if {plain(form) for form in forms} != set(kept) or len(kept) != len(json.loads(numbers)):
        forms = tuple(kept)
    return MentionRow(
        entity, chunk, document, access, tuple(names), forms, "subject" if subject else "mention", count,
        type_, json.loads(description) if description else "",
    )  # fmt: skip


def _pair(pages: list[int] | None) -> tuple[int, int] | None:
    return None if pages is None else (pages[0], pages[1])
