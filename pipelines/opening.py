"""Opening and making indexes: the folder with its stores, the models that the configuration names."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..indexer.errors import IndexIncompatible, IndexNotFound
from ..indexer.stores.folder import IndexFolder, graph_store, vector_store
from ..indexer.stores.manifest import Manifest, read_manifest
from .config import Config
from .spending import Caps, spending_under

if TYPE_CHECKING:
    from ..query.index import Index
    from .loading_models import Models
    from .report import BuildReport

DEFAULT_INDEX = "treegraph.index"


def index_path(index: str | os.PathLike[str] | None = None) -> Path:
    """The index's folder: what was named, else ``$TREEGRAPH_INDEX``, else ``treegraph.index`` here."""
    return Path(index or os.environ.get("TREEGRAPH_INDEX") or DEFAULT_INDEX)


def open_or_create(path: Path, config: Config, index_id: str | None) -> IndexFolder:
    """The index in ``path``, made where there is none."""
    try:
        folder = IndexFolder.open(path)
    except IndexNotFound:
        _reach(config)
        return IndexFolder.create(path, index_id, stores_of(config))
    manifest = folder.manifest()
    if index_id is not None and manifest.index_id != index_id:
        raise IndexIncompatible(f"{path} has the index id {manifest.index_id}, not {index_id}")
    for what, asked, key in (
        ("vectors", config.stores.qdrant, "qdrant_url"),
        ("graph", config.stores.neo4j, "neo4j_url"),
    ):
        if asked and manifest.stores.get(key) != asked:
            where = manifest.stores.get(key, "its own folder")
            raise IndexIncompatible(
                f"{path} keeps its {what} in {where}, not at {asked}; build a new index for that"
            )
    return folder


def _reach(config: Config) -> None:
    """Talk to the servers of an index to be made: a mistyped address must not become the index's own."""
    if config.stores.qdrant:
        vector_store(config.stores.qdrant, str(uuid.uuid4())).close()
    if config.stores.neo4j:
        graph_store(config.stores.neo4j, str(uuid.uuid4())).close()


def open_index(
    index: str | os.PathLike[str] | None = None,
    *,
    config: Config | None = None,
    embedder: Any = None,
    llm: Any = None,
    reranker: Any = None,
    vision: Any = None,
    follow: bool = False,
    max_cost: float | None = None,
    max_calls: int | None = None,
    max_seconds: float | None = None,
) -> Index:
    """Open an index to search and read it; a context manager, safe from several threads.

    It pins the generation that is published now until ``refresh()``; with ``follow`` it moves along with
    each publish. ``vision`` is a LlamaIndex LLM that takes images, for :meth:`.Index.look`. The caps hold all
    paid calls of searches and answers from now on together, as those of a build: at one answers are extracts,
    and an embedding that is paid for is done without (``degraded`` names ``llm``, ``dense``). Raises
    IndexNotFound, IndexIncompatible or ConfigurationError.
    """
    from ..query.index import Index
    from ..query.models import ModelLoaders
    from ..query.read_settings import ReadSettings
    from ..query.rerank import RerankLimits
    from ..query.sight import Sight
    from .loading_models import Models
    from .page_pictures import FilePictures

    config = config or Config()
    path = index_path(index)
    caps = Caps(max_cost, max_calls, max_seconds)
    spending = spending_under(caps)
    held = None if spending.caps == Caps() else spending
    models = Models(config, embedder, llm, reranker, vision, held)
    models.check_paid(answering=True)
    loaders = ModelLoaders(
        models.embedder,
        models.sparse,
        models.reranker if models.reranks else None,
        models.llm,
        models.vision if models.vision_asked else None,
    )
    folder = IndexFolder.open(path)
    sight = Sight(FilePictures(config), config.vision.dpi, config.vision.max_pixels)
    settings = ReadSettings(
        config.search,
        RerankLimits(config.rerank.candidates, config.rerank.seconds),
        config.tree_read,
        config.graph_read,
        config.router,
        config.answer,
    )
    return Index(folder, loaders, settings, follow, _Writer(path, config, models), sight)


class _Writer:
    """The open index's writer; the write side is imported when it first writes."""

    def __init__(self, path: Path, config: Config, models: Models) -> None:
        self._parts = (path, config, models)
        self._one_at_a_time = threading.Lock()

    def upsert(
        self,
        documents: Sequence[Any],
        max_cost: float | None,
        max_calls: int | None,
        max_seconds: float | None,
    ) -> BuildReport:
        """See :meth:`Index.upsert`."""
        from .updates import IndexWriter

        with self._one_at_a_time:
            return IndexWriter(*self._parts).upsert(documents, Caps(max_cost, max_calls, max_seconds))

    def delete(self, ids: Sequence[str]) -> BuildReport:
        """See :meth:`Index.delete`."""
        from .updates import IndexWriter

        with self._one_at_a_time:
            return IndexWriter(*self._parts).delete(ids)


def check_models(manifest: Manifest, models: Mapping[str, str], dimension: int) -> None:
    """Refuse to add to an index what another model made. Raises IndexIncompatible."""
    if manifest.published is None or manifest.published not in manifest.generations:
        return
    entry = manifest.generations[manifest.published]
    for role, name in models.items():
        if entry.models.get(role, name) != name:
            raise IndexIncompatible(
                f"this index was made with {role} {entry.models[role]}, the configuration asks for {name}; "
                "set [embed] as it was, or have all of it embedded anew: treegraph build --reembed"
            )
    if entry.dimension != dimension:
        raise IndexIncompatible(f"this index has {entry.dimension} dimensions, the model makes {dimension}")


def stores_of(config: Config) -> dict[str, str]:
    """Where an index made under ``config`` keeps its vectors and its graph, as its manifest says it."""
    vectors = (
        {"vectors": "qdrant", "qdrant_url": config.stores.qdrant}
        if config.stores.qdrant
        else {"vectors": "edge"}
    )
    graph = {"graph": "neo4j", "neo4j_url": config.stores.neo4j} if config.stores.neo4j else {}
    return {**vectors, **graph}


def exists(path: Path) -> bool:
    """Whether there is an index in ``path`` at all."""
    try:
        read_manifest(path)
    except IndexNotFound:
        return False
    return True


def holds(path: Path, structure: str) -> bool:
    """Whether there is an index in ``path`` whose published generation has this structure."""
    try:
        manifest = read_manifest(path)
    except IndexNotFound:
        return False
    entry = manifest.generations.get(manifest.published or 0)
    return entry is not None and structure in entry.structures
