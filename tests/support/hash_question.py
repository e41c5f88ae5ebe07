"""An English question as the retrievers take it, encoded by the fake encoder and the real words."""

from __future__ import annotations

from hash_embedder import FakeHashEmbedder
from treegraph.indexer.words import WordEncoder
from treegraph.query.question import Question

WORDS = WordEncoder()


def hash_question(text: str, embedder: FakeHashEmbedder) -> Question:
    return Question(
        text=text,
        dense=embedder.embed_question(text),
        sparse=WORDS.encode_question(text, ["en"]),
        terms=WORDS.terms(text, ["en"]),
        languages=("en",),
    )
