"""The graph of many indexes in one Neo4j database, in a shape that a person can look at.

::

    (:Entity {name, type})-[:RELATES {type, weight, description}]->(:Entity)
    (:Chunk {ordinal, source, title})-[:MENTIONS {role, count, names}]->(:Entity)
    (:Entity)-[:IN]->(:Community {level, title, report})-[:PART_OF]->(:Community)
    (:Chunk)-[:ON]->(:Page {number})-[:OF]->(:Document {source, title})
    (:Entity)-[:NAMED]->(:Name {form})

The evidence of a relation lies on RELATES in lists of one length: ``chunks``, ``documents``, ``sentences``,
``conditions``, ``accesses``. Every node has the property ``index`` and a label of its index alone beside its
own (``Entity_<hex>``), every versioned relationship has the property; keys are unique together with it. A
chunk without pages is OF its document itself.

**Generations.** What generation ``h`` writes has ``since = h``; what it replaces or ends has ``until = h``,
and without ``until`` it holds still. Generation ``g`` is what has ``since <= g`` and no ``until <= g``.

*Mentions and relations* are versioned relationships between nodes that stay: a row that changes is ended and
written anew beside its former self.

*Chunks, entities and communities* are one node each, whatever happens to them, so that a chunk that moves to
another page or an entity whose name changes keeps the relationships of both generations without a copy. The
node is its newest state. The states before that, as far as a kept generation needs them, are nodes of their
own without relationships: ``(:Past:Chunk_<hex> {kind: 'Chunk', id, since, until, ...})``. A scan for the own
label so finds every state. A state that is taken back, within its generation or by a rollback, makes room
for the newest past one. A node that only relationships speak of has no state (no ``since``) and goes with
them.

*ON, OF, IN and PART_OF* follow from the state of the chunk or community and have its ``since`` and ``until``.
*NAMED* leads from a name to entities that some kept mention spells so; who reads asks the mention as well.
Documents show the newest source and title. ``(:Index {begun})`` is the newest generation that began with
nothing.

Everything is written in managed transactions whose repetition changes nothing, so that a retry, or the same
build after a crash of either side, ends in the same graph.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import StoreError
from . import neo4j_soundness as soundness
from .graph_ports import Slip
from .neo4j_errors import server_errors
from .neo4j_forget import erase, forget, is_empty
from .neo4j_schema import STATES, make_schema
from .neo4j_server import Neo4jServer, require_address
from .neo4j_snapshot import Neo4jSnapshot
from .neo4j_writer import Neo4jWriter

if TYPE_CHECKING:
    from neo4j import Driver

RETRY_SECONDS = 30.0
_CONNECT_SECONDS = 10.0
_OTHERS = "MATCH (d:Document) WHERE d.index <> $index RETURN DISTINCT d.index"


def connect(
    url: str,
    user: str,
    password: str | None,
    index_id: str,
    database: str | None = None,
    retry_seconds: float = RETRY_SECONDS,
    ca: str | None = None,
    connect_seconds: float | None = None,
) -> Neo4jGraphStore:
    """The store of one index on the server at ``url`` (``bolt://`` or ``neo4j://``; ``+s`` for TLS, with a
    certificate that an authority of the system vouches for, or one in the file ``ca``).

    Without a password none is sent. Without ``database`` it is the user's own. The server has
    ``connect_seconds`` to answer at first (None: as long as is usual); then failures that pass are tried
    again for ``retry_seconds``.
    Raises StoreUnreachable where nothing answers, StoreError on what is no address, a refused password,
    another version than 5.26 to 5.x, a database that is not there, or without the driver's package.
    """
    options: dict[str, Any] = {
        "auth": (user, password) if password else None,
        "max_transaction_retry_time": retry_seconds,
        "connection_timeout": connect_seconds or _CONNECT_SECONDS,
        "user_agent": "treegraph",
    }
    if connect_seconds is not None:
        # which a server that is silent is held to
        options["connection_acquisition_timeout"] = connect_seconds
    server = Neo4jServer(_driver(url, ca, options), index_id, url, database)
    try:
        server.require_version()
    except BaseException:
        server.close()
        raise
    return Neo4jGraphStore(server)


def _driver(url: str, ca: str | None, options: dict[str, Any]) -> Driver:
    """The package's driver for a server, whose certificate ``ca`` vouches for where that is given."""
    try:
        from neo4j import GraphDatabase, TrustCustomCAs
    except ImportError as error:
        raise StoreError(
            f"a Neo4j server needs a package ({error}): pip install 'treegraph[neo4j]'"
        ) from error

    require_address(url)
    address = url
    if ca and "+s://" in url:  # to the driver +s says that the system's authorities are asked, and no others
        address = url.replace("+s://", "://", 1)
        options = {**options, "encrypted": True, "trusted_certificates": TrustCustomCAs(ca)}
    with server_errors(url):
        return GraphDatabase.driver(address, **options)


class Neo4jGraphStore:
    """The graph of one index. Makes constraints and indexes before it first writes."""

    def __init__(self, server: Neo4jServer) -> None:
        self._server = server
        self._ready = False

    def read(self, generation: int) -> Neo4jSnapshot:
        """Open a published generation. Nothing is asked of the server yet."""
        return Neo4jSnapshot(self._server, generation)

    def write(self, generation: int, base: int | None) -> Neo4jWriter:
        """Start a generation on top of ``base``, or go on with it."""
        if not self._ready:
            make_schema(self._server)
            self._ready = True
        return Neo4jWriter(self._server, generation, base)

    def inspect(self) -> tuple[str, dict[str, str]]:
        """What the server says that it is, and the states of treegraph's indexes there by their names."""
        return self._server.agent(), dict(self._server.rows(STATES))

    def forget(self, keep: Sequence[int], newest: int | None) -> int:
        """See :class:`GraphStore`. Returns how many rows went."""
        return forget(self._server, keep, newest)

    def purge(self) -> None:
        """See :class:`GraphStore`. What was deleted is the server's to overwrite."""

    def unneeded(self, keep: Sequence[int], newest: int) -> Iterator[Slip]:
        """See :class:`GraphStore`. Of mentions and relations."""
        return soundness.unneeded(self._server, keep)

    def distrust(self, slips: Sequence[Slip]) -> None:
        """See :class:`GraphStore`."""
        soundness.distrust(self._server, slips)

    def erase(self) -> None:
        """Erase all that this index has in the database, its full-text index included."""
        self._ready = False
        erase(self._server)

    def others(self) -> list[str]:
        """See :class:`GraphStore`."""
        return sorted(str(uuid.UUID(row[0])) for row in self._server.rows(_OTHERS))

    def empty(self) -> bool:
        """See :class:`GraphStore`."""
        return is_empty(self._server)

    def close(self) -> None:
        """Let go of connections."""
        self._server.close()
