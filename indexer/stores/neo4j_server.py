"""One Neo4j database, as one index speaks with it: managed transactions, bounded retries, named errors."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from ..errors import StoreError, TreegraphError
from .addresses import without_secrets
from .neo4j_errors import server_errors
from .neo4j_strings import packed, unpacked

if TYPE_CHECKING:
    from neo4j import Driver, ManagedTransaction

T = TypeVar("T")
Statement = tuple[str, Mapping[str, Any]]
"""A Cypher constant and its parameters. ``_INDEX`` in it stands for the suffix of the index's own labels."""

MAJOR, OLDEST = 5, (5, 26)
_COMMITS = 5
"""How often a transaction is begun again whose commit got no answer: all that is written is idempotent."""


class Neo4jServer:
    """Runs statements for the index of ``index_id`` (a UUID: its hexadecimal digits are in labels).

    Each statement has the parameter ``$index`` beside its own.
    """

    def __init__(self, driver: Driver, index_id: str, url: str, database: str | None) -> None:
        self.index = uuid.UUID(index_id).hex
        self.url = without_secrets(url)
        self._driver = driver
        self._database = database

    def agent(self) -> str:
        """What the server says that it is, as ``Neo4j/5.26.12``. Raises StoreUnreachable or StoreError."""
        with server_errors(self.url):
            return str(self._driver.get_server_info().agent)

    def require_version(self) -> None:
        """Raises StoreError unless this is a Neo4j 5 from 5.26 on with that database, or StoreUnreachable."""
        agent = self.agent()
        number = agent.partition("/")[2].split("-")[0].split(".")
        version = tuple(int(part) for part in number[:2] if part.isdecimal())
        if not (agent.startswith("Neo4j/") and len(version) == 2 and OLDEST <= version < (MAJOR + 1,)):
            raise StoreError(
                f"the server at {self.url} is {agent}; treegraph needs Neo4j 5, from 5.26 on"
                " (compose.yaml starts one)"
            )
        self.rows("RETURN 1")  # the database that is named is there, too

    def read(self, *statements: Statement) -> list[list[list[Any]]]:
        """The rows that each statement gives, all in one transaction."""
        return self.reading(lambda run: [run(*statement) for statement in statements])

    def rows(self, cypher: str, **parameters: Any) -> list[list[Any]]:
        """The rows that one statement gives."""
        return self.read((cypher, parameters))[0]

    def reading(self, work: Callable[[Run], T]) -> T:
        """Run ``work`` in a read transaction; it may run more than once."""
        return self._managed(work, "execute_read")

    def writing(self, work: Callable[[Run], T]) -> T:
        """Run ``work`` in a write transaction; it may run, and even be committed, more than once."""
        from neo4j.exceptions import IncompleteCommit

        for left in reversed(range(_COMMITS)):
            try:
                return self._managed(work, "execute_write")
            except TreegraphError as error:
                if not left or not isinstance(error.__cause__, IncompleteCommit):
                    raise
        raise AssertionError("the last attempt returns or raises")

    def write(self, cypher: str, **parameters: Any) -> list[list[Any]]:
        """One statement in a write transaction of its own."""
        return self.writing(lambda run: run(cypher, parameters))

    def repeat(self, cypher: str, **parameters: Any) -> list[list[Any]]:
        """Run a statement that does at most ``$batch`` things and returns their number first, until nothing
        is left to do. Returns its rows."""
        done: list[list[Any]] = []
        while True:
            (row,) = self.write(cypher, **parameters, batch=BATCH)
            if not row[0]:
                return done
            done.append(row)

    def close(self) -> None:
        """Let go of connections."""
        self._driver.close()

    def _managed(self, work: Callable[[Run], T], method: str) -> T:
        def within(transaction: ManagedTransaction) -> T:
            return work(lambda cypher, given: self._run(transaction, cypher, given))

        # Filtered here and not by the driver, which would refuse a server of version 4 for that, not its age.
        options: dict[str, Any] = {"database": self._database, "notifications_min_severity": "OFF"}
        with server_errors(self.url), self._driver.session(**options) as session:
            result: T = getattr(session, method)(within)
            return result

    def _run(self, transaction: ManagedTransaction, cypher: str, given: Mapping[str, Any]) -> list[list[Any]]:
        # The suffix comes from a UUID and is no value: a label cannot be a parameter and use an index.
        text: Any = cypher.replace("_INDEX", f"_{self.index}")
        result = transaction.run(text, {"index": self.index, **packed(dict(given))})
        return [unpacked(row) for row in result.values()]


Run = Callable[[str, Mapping[str, Any]], list[list[Any]]]
BATCH = 5000
SCHEMES = tuple(f"{scheme}{tls}" for scheme in ("bolt", "neo4j") for tls in ("", "+s", "+ssc"))


def require_address(url: str) -> None:
    """Raises StoreError unless ``url`` is the address of a Neo4j server, without user and password."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in SCHEMES and parts.hostname and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        good = False
    if not good:
        raise StoreError(
            f"cannot use {without_secrets(url)} as the address of a Neo4j server: it is like"
            " neo4j://host:7687 or bolt://host:7687 (+s for TLS), without user and password"
        )
