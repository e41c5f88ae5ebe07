"""The Cypher that reads. Values are parameters throughout; ``_INDEX`` stands for the suffix of own labels.

``$g`` is the generation; ``$classes``, ``$documents`` and ``$barred`` are what the reader may see, the first
two only unless ``$any_class`` and ``$any_document``; ``$open`` says that it is everything. A parameter is of
one type always: the server plans a statement anew for each combination of types.
"""

from __future__ import annotations


def live(held: str) -> str:
    """That generation ``$g`` holds it."""
    return f"{held}.since <= $g AND ({held}.until IS NULL OR {held}.until > $g)"


def seen(held: str) -> str:
    """That its document and access class are the reader's."""
    return (
        f"($open OR (($any_class OR {held}.access IN $classes)"
        f" AND ($any_document OR {held}.document IN $documents)"
        f" AND NOT {held}.document IN $barred))"
    )


def evidence(relation: str) -> str:
    """The places, in its lists, of the evidence that is the reader's."""
    return (
        f"[i IN range(0, size({relation}.chunks) - 1) WHERE $open OR"
        f" (($any_class OR {relation}.accesses[i] IN $classes)"
        f" AND ($any_document OR {relation}.documents[i] IN $documents)"
        f" AND NOT {relation}.documents[i] IN $barred)]"
    )


def weight(relation: str) -> str:
    """How much of its evidence is the reader's, without a look at the lists where all of it is."""
    return f"CASE WHEN $open THEN {relation}.weight ELSE size({evidence(relation)}) END"


_HELD = f"{live('m')} AND {seen('m')}"
_BEST = "m.role <> 'subject', m.count DESC, c.id"
_MENTION = "e.id, c.id, m.document, m.names, m.role, m.count"
_STATES = """
CALL (id) {{
  MATCH (n:{label} {{index: $index, id: id}}) RETURN n
  UNION ALL
  MATCH (n:Past {{index: $index, kind: '{label}', id: id}}) RETURN n
}}
WITH n WHERE """
_WHOLE_COMMUNITY = (
    f"{live('n')} AND ($any_class OR all(x IN n.classes WHERE x IN $classes))"
    " AND ($any_document OR all(x IN n.documents WHERE x IN $documents))"
    " AND none(x IN n.documents WHERE x IN $barred)"
)

COUNT_CHUNKS = f"MATCH (n:Chunk_INDEX) WHERE {live('n')} AND {seen('n')} RETURN count(*)"
COUNT_MENTIONS = f"MATCH (e:Entity_INDEX)<-[m:MENTIONS]-() WHERE {_HELD} RETURN count(m), count(DISTINCT e)"
COUNT_RELATIONS = (
    f"MATCH (:Entity_INDEX)-[r:RELATES]->() WHERE {live('r')} AND {weight('r')} > 0 RETURN count(*)"
)
COUNT_COMMUNITIES = f"MATCH (n:Community_INDEX) WHERE {_WHOLE_COMMUNITY} RETURN count(*)"

ENTITIES = f"""
UNWIND $ids AS id
MATCH (e:Entity {{index: $index, id: id}})<-[m:MENTIONS]-(c) WHERE {_HELD}
WITH e, m, c ORDER BY {_BEST}
WITH e, collect(m) AS held
RETURN e.id, size(held),
  head([m IN held WHERE m.description <> '' | m.description]),
  COLLECT {{ UNWIND held AS m UNWIND m.names AS name WITH DISTINCT m, name
            WITH name, count(*) AS times RETURN [name, times] }},
  COLLECT {{ UNWIND held AS m WITH m.type AS type, count(*) AS times WHERE type <> ''
            RETURN [type, times] }}
"""
NAMED = f"""
UNWIND $forms AS asked
MATCH (:Name {{index: $index, key: asked.key}})<-[:NAMED]-(e)
WHERE EXISTS {{ MATCH (e)<-[m:MENTIONS]-() WHERE {_HELD} AND asked.form IN m.forms }}
RETURN asked.form, e.id, COUNT {{ MATCH (e)<-[m:MENTIONS]-() WHERE {_HELD} }} AS mentions
ORDER BY mentions DESC, e.id
"""
ALIKE = f"""
CALL db.index.fulltext.queryNodes($names, $query) YIELD node, score
WHERE EXISTS {{ MATCH (node)<-[:NAMED]-()<-[m:MENTIONS]-() WHERE {_HELD} AND node.form IN m.forms }}
RETURN node.form LIMIT $limit
"""
MENTIONS = f"""
UNWIND $chunks AS id
MATCH (c:Chunk {{index: $index, id: id}})-[m:MENTIONS]->(e) WHERE {_HELD}
RETURN {_MENTION} ORDER BY c.id, e.id
"""
MENTIONING = f"""
UNWIND $entities AS id
MATCH (e:Entity {{index: $index, id: id}})
CALL (e) {{
  MATCH (e)<-[m:MENTIONS]-(c) WHERE {_HELD} RETURN m, c ORDER BY {_BEST} LIMIT $limit
}}
RETURN {_MENTION}
"""

_RELATION = f"""
WITH DISTINCT r WHERE {live("r")}
WITH r, {evidence("r")} AS kept WHERE size(kept) > 0
RETURN r.id, startNode(r).id, endNode(r).id, r.type,
  CASE WHEN size(kept) = size(r.chunks) THEN r.description ELSE '' END,
  [i IN kept | [r.chunks[i], r.documents[i], r.sentences[i], r.conditions[i], r.accesses[i]]]
ORDER BY size(kept) DESC, r.id
"""
_AT = "UNWIND $entities AS id MATCH (e:Entity {index: $index, id: id})"
RELATIONS = {
    "out": f"{_AT}-[r:RELATES]->(){_RELATION}LIMIT $limit",
    "in": f"{_AT}<-[r:RELATES]-(){_RELATION}LIMIT $limit",
    "both": f"{_AT}-[r:RELATES]-(){_RELATION}LIMIT $limit",
}
RELATION_COUNT = f"""
{_AT}-[r:RELATES]-() WHERE {live("r")}
WITH DISTINCT r, {weight("r")} AS weight WHERE weight > 0
RETURN count(*)
"""
BETWEEN = f"{_AT}-[r:RELATES]->(t) WHERE t.id IN $targets{_RELATION}"


def _heaviest(pattern: str, returned: str) -> str:
    """At entity ``e``: one relation more than the limit, the heaviest."""
    return f"""
  MATCH {pattern} WHERE {live("r")}
  WITH r, o, {weight("r")} AS weight WHERE weight > 0
  WITH r, o, weight ORDER BY weight DESC, r.id LIMIT $limit + 1
  RETURN {returned}
"""


_TO, _FROM = "(e)-[r:RELATES]->(o)", "(e)<-[r:RELATES]-(o)"
_ENDS = """COLLECT {{
  UNWIND $entities AS id MATCH (e:Entity {{index: $index, id: id}})
  CALL (e) {{{found}}}
  WITH e, found WHERE size(found) > 0
  RETURN [e.id, found]
}}"""
_BEST_CHUNKS = f"""
  MATCH (e)<-[m:MENTIONS]-(c) WHERE {_HELD} WITH m, c ORDER BY {_BEST} LIMIT $limit + 1
  RETURN collect(c.id) AS found
"""
NEAR = f"""
RETURN {_ENDS.format(found=_BEST_CHUNKS)},
COLLECT {{ UNWIND $chunks AS id {_STATES.format(label="Chunk")}{live("n")} AND {seen("n")} RETURN n.id }},
{_ENDS.format(found=_heaviest(_TO, "collect(o.id) AS found"))},
{_ENDS.format(found=_heaviest(_FROM, "collect(o.id) AS found"))}
"""
"""The best chunks of entities, which of the chunks can be read, and the ends of the entities' relations."""
CHUNK_MENTIONS = f"""
UNWIND $chunks AS id
MATCH (c:Chunk {{index: $index, id: id}})-[m:MENTIONS]->(e) WHERE {_HELD}
RETURN c.id, collect(e.id), collect(2 * m.count + CASE m.role WHEN 'subject' THEN 1 ELSE 0 END)
"""
"""What each chunk names: the entities, and for each twice its count, and one more where it is the subject."""
DEGREES = f"""
UNWIND $entities AS id
MATCH (e:Entity {{index: $index, id: id}})
RETURN e.id, COUNT {{ MATCH (e)<-[m:MENTIONS]-() WHERE {_HELD} }},
  COUNT {{ (e)-[:RELATES]->() }}, COUNT {{ (e)<-[:RELATES]-() }}
"""
"""Readable mentions, and relations on each side: of all generations, but counted without a look at them."""
_INSIDE = f"""
UNWIND $entities AS id
MATCH (e:Entity {{index: $index, id: id}})
MATCH %s WHERE o.id IN $others AND {live("r")}
WITH e, o, {weight("r")} AS weight WHERE weight > 0
RETURN e.id, collect(o.id), collect(weight)
"""
INSIDE = {"out": _INSIDE % _TO, "in": _INSIDE % _FROM}
_SIDE = """
UNWIND $entities AS id
MATCH (e:Entity {index: $index, id: id})
CALL (e) {%s}
RETURN e.id, others, weights, relations
"""
_COLUMNS = "collect(o.id) AS others, collect(weight) AS weights, collect(r.id) AS relations"
SIDES = {"out": _SIDE % _heaviest(_TO, _COLUMNS), "in": _SIDE % _heaviest(_FROM, _COLUMNS)}
ALL_CHUNKS = f"MATCH (n:Chunk_INDEX) WHERE {live('n')} AND {seen('n')} RETURN n.id"
ALL_MENTIONS = f"""
MATCH (e:Entity_INDEX)<-[m:MENTIONS]-(c) WHERE {_HELD}
RETURN c.id, e.id, m.count, m.role = 'subject'
"""
ALL_RELATIONS = f"""
MATCH (s:Entity_INDEX)-[r:RELATES]->(t) WHERE {live("r")}
WITH s, r, t, {weight("r")} AS weight WHERE weight > 0
RETURN s.id, t.id, weight
"""

_COMMUNITY = f"""
 {_WHOLE_COMMUNITY} AND ($level < 0 OR n.level = $level)
WITH DISTINCT n ORDER BY n.level, n.size DESC, n.id LIMIT $limit
MATCH (c:Community {{index: $index, id: n.id}})
RETURN n.id, n.level, n.parent,
  COLLECT {{ MATCH (c)<-[i:IN]-(e) WHERE {live("i")} RETURN e.id ORDER BY i.place }},
  n.title, n.report, n.chunks, n.documents, n.classes, n.by, n.made
"""
COMMUNITIES = f"MATCH (n:Community_INDEX) WHERE {_COMMUNITY}"
COMMUNITIES_BY_ID = "UNWIND $ids AS id" + _STATES.format(label="Community") + _COMMUNITY
COMMUNITIES_OF = f"""
UNWIND $entities AS member
MATCH (:Entity {{index: $index, id: member}})-[i:IN]->(c) WHERE {live("i")} AND ($any_id OR c.id IN $ids)
WITH DISTINCT c.id AS id {_STATES.format(label="Community")}{_COMMUNITY}
"""
