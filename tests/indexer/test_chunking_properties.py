import itertools
import uuid

from hypothesis import given, settings
from hypothesis import strategies as st
from treegraph.indexer.chunking import ChunkSettings, cut
from treegraph.indexer.context import ContextSettings, context_room, situate
from treegraph.indexer.models.ports import Tokenizer
from treegraph.indexer.models.tokenizer import load_tokenizer
from treegraph.indexer.pages import Page
from treegraph.indexer.types import Block, Chunk, Content, Cut, Document, Section, chunk_id

TOKENIZERS = [load_tokenizer("minilm"), load_tokenizer("words")]
ID = str(uuid.UUID(int=7))
PIECES = [
    "word ", "Another. ", "\n", "\n\n", "这是泵。", "日本", "كتاب؟ ", "펌프 ", "ปั๊ม", "x" * 40, "A" * 130,
    "- item\n", "| a | b |\n", "# Title\n", "    if a:\n", "}\n", "\t", "1.5 ", "é", "🎉", "\u00a0", "\x00",
    "e.g. ",
]  # fmt: skip
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=300),
    st.lists(st.sampled_from(PIECES), max_size=120).map("".join),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map(lambda some: "".join(some) * 25),
)


@st.composite
def documents(draw: st.DrawFn, *, precut: bool = False) -> Document:
    text = draw(TEXTS)
    offsets = st.integers(0, len(text))
    starts = sorted(draw(st.lists(offsets, max_size=6)))
    levels = draw(st.lists(st.integers(1, 5), min_size=len(starts), max_size=len(starts)))
    edges = sorted(draw(st.sets(offsets, max_size=6)))
    pairs = list(zip(edges[::2], edges[1::2], strict=False))
    turns = [0, *sorted(draw(st.lists(offsets, max_size=4))), len(text)]
    pages = tuple(Page(i + 1, a, b) for i, (a, b) in enumerate(itertools.pairwise(turns)))
    content = Content(
        text,
        "text/plain",
        sections=tuple(Section(f"s{i}", n, at) for i, (n, at) in enumerate(zip(levels, starts, strict=True))),
        pages=pages if draw(st.booleans()) else (),
        blocks=()
        if precut
        else tuple(Block(draw(st.sampled_from(["table", "code"])), a, b) for a, b in pairs),
        cuts=tuple(Cut(str(i), a, b) for i, (a, b) in enumerate(pairs) if text[a:b].strip())
        if precut
        else (),
    )
    return Document(ID, "a/b", "A manual", content=content)


def counted(text: str, tokenizer: Tokenizer) -> int:
    """Tokens of a text, but for marks that may only rule a table."""
    return tokenizer.count(text) - sum(text.count(mark) for mark in "|-:")


def check(document: Document, chunks: list[Chunk], tokenizer: Tokenizer) -> None:
    """What holds for the chunks of any document, however it was cut."""
    assert document.content is not None
    text = document.content.text
    if not text.strip():
        assert not chunks
        return
    assert (min(c.span[0] for c in chunks), max(c.span[1] for c in chunks)) == (0, len(text))
    reached = 0
    for number, chunk in enumerate(chunks):
        assert chunk.ordinal == number
        assert chunk.text == text[slice(*chunk.span)]
        assert chunk.text.strip()
        assert chunk.span[0] <= reached
        reached = max(reached, chunk.span[1])
        earlier = sum(other.text == chunk.text for other in chunks[:number])
        assert chunk.id == chunk_id(ID, chunk.text, earlier)
        assert (chunk.pages is None) == (not document.content.pages)


def is_tiled(chunks: list[Chunk]) -> bool:
    return all(a.span[1] == b.span[0] for a, b in itertools.pairwise(chunks))


@settings(max_examples=150, deadline=None)
@given(documents(), st.integers(16, 80), st.sampled_from(TOKENIZERS))
def test_structure_tiles_any_document_within_the_size(
    document: Document, size: int, tokenizer: Tokenizer
) -> None:
    chunks = cut(document, tokenizer, ChunkSettings(size=size))
    check(document, chunks, tokenizer)
    assert is_tiled(chunks)
    assert all(c.token_count <= size and counted(c.text, tokenizer) <= size for c in chunks)
    assert cut(document, tokenizer, ChunkSettings(size=size)) == chunks


@settings(max_examples=100, deadline=None)
@given(documents(), st.integers(16, 80), st.integers(0, 8), st.sampled_from(TOKENIZERS))
def test_fixed_covers_any_document_within_the_size(
    document: Document, size: int, overlap: int, tokenizer: Tokenizer
) -> None:
    chunks = cut(document, tokenizer, ChunkSettings(by="fixed", size=size, overlap=overlap))
    check(document, chunks, tokenizer)
    assert overlap or is_tiled(chunks)
    assert all(c.token_count <= size and counted(c.text, tokenizer) <= size for c in chunks)
    assert all(a.span[0] < b.span[0] and a.span[1] < b.span[1] for a, b in itertools.pairwise(chunks))


@settings(max_examples=100, deadline=None)
@given(documents(precut=True), st.integers(16, 80))
def test_cuts_are_kept_and_nothing_between_them_is_lost(document: Document, size: int) -> None:
    chunks = cut(document, TOKENIZERS[1], ChunkSettings(size=size))
    check(document, chunks, TOKENIZERS[1])
    assert document.content is not None
    recorded = [(c.record, c.text.strip()) for c in chunks if c.record is not None]
    text = document.content.text
    assert recorded == [(c.record, text[c.start : c.end].strip()) for c in document.content.cuts]


@settings(max_examples=60, deadline=None)
@given(documents(), st.integers(0, 80))
def test_contexts_keep_to_their_budget_and_leave_the_rest_alone(document: Document, budget: int) -> None:
    tokenizer = TOKENIZERS[0]
    chunks = cut(document, tokenizer, ChunkSettings(size=32))
    situated = situate(document, chunks, ContextSettings(budget=budget), tokenizer)
    assert [(c.id, c.text, c.span) for c in situated] == [(c.id, c.text, c.span) for c in chunks]
    assert all(tokenizer.count(c.context) <= context_room(c, budget) for c in situated)
    assert situated == situate(document, chunks, ContextSettings(budget=budget), tokenizer)
