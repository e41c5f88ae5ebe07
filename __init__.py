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
    from .indexer.errors import (
        Cancelled,
        ConfigurationError,
        GenerationGone,
        IndexIncompatible,
        IndexLocked,
        IndexNotFound,
        LoadError,
        ModelCallError,
        ModelUnavailable,
        PageUnavailable,
        RemovalRefused,
        RouteUnavailable,
        SourceChanged,
        SourceGone,
        SourceUnreadable,
        StoreError,
        StoreFull,
        StoreInconsistent,
        StoreUnreachable,
        TreegraphError,
        WorkError,
    )
    from .indexer.types import (
        Chunk,
        Citation,
        Content,
        Document,
        Hit,
    )
    from .pipelines.build import (
        build_index,
    )
    from .pipelines.config import (
        Config,
        load_config,
    )
    from .pipelines.doctor.examination import (
        doctor,
    )
    from .pipelines.doctor.finding import (
        Diagnosis,
    )
    from .pipelines.events import (
        Event,
    )
    from .pipelines.exporting import (
        export_index,
    )
    from .pipelines.importing import (
        import_index,
    )
    from .pipelines.maintenance import (
        gc,
        rollback,
        status,
    )
    from .pipelines.opening import (
        open_index,
    )
    from .pipelines.planning.plan import (
        Plan,
    )
    from .pipelines.purging import (
        purge,
    )
    from .pipelines.removing import (
        remove,
    )
    from .pipelines.report import (
        BuildReport,
        Failure,
    )
    from .pipelines.runs import (
        runs,
    )
    from .pipelines.verification.finding import (
        Verification,
    )
    from .pipelines.verification.verify import (
        verify,
    )
    from .query.answer.result import (
        Answer,
        Sentence,
    )
    from .query.index import (
        Index,
    )
    from .query.looked import (
        Looked,
    )
    from .query.result import (
        SearchResult,
    )
    from .query.showing import (
        MarkedPage,
    )

__all__ = [
    "Answer",
    "BuildReport",
    "Cancelled",
    "Chunk",
    "Citation",
    "Config",
    "ConfigurationError",
    "Content",
    "Diagnosis",
    "Document",
    "Event",
    "Failure",
    "GenerationGone",
    "Hit",
    "Index",
    "IndexIncompatible",
    "IndexLocked",
    "IndexNotFound",
    "LoadError",
    "Looked",
    "MarkedPage",
    "ModelCallError",
    "ModelUnavailable",
    "PageUnavailable",
    "Plan",
    "RemovalRefused",
    "RouteUnavailable",
    "SearchResult",
    "Sentence",
    "SourceChanged",
    "SourceGone",
    "SourceUnreadable",
    "StoreError",
    "StoreFull",
    "StoreInconsistent",
    "StoreUnreachable",
    "TreegraphError",
    "Verification",
    "WorkError",
    "build_index",
    "doctor",
    "export_index",
    "gc",
    "import_index",
    "load_config",
    "open_index",
    "purge",
    "remove",
    "rollback",
    "runs",
    "status",
    "verify",
]

_HOMES = {
    "indexer.errors": (
        "Cancelled",
        "ConfigurationError",
        "GenerationGone",
        "IndexIncompatible",
        "IndexLocked",
        "IndexNotFound",
        "LoadError",
        "ModelCallError",
        "ModelUnavailable",
        "PageUnavailable",
        "RemovalRefused",
        "RouteUnavailable",
        "SourceChanged",
        "SourceGone",
        "SourceUnreadable",
        "StoreError",
        "StoreFull",
        "StoreInconsistent",
        "StoreUnreachable",
        "TreegraphError",
        "WorkError",
    ),
    "indexer.types": (
        "Chunk",
        "Citation",
        "Content",
        "Document",
        "Hit",
    ),
    "pipelines.build": ("build_index",),
    "pipelines.config": (
        "Config",
        "load_config",
    ),
    "pipelines.doctor.examination": ("doctor",),
    "pipelines.doctor.finding": ("Diagnosis",),
    "pipelines.events": ("Event",),
    "pipelines.exporting": ("export_index",),
    "pipelines.importing": ("import_index",),
    "pipelines.maintenance": (
        "gc",
        "rollback",
        "status",
    ),
    "pipelines.opening": ("open_index",),
    "pipelines.planning.plan": ("Plan",),
    "pipelines.purging": ("purge",),
    "pipelines.removing": ("remove",),
    "pipelines.report": (
        "BuildReport",
        "Failure",
    ),
    "pipelines.runs": ("runs",),
    "pipelines.verification.finding": ("Verification",),
    "pipelines.verification.verify": ("verify",),
    "query.answer.result": (
        "Answer",
        "Sentence",
    ),
    "query.index": ("Index",),
    "query.looked": ("Looked",),
    "query.result": ("SearchResult",),
    "query.showing": ("MarkedPage",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: ``import treegraph`` alone loads nothing."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
