"""Documents handed over by a program: added, replaced and taken out by their own ids. They mirror nothing."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ..indexer.digests import digest
from ..indexer.errors import ConfigurationError
from ..indexer.loaders.loaded import Loaded
from ..indexer.redaction.content import redact_loaded
from ..indexer.stores.folder import collect_garbage
from ..indexer.types import Content, Document, document_id
from .building import Build
from .config import Config
from .events import ignore_events
from .generation import GenerationBuilder
from .loading_models import Models
from .maintenance import writing
from .removing import remove_documents
from .report import BuildReport
from .situating import Place
from .spending import Caps, Spending

HANDED_OVER = ""
"""The root of documents that no source mirrors."""
_DESCRIBING = ("title", "labels", "edition", "language", "valid_from", "valid_until")


@dataclass(frozen=True, slots=True)
class IndexWriter:
    """Writes single documents into an index, each call one published generation."""

    path: Path
    config: Config
    models: Models

    def upsert(self, documents: Sequence[Any], caps: Caps) -> BuildReport:
        """Add or replace documents: ours with their content, or LlamaIndex's. Those that ``caps`` leave no
        room to embed are named in ``failed``. Raises ConfigurationError for anything else, and what a build
        raises."""
        models = self.models.paid_from(Spending(caps))
        by_id = {loaded.source: loaded for loaded in map(_loaded, documents)}
        handed = list(by_id.values())  # of documents with one id the last is meant
        with writing(self.path, "upsert") as folder:
            scope = digest(["upsert", [[loaded.source, loaded.version] for loaded in handed]])
            build = Build(
                folder, scope, self.config, models, ignore_events, threading.Event(), only_held=True
            )
            build.run(lambda builder: self._put(build, builder, handed))
            report = build.finish()
            if report.generation is not None:
                collect_garbage(folder)
            return report

    def delete(self, ids: Sequence[str]) -> BuildReport:
        """Take out documents that were handed over, by the ids that they came with. Unknown ids are no
        error: they are gone already."""
        wanted = set(ids)
        return remove_documents(
            self.path,
            lambda rows: [row for row in rows if row.root == HANDED_OVER and row.file in wanted],
            self.config,
            self.models,
            command="delete",
        )

    def _put(self, build: Build, builder: GenerationBuilder, handed: Sequence[Loaded]) -> None:
        situating = build.situating()
        index_id = build.folder.manifest().index_id
        for given in handed:
            loaded = given if build.redactor is None else redact_loaded(given, build.redactor)
            own = document_id(index_id, f"{HANDED_OVER}\n{loaded.source}")
            place = Place(own, loaded.source, HANDED_OVER)
            prepared = situating.prepare(loaded, place)
            build.report.add(prepared.document.redacted, "redacted")
            build.accounts.note_failures(builder.put(prepared))
        build.accounts.note_failures(builder.drain())
        build.accounts.count_models("context", situating.counts)


def _loaded(document: Any) -> Loaded:
    if isinstance(document, Document):
        if document.content is None:
            raise ConfigurationError(f"document {document.id} has no content to index")
        metadata = {key: value for key in _DESCRIBING if (value := getattr(document, key))}
        return _as_loaded(document.id, document.content, {**document.fields, **metadata})
    text, own = getattr(document, "text", None), getattr(document, "id_", None)
    if not isinstance(text, str) or not isinstance(own, str):
        raise ConfigurationError(
            f"upsert takes treegraph.Document or LlamaIndex documents, not {type(document).__name__}"
        )
    return _as_loaded(own, Content(text, "text/plain"), dict(getattr(document, "metadata", {}) or {}))


def _as_loaded(own: str, content: Content, metadata: Mapping[str, Any]) -> Loaded:
    content = replace(content, text=_encodable(content.text))
    version = hashlib.sha256(repr((asdict(content), sorted(metadata.items(), key=str))).encode()).hexdigest()
    return Loaded(own, version, content, metadata)


def _encodable(text: str) -> str:
    """``text`` without lone surrogates, which no tokenizer or store takes."""
    return text.encode("utf-8", "replace").decode("utf-8")
