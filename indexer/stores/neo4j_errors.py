"""What Neo4j's driver raises, as errors that say what to do about each cause."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..error_lines import first_line
from ..errors import StoreError, StoreFull, StoreUnreachable
from .authorities import NEO4J_CA, untrusted

if TYPE_CHECKING:
    from neo4j.exceptions import DriverError, Neo4jError

_START = "start the server (docker compose up --detach --wait) or check the address, and run again"
_LIMITED = "Neo.ClientError.Security.AuthenticationRateLimit"
_NO_DATABASE = "Neo.ClientError.Database.DatabaseNotFound"
_AWAY = ("DatabaseUnavailable", "ServerUnavailable", "UnableToRoute", "RoutingTableError")
_READ_ONLY = ("ReadOnly", "NotALeader", "WriteOnReadOnly", "Forbidden", "AccessMode")
_NO_MEMORY = ("OutOfMemory", "MemoryPool", "MemoryLimit", "StackOverFlow")
_NO_ROOM = ("no space left", "disk quota", "not enough space", "disk is full")


@contextmanager
def server_errors(url: str) -> Iterator[None]:
    """Turn what the driver raises into StoreUnreachable, StoreFull or StoreError about ``url``."""
    from neo4j.exceptions import AuthError, DriverError, Neo4jError

    try:
        yield
    except (AuthError, Neo4jError) as error:
        raise _refused(url, error) from error
    except DriverError as error:
        raise _unanswered(url, error) from error
    except (OSError, ValueError) as error:
        raise StoreUnreachable(f"cannot reach Neo4j at {url}: {error}; {_START}") from error


def _refused(url: str, error: Neo4jError) -> StoreError:
    """The server answered that it will not."""
    from neo4j.exceptions import AuthError

    code, told = error.code or "", (error.message or str(error)).splitlines()[0]
    whole = f"{error} {error.__cause__ or ''}".lower()
    if code == _LIMITED:
        return StoreError(
            f"Neo4j at {url} had too many wrong passwords: wait a minute, then set the right one"
        )
    if isinstance(error, AuthError) or code.startswith("Neo.ClientError.Security.Unauth"):
        return StoreError(
            f"Neo4j at {url} refuses user and password: set TREEGRAPH_NEO4J_PASSWORD to the right one"
        )
    if code == _NO_DATABASE:
        return StoreError(f"Neo4j at {url} has no such database ({told}): create it, or name another")
    if any(word in whole for word in _NO_ROOM):
        return StoreFull(f"no room left on the disk of Neo4j at {url}: free some and run again")
    if any(word in code for word in _NO_MEMORY):
        return StoreFull(
            f"Neo4j at {url} is out of memory ({told}): give it more"
            " (server.memory.heap.max_size, dbms.memory.transaction.total.max) and run again"
        )
    if any(word in code for word in _AWAY):
        return StoreUnreachable(f"Neo4j at {url} cannot serve now ({told}): run again in a while")
    if any(word in code for word in _READ_ONLY):
        return StoreError(
            f"Neo4j at {url} does not take writes from here ({told}): open the database for writing,"
            " name the server that leads (neo4j:// finds it), or use a user who may write"
        )
    return StoreError(f"Neo4j at {url} failed: {told} ({code}); its log says more")


def _unanswered(url: str, error: DriverError) -> StoreError:
    """The driver got no answer, or none that it understands."""
    from neo4j.exceptions import ConfigurationError, UnsupportedServerProduct

    if isinstance(error, UnsupportedServerProduct):
        return StoreError(f"what answers at {url} is no Neo4j that treegraph knows: {error}")
    if isinstance(error, ConfigurationError):
        return StoreError(f"cannot use Neo4j at {url}: {error}")
    told = first_line(error)
    if untrusted(error):
        return StoreError(
            f"the certificate of Neo4j at {url} is not trusted ({told}); set {NEO4J_CA} to the file of the "
            "authority that signed it"
        )
    return StoreUnreachable(f"Neo4j at {url} does not answer ({told}); {_START}")
