"""The Cypher that writes one generation, ``$h``. Values are parameters throughout. ``_INDEX`` stands for the
suffix of own labels; ``KIND``, ``ROW``, ``SOURCE`` and ``PATTERN`` for words of the model (:func:`filled`).

How states are kept: see :mod:`.neo4j`.
"""

from __future__ import annotations

_NODE = "UNWIND $ids AS id MATCH (n:KIND {index: $index, id: id})"
_RESTORE = "SET n = properties(p) REMOVE n.kind"


def filled(cypher: str, **words: str) -> str:
    """A statement with words of the model in place of their placeholders."""
    for name, word in words.items():
        cypher = cypher.replace(name, word)
    return cypher


# --- nodes: chunks, entities, communities ---

MAKE_NODES = """
UNWIND $rows AS row
MERGE (n:KIND {index: $index, id: row.id})
ON CREATE SET n:KIND_INDEX, n += row.held, n.digest = row.digest, n.since = $h
WITH row, n WHERE n.digest IS NULL OR n.digest <> row.digest OR n.until IS NOT NULL
RETURN row.id
"""
"""Returns the ids of the rows that were there in another state."""
REVIVE_ENDED = """
UNWIND $rows AS row
MATCH (n:KIND {index: $index, id: row.id}) WHERE n.until = $h AND n.digest = row.digest
REMOVE n.until
RETURN row.id
"""
REVIVE_PAST = f"""
UNWIND $rows AS row
MATCH (p:Past {{index: $index, kind: 'KIND', id: row.id}}) WHERE p.until = $h AND p.digest = row.digest
MATCH (n:KIND {{index: $index, id: row.id}})
{_RESTORE}, n.until
DELETE p
RETURN row.id
"""
KEEP_PAST = """
UNWIND $rows AS row
MATCH (n:KIND {index: $index, id: row.id})
WHERE n.since < $h AND (n.digest <> row.digest OR n.until IS NOT NULL)
CREATE (p:Past:KIND_INDEX)
SET p = properties(n), p.kind = 'KIND', p.until = coalesce(n.until, $h)
SET n.since = $h, n.digest = ''
REMOVE n.until
"""
CHANGE_NODES = """
UNWIND $rows AS row
MATCH (n:KIND {index: $index, id: row.id})
WHERE coalesce(n.since, $h) = $h AND (n.digest IS NULL OR n.digest <> row.digest)
SET n = row.held
SET n.index = $index, n.id = row.id, n.digest = row.digest, n.since = $h
"""
END_NODES = f"{_NODE} WHERE n.since < $h AND n.until IS NULL SET n.until = $h"
UNDO_NODES = f"""
{_NODE} WHERE n.since = $h
CALL (n) {{
  MATCH (p:Past {{index: $index, kind: 'KIND', id: n.id}}) RETURN p ORDER BY p.since DESC LIMIT 1
}}
{_RESTORE}
DELETE p
"""
"""A state that this generation made goes, and the one before it stands there again, ended."""
EMPTY_NODES = f"{_NODE} WHERE n.since = $h SET n = {{index: $index, id: id}}"
DROP_EMPTY = (
    f"{_NODE} WHERE n.since IS NULL AND NOT EXISTS {{ (n)-[r]-() WHERE type(r) <> 'NAMED' }} DETACH DELETE n"
)

# --- what follows from a node's state ---

OWN_SIDES = {"chunk": ("(n)-[r:ON|OF]->()",), "community": ("(n)<-[r:IN]-()", "(n)-[r:PART_OF]->()")}
CLOSE_SIDES = f"""
{_NODE} MATCH PATTERN WHERE r.until IS NULL
FOREACH (_ IN CASE WHEN r.since < $h THEN [1] ELSE [] END | SET r.until = $h)
FOREACH (_ IN CASE WHEN r.since = $h THEN [1] ELSE [] END | DELETE r)
"""
REOPEN_SIDES = f"{_NODE} MATCH PATTERN WHERE r.until = $h REMOVE r.until"
TIE = {
    "chunk": """
UNWIND $rows AS row
MATCH (c:Chunk {index: $index, id: row.id})
WHERE c.since = $h AND NOT EXISTS { (c)-[o:ON|OF]->() WHERE o.until IS NULL }
MERGE (d:Document {index: $index, id: c.document}) ON CREATE SET d:Document_INDEX
SET d.source = c.source, d.title = c.title
FOREACH (_ IN CASE WHEN row.pages = [] THEN [1] ELSE [] END |
  CREATE (c)-[:OF {index: $index, since: $h}]->(d))
FOREACH (number IN row.pages |
  MERGE (p:Page {index: $index, document: c.document, number: number}) ON CREATE SET p:Page_INDEX
  MERGE (p)-[:OF]->(d)
  CREATE (c)-[:ON {index: $index, since: $h}]->(p))
""",
    "community": """
UNWIND $rows AS row
MATCH (c:Community {index: $index, id: row.id})
WHERE c.since = $h AND NOT EXISTS { (c)<-[o:IN]-() WHERE o.until IS NULL }
UNWIND range(0, size(row.members) - 1) AS place
MERGE (e:Entity {index: $index, id: row.members[place]}) ON CREATE SET e:Entity_INDEX
CREATE (e)-[:IN {index: $index, since: $h, place: place}]->(c)
""",
}
TIE_PARENTS = """
MATCH (c:Community_INDEX) WHERE c.until IS NULL AND c.parent IS NOT NULL
  AND NOT EXISTS { (c)-[o:PART_OF]->() WHERE o.until IS NULL }
MATCH (p:Community {index: $index, id: c.parent}) WHERE p.until IS NULL
CREATE (c)-[:PART_OF {index: $index, since: $h}]->(p)
"""

# --- relationships: mentions, relations; a row is the list that neo4j_rows.tie makes ---

HELD = """
UNWIND $ids AS id
MATCH ()-[r:ROW {index: $index, id: id}]->() USING INDEX r:ROW(index, id, since) WHERE r.since <= $h
RETURN id, r.digest, r.until
"""
"""What there is under these keys. The hint: planned on an empty database, the lookup would be a scan."""
REVIVE = """
UNWIND $rows AS row
MATCH ()-[r:ROW {index: $index, id: row[2]}]->() USING INDEX r:ROW(index, id, since)
WHERE r.since <= $h AND r.until = $h AND r.digest = row[3]
REMOVE r.until
"""
ENDS = "UNWIND $ids AS id MERGE (n:KIND {index: $index, id: id}) ON CREATE SET n:KIND_INDEX"
CREATE = """
UNWIND $rows AS row
MATCH (s:SOURCE {index: $index, id: row[0]})
MATCH (t:Entity {index: $index, id: row[1]})
CREATE (s)-[:ROW {index: $index, since: $h, HELD}]->(t)
"""
END = """
UNWIND $ids AS id
MATCH ()-[r:ROW {index: $index, id: id}]->() USING INDEX r:ROW(index, id, since)
WHERE r.since <= $h AND r.until IS NULL
FOREACH (_ IN CASE WHEN r.since < $h THEN [1] ELSE [] END | SET r.until = $h)
FOREACH (_ IN CASE WHEN r.since = $h THEN [1] ELSE [] END | DELETE r)
"""
NAME = """
UNWIND $names AS name
MERGE (n:Name {index: $index, key: name.key})
ON CREATE SET n:Name_INDEX, n.form = name.form, n.pieces = name.pieces
WITH n, name UNWIND name.entities AS id
MATCH (e:Entity {index: $index, id: id})
MERGE (e)-[:NAMED]->(n)
"""

# --- a generation that begins with nothing ---

BEGUN = "MATCH (n:Index {index: $index}) WHERE n.begun = $h RETURN count(n)"
BEGIN = "MERGE (n:Index {index: $index}) ON CREATE SET n:Index_INDEX SET n.begun = $h"
END_ALL_NODES = """
MATCH (n:KIND_INDEX) WHERE n.until IS NULL AND n.since < $h
WITH n LIMIT $batch SET n.until = $h RETURN count(*)
"""
END_ALL = """
MATCH ()-[r:ROW {index: $index}]->() WHERE r.since < $h AND r.until IS NULL
WITH r LIMIT $batch SET r.until = $h RETURN count(*)
"""

# --- what it holds ---

LIVE_NODES = "MATCH (n:KIND_INDEX) WHERE n.until IS NULL AND n.since <= $h RETURN n.id, n.digest"
LIVE = """
MATCH (:Entity_INDEX)<-[r:ROW]-(s:SOURCE) WHERE r.until IS NULL AND r.since <= $h
RETURN r.id, r.digest
"""
COUNT_LIVE_NODES = "MATCH (n:KIND_INDEX) WHERE n.until IS NULL AND n.since <= $h RETURN count(*)"
COUNT_LIVE = """
MATCH (:Entity_INDEX)<-[r:ROW]-() WHERE r.until IS NULL AND r.since <= $h RETURN count(*)
"""
TOUCHED = """
MATCH (s)-[r:MENTIONS|RELATES {index: $index}]->(t) WHERE r.since = $h OR r.until = $h
UNWIND CASE WHEN s:Entity THEN [s.id, t.id] ELSE [t.id] END AS id
RETURN DISTINCT id
"""
COMMUNITIES = """
MATCH (c:Community_INDEX) WHERE c.until IS NULL AND c.since <= $h
RETURN c.id, c.level, c.parent,
  COLLECT { MATCH (c)<-[i:IN]-(e) WHERE i.until IS NULL RETURN e.id ORDER BY i.place },
  c.title, c.report, c.chunks, c.documents, c.classes, c.by, c.made
ORDER BY c.id
"""
