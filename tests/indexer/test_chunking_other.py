import uuid
from collections.abc import Sequence

import numpy as np
import pytest
from treegraph.indexer.chunking import ChunkSettings, cut
from treegraph.indexer.errors import ConfigurationError
from treegraph.indexer.models.ports import Vectors
from treegraph.indexer.models.tokenizer import load_tokenizer
from treegraph.indexer.types import Content, Cut, Document, Section

PLAIN = load_tokenizer("words")
ID = str(uuid.UUID(int=7))


def document(text: str, **content: object) -> Document:
    return Document(ID, "a/b.txt", "B", content=Content(text, "text/plain", **content))  # type: ignore[arg-type]


class ByTopic:
    """Embeds a text by which of its topics' words it holds: distances that can be foretold."""

    name = "topics"
    dimension = 3
    concurrency = 1

    def embed(self, texts: Sequence[str]) -> Vectors:
        counts = [[text.count("pump"), text.count("invoice"), 1e-3] for text in texts]
        vectors = np.array(counts, dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def embed_question(self, question: str) -> Vectors:
        vector: Vectors = self.embed([question])[0]
        return vector


def test_fixed_chunks_are_full_but_the_last() -> None:
    found = cut(document("pump " * 150), PLAIN, ChunkSettings(by="fixed", size=64))
    assert [c.token_count for c in found] == [64, 64, 22]
    assert "".join(c.text for c in found) == "pump " * 150


def test_an_overlap_repeats_the_end_of_the_one_before() -> None:
    text = " ".join(f"w{i}" for i in range(150))
    found = cut(document(text), PLAIN, ChunkSettings(by="fixed", size=64, overlap=16))
    assert [c.text.split()[0] for c in found] == ["w0", "w48", "w96"]
    assert found[-1].text.endswith("w149")


def test_semantic_chunks_part_where_the_topic_does() -> None:
    pump, invoice = "The pump moves the water on. ", "An invoice names all amounts. "
    text = pump * 8 + invoice * 8
    found = cut(document(text), PLAIN, ChunkSettings(by="semantic", size=80), ByTopic())
    assert "".join(c.text for c in found) == text
    assert [("pump" in c.text, "invoice" in c.text) for c in found] == [(True, False), (False, True)]


def test_semantic_chunks_keep_to_sections_and_size() -> None:
    text = "The pump moves the water on. " * 40
    middle = len(text) // 58 * 29
    found = cut(
        document(text, sections=(Section("A", 1, 0), Section("B", 1, middle))),
        PLAIN,
        ChunkSettings(by="semantic", size=64),
        ByTopic(),
    )
    assert middle in [c.span[0] for c in found]
    assert all(c.token_count <= 64 for c in found)


def test_semantic_needs_an_embedder() -> None:
    with pytest.raises(ConfigurationError, match="embedder"):
        cut(document("A pump."), PLAIN, ChunkSettings(by="semantic"))


def test_cuts_of_the_source_are_kept_exactly() -> None:
    text = "head\nfirst part\nsecond part\n\nlost words\nthird part\n"
    first, second, third = (text.index(word) for word in ("first", "second", "third"))
    cuts = (
        Cut("d#0", first, first + 10),
        Cut("d#1", second, second + 11),
        Cut("d#2", third, third + 10),
    )
    found = cut(document(text, cuts=cuts), PLAIN, ChunkSettings(size=16))
    assert [(c.record, c.text) for c in found] == [
        (None, "head\n"),
        ("d#0", "first part\n"),
        ("d#1", "second part\n\n"),
        (None, "lost words\n"),
        ("d#2", "third part\n"),
    ]


def test_cuts_may_overlap_and_be_of_any_size() -> None:
    text = "pump " * 100
    cuts = (Cut("a", 0, 300), Cut("b", 250, 400), Cut("c", 300, 350))
    found = cut(document(text, cuts=cuts), PLAIN, ChunkSettings(size=64))
    assert [(c.record, c.span) for c in found[:3]] == [("a", (0, 300)), ("b", (250, 400)), ("c", (300, 350))]
    assert [(c.record, c.span) for c in found[3:]] == [(None, (400, 500))]


def test_white_space_before_the_first_cut_goes_with_it() -> None:
    (chunk,) = cut(document("\n\npump", cuts=(Cut("a", 2, 6),)), PLAIN, ChunkSettings())
    assert (chunk.span, chunk.record) == ((0, 6), "a")
