"""Documents to chunks: along the author's structure, by a fixed window, or where the meaning parts.

Whatever the way, the chunks cover the document: their spans follow one another without a gap (with an
overlap, or cuts of the source's own, they may overlap), and no character is lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .chunking_fixed import fixed_spans
from .chunking_outline import Outline
from .chunking_records import record_spans
from .chunking_ruler import Ruler, Span
from .chunking_semantic import semantic_spans
from .chunking_structure import structure_spans
from .errors import ConfigurationError
from .models.ports import Embedder, Tokenizer
from .types import Chunk, Content, Document, chunk_id

SMALLEST = 16


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """How documents are cut.

    ``size`` is the most tokens in a chunk, counted by ``tokenizer`` (a name that
    :func:`~treegraph.indexer.models.tokenizer.load_tokenizer` knows). ``overlap`` is for ``fixed`` only: the
    tokens that a chunk repeats of the one before. Raises ConfigurationError for what cannot be.
    """

    by: Literal["structure", "fixed", "semantic"] = "structure"
    size: int = 192
    overlap: int = 0
    tokenizer: str = "minilm"

    def __post_init__(self) -> None:
        if self.by not in ("structure", "fixed", "semantic"):
            raise ConfigurationError(f"chunk.by is structure, fixed or semantic, not {self.by!r}")
        if self.size < SMALLEST:
            raise ConfigurationError(f"chunk.size is at least {SMALLEST} tokens, not {self.size}")
        if not 0 <= self.overlap <= self.size // 2:
            raise ConfigurationError("chunk.overlap is between 0 and half of chunk.size")
        if self.overlap and self.by != "fixed":
            raise ConfigurationError('chunk.overlap needs chunk.by = "fixed"')


def cut(
    document: Document, tokenizer: Tokenizer, settings: ChunkSettings, embedder: Embedder | None = None
) -> list[Chunk]:
    """The chunks of a document with its content, in order; none if it holds nothing but whitespace.

    A document that comes with cuts of its own is cut exactly there, whatever the settings. ``semantic``
    needs the ``embedder``; without one it raises ConfigurationError. Raises ValueError for a document
    without content.
    """
    content = document.content
    if content is None:
        raise ValueError("the document has no content to cut")
    if not content.text.strip():
        return []
    tables = [(block.start, block.end) for block in content.blocks if block.kind == "table"]
    ruler = Ruler(content.text, tokenizer, tables)
    spans: list[Span]
    if content.cuts:
        marked = record_spans(content, ruler, settings.size)
        spans, records = [span for span, _ in marked], [record for _, record in marked]
    else:
        spans = [
            part
            for span in _spans(content, ruler, settings, embedder)
            for part in ruler.within(span, settings.size)
        ]
        records = [None] * len(spans)
    return _chunks(document, content, ruler, spans, records)


def _spans(content: Content, ruler: Ruler, settings: ChunkSettings, embedder: Embedder | None) -> list[Span]:
    if settings.by == "fixed":
        return fixed_spans(ruler, settings.size, settings.overlap)
    if settings.by == "structure":
        return structure_spans(content, ruler, settings.size)
    if embedder is None:
        raise ConfigurationError('chunk.by = "semantic" needs an embedder')
    return semantic_spans(content, ruler, settings.size, embedder)


def _chunks(
    document: Document,
    content: Content,
    ruler: Ruler,
    spans: Sequence[Span],
    records: Sequence[str | None],
) -> list[Chunk]:
    outline = Outline(content)
    seen: Counter[str] = Counter()
    chunks: list[Chunk] = []
    for ordinal, (span, record) in enumerate(zip(spans, records, strict=True)):
        text = content.text[span[0] : span[1]]
        ink = ruler.ink(span)
        pages = outline.within(ink)
        most = outline.most_of(ink)
        chunks.append(
            Chunk(
                id=chunk_id(document.id, text, seen[text]),
                document_id=document.id,
                ordinal=ordinal,
                text=text,
                span=span,
                token_count=ruler.count(span),
                section=outline.section(ink),
                pages=(pages[0].number, pages[-1].number) if pages else None,
                origin=most.origin if most else "text",
                kind=outline.kind(ink),
                record=record,
                confidence=outline.confidence(ink),
                boxes=outline.boxes(ink),
                parts=outline.parts(ink, span[0]),
            )
        )
        seen[text] += 1
    return chunks
