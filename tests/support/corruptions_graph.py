"""Ways to damage the embedded graph."""

from __future__ import annotations

from corruptions_ledger import statement
from damaged_index import Corruption, Harm

_LIVE = "since <= {g} AND until > {g}"


def _any(table: str, column: str, where: str = "1") -> str:
    """Some live row of a table, by what ``column`` holds."""
    return (
        f"(SELECT {column} FROM {table} WHERE {_LIVE} AND {where}"
        f" ORDER BY substr({column}, 1 + {{seed}} % 30), {column} LIMIT 1)"
    )


def _sql(text: str) -> Harm:
    return statement(text, "graph.db")


_CHUNK, _ENTITY = _any("chunks", "chunk"), _any("entities", "id")
_RELATION = _any("relations", "id")
_COMMUNITY = _any("communities", "id")
_NAMED = (
    f"chunk || entity = (SELECT chunk || entity FROM mentions WHERE {_LIVE}"
    " ORDER BY substr(entity, 1 + {seed} % 30), chunk LIMIT 1)"
)
_EVIDENCE = f"relation = (SELECT n FROM relations WHERE id = {_RELATION} AND {_LIVE}) AND place = 0"
_OTHER_GROUND = "(SELECT max(n) FROM grounds WHERE n <> ground)"
GRAPH = tuple(
    Corruption(name, _sql(sql))
    for name, sql in {
        "a chunk dropped from the graph": f"DELETE FROM chunks WHERE chunk = {_CHUNK}",
        "a chunk's pages in the graph": "UPDATE chunks SET body = json_set(body, '$[2]', 99)"
        f" WHERE chunk = {_CHUNK}",
        "a chunk's ground": f"UPDATE chunks SET ground = {_OTHER_GROUND} WHERE chunk = {_CHUNK}",
        "a chunk's digest in the graph": f"UPDATE chunks SET digest = x'00ff' WHERE chunk = {_CHUNK}",
        "a chunk doubled in the graph": "INSERT INTO chunks SELECT chunk, since + 1 - 2 * (since > 1), until,"
        f" digest, ground, body FROM chunks WHERE chunk = {_CHUNK} AND {_LIVE}",
        "a class that all rows stand on": "UPDATE grounds SET class = 'public' WHERE class <> 'public'",
        "a document that rows stand on": "UPDATE grounds SET document = 'nowhere' WHERE n = 1 + {seed} % 3",
        "a ground dropped": "DELETE FROM grounds WHERE n = 1 + {seed} % 3",
        "an entity dropped": f"DELETE FROM entities WHERE id = {_ENTITY}",
        "an entity's name": f"UPDATE entities SET body = json_set(body, '$[0]', 'Nemo') WHERE id = {_ENTITY}",
        "an entity of no mention": "INSERT INTO entities VALUES ('e{seed}', 1, 9007199254740991, x'aa',"
        ' \'["Nobody",""]\')',
        "an entity ended": "UPDATE entities SET until = 2 WHERE since < 2 AND id ="
        f" {_any('entities', 'id', 'since < 2')}",
        "a mention dropped": f"DELETE FROM mentions WHERE {_NAMED}",
        "a mention's count": f"UPDATE mentions SET count = count + 1 WHERE {_NAMED}",
        "a mention's names": f'UPDATE mentions SET said = \'[["Nemo"],""]\' WHERE {_NAMED}',
        "a mention's ground": f"UPDATE mentions SET ground = {_OTHER_GROUND} WHERE {_NAMED}",
        "a mention of another entity": f"UPDATE mentions SET entity = 'nobody' WHERE {_NAMED}",
        "a mention's part": f"UPDATE mentions SET subject = 1 - subject WHERE {_NAMED}",
        "a name that finds nothing": f"DELETE FROM spelled WHERE entity = {_any('mentions', 'entity')}",
        "a name that finds what it should not": "INSERT INTO spelled SELECT form, 'nobody', chunk, since,"
        " ground FROM spelled LIMIT 1",
        "a name found by the public": f"UPDATE spelled SET ground = {_OTHER_GROUND} WHERE entity ="
        f" {_any('mentions', 'entity')}",
        "a name's letters": "UPDATE forms SET letters = ' nothing ' WHERE n = 1 + {seed} % 9",
        "a name out of the full text": "DELETE FROM alike_docsize WHERE id = 1 + {seed} % 9",
        "a relation dropped": f"DELETE FROM relations WHERE id = {_RELATION}",
        "a relation's end": f"UPDATE relations SET target = source WHERE id = {_RELATION}",
        "a relation's verb": f'UPDATE relations SET body = \'["hates",""]\' WHERE id = {_RELATION}',
        "a relation's weight": f"UPDATE relations SET weight = weight + 1 WHERE id = {_RELATION}",
        "a relation doubled": "INSERT INTO relations SELECT (SELECT max(n) + 1 FROM relations), id,"
        " since + 1 - 2 * (since > 1), until, digest, source, target, weight, body FROM relations"
        f" WHERE id = {_RELATION} AND {_LIVE}",
        "evidence dropped": f"DELETE FROM evidence WHERE {_EVIDENCE}",
        "evidence in another chunk": "UPDATE evidence SET body = json_set(body, '$[0]', (SELECT max(chunk)"
        f" FROM chunks WHERE chunk <> json_extract(body, '$[0]'))) WHERE {_EVIDENCE}",
        "evidence that says another thing": "UPDATE evidence SET body = json_set(body, '$[1]', 'Never.')"
        f" WHERE {_EVIDENCE}",
        "evidence open to others": f"UPDATE evidence SET ground = {_OTHER_GROUND} WHERE {_EVIDENCE}",
        "evidence of no relation": 'INSERT INTO evidence VALUES (1000 + {seed}, 0, 1, \'["","",""]\')',
        "a community dropped": f"DELETE FROM communities WHERE id = {_COMMUNITY}",
        "a community's members": "UPDATE communities SET members = json_remove(members, '$[0]')"
        f" WHERE id = {_COMMUNITY}",
        "a community's parent": "UPDATE communities SET body = json_set(body, '$[0]', 'nobody')"
        f" WHERE id = {_COMMUNITY}",
        "a community's report": "UPDATE communities SET body = json_set(body, '$[2]', 'All is well.')"
        f" WHERE id = {_COMMUNITY}",
        "a community's classes": f"UPDATE communities SET classes = '[]' WHERE id = {_COMMUNITY}",
        "a community's size": f"UPDATE communities SET size = size + 1 WHERE id = {_COMMUNITY}",
        "a member that finds no community": "DELETE FROM members WHERE entity = (SELECT min(entity) FROM"
        " members WHERE entity > char(48 + {seed} % 8))",
        "a member of no community": "INSERT INTO members VALUES ('nobody', 5000 + {seed})",
        "how often an entity is named": "UPDATE tallies SET mentions = mentions + 1"
        f" WHERE entity = {_any('tallies', 'entity')}",
        "a count dropped": f"DELETE FROM tallies WHERE entity = {_any('tallies', 'entity')}",
        "a row of no kept generation": "INSERT INTO entities VALUES ('e{seed}', 0, 1, x'aa',"
        ' \'["Old",""]\')',
    }.items()
)
