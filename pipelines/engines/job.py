"""What the workers of a cluster are told of a build, and what they tell it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...indexer.errors import TreegraphError
from ...indexer.loaders.settings import LoadSettings
from ...indexer.models.in_place import InPlaceOf
from ...indexer.models.ports import Embedder
from ..config import Config
from .engine import PreparationWork


@dataclass(frozen=True, slots=True)
class EmbedderFace:
    """What is to be known of an embedder that computes elsewhere."""

    name: str
    dimension: int
    concurrency: int

    @classmethod
    def of(cls, embedder: Embedder) -> EmbedderFace:
        """The face of an embedder."""
        return cls(embedder.name, embedder.dimension, embedder.concurrency)


@dataclass(frozen=True, slots=True)
class Job:
    """A build, as its workers see it. ``code`` is the digest of the driver's code, ``ocr`` what it would read
    by OCR with, ``load`` how files are read with what it has at hand.

    ``llm``, ``vision`` and ``embedder`` are models that the driver asks on the workers' behalf, so that one
    pace, one cap and one cache hold for all; None for models that there are none of, and for an embedder that
    every worker loads itself.
    """

    id: str
    code: str
    ocr: str
    config: Config
    load: LoadSettings
    llm: InPlaceOf | None = None
    vision: InPlaceOf | None = None
    embedder: EmbedderFace | None = None


@dataclass(frozen=True, slots=True)
class EncodersFace:
    """The encoders that a worker loaded."""

    embedder: EmbedderFace
    sparse: str
    idf: bool


@dataclass(frozen=True, slots=True)
class FileWork:
    """What a worker took for a file: model calls, pages that were not read, and processor seconds by
    stage."""

    work: PreparationWork
    cpu_seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Raised:
    """An error that a worker met. It comes as a value: the cluster's own wrapping would change its class."""

    error: TreegraphError
