"""treegraph: one structured index over manuals, and answers from it with file, page and section.

::

    import treegraph

    treegraph.build_index(["manuals/"], "treegraph.index")
    with treegraph.open_index("treegraph.index") as index:
        for hit in index.search("Which control bit enables SSE?", k=5):
            print(hit.score, hit.citations[0].source, hit.citations[0].pages, hit.text)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .indexer.types import Chunk, Citation, Content, Document, Hit
    from .pipelines.build import build_index
    from .pipelines.config import Config, load_config
    from .pipelines.events import Event
    from .pipelines.maintenance import gc, remove, rollback, status
    from .pipelines.opening import open_index
    from .pipelines.report import BuildReport, Failure
    from .query.index import Index
    from .query.result import SearchResult

_HOMES = {
    "build_index": "pipelines.build",
    "open_index": "pipelines.opening",
    "remove": "pipelines.maintenance",
    "gc": "pipelines.maintenance",
    "rollback": "pipelines.maintenance",
    "status": "pipelines.maintenance",
    "Config": "pipelines.config",
    "load_config": "pipelines.config",
    "Event": "pipelines.events",
    "BuildReport": "pipelines.report",
    "Failure": "pipelines.report",
    "Index": "query.index",
    "SearchResult": "query.result",
    "Chunk": "indexer.types",
    "Citation": "indexer.types",
    "Content": "indexer.types",
    "Document": "indexer.types",
    "Hit": "indexer.types",
}
_ERRORS = (
    "TreegraphError",
    "ConfigurationError",
    "RemovalRefused",
    "RouteUnavailable",
    "WorkError",
    "SourceUnreadable",
    "IndexNotFound",
    "IndexLocked",
    "IndexIncompatible",
    "GenerationGone",
    "StoreError",
    "StoreUnreachable",
    "StoreFull",
    "StoreInconsistent",
    "ModelUnavailable",
    "LoadError",
    "ModelCallError",
    "Cancelled",
)

__all__ = [*_HOMES, *_ERRORS]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: ``import treegraph`` alone loads nothing."""
    home = _HOMES.get(name) or ("indexer.errors" if name in _ERRORS else None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
