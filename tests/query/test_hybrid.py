"""The hybrid retriever over a real store."""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hash_embedder import FakeHashEmbedder
from hash_question import hash_question
from treegraph.indexer.models.ports import SparseVector
from treegraph.indexer.stores.edge import EdgeVectorStore
from treegraph.indexer.stores.ports import Filter, Row, VectorSnapshot
from treegraph.indexer.words import WordEncoder
from treegraph.query.access import Access
from treegraph.query.hybrid import HybridRetriever
from treegraph.query.pool import gather
from treegraph.query.question import Question
from treegraph.query.settings import SearchSettings
from treegraph.query.term_weights import TermWeights

EMBEDDER, WORDS = FakeHashEmbedder(), WordEncoder()
TEXTS = [f"the pump number {n} feeds boiler {n % 7}" for n in range(40)] + ["same words"] * 3
HIDDEN = 13


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VectorSnapshot]:
    store = EdgeVectorStore(tmp_path_factory.mktemp("hybrid") / "vectors")
    writer = store.write(1, None, EMBEDDER.dimension, idf=True)
    writer.upsert([row(n, text) for n, text in enumerate(TEXTS)])
    writer.commit()
    writer.seal(len(TEXTS))
    opened = store.read(1)
    yield opened
    opened.close()
    store.close()


def row(number: int, text: str) -> Row:
    key = str(uuid.uuid5(uuid.NAMESPACE_OID, str(number)))
    payload = {
        "id": key, "kind": "chunk", "level": 0, "document": f"d{number}", "ordinal": 0, "text": text,
        "class": "hidden" if number == HIDDEN else "public", "context": "", "language": "en",
    }  # fmt: skip
    return Row(key, payload, EMBEDDER.embed_question(text), WORDS.encode([text], ["en"])[0])


def ask(text: str) -> Question:
    return hash_question(text, EMBEDDER)


def texts(found: Sequence[object]) -> list[str]:
    return [candidate.payload["text"] for candidate in found]  # type: ignore[attr-defined]


def test_every_candidate_is_scored_in_both_lists(snapshot: VectorSnapshot) -> None:
    question = ask("pump number 21 boiler")
    pool = gather(snapshot, question, Filter(), Filter(), 5)
    everything = Filter(kinds=("chunk",))
    cosine = {hit.key: hit.score for hit in snapshot.dense(question.dense, everything, 99)}
    weight = {hit.key: hit.score for hit in snapshot.sparse(question.sparse, everything, everything, 99)}
    assert len(pool.dense_ranks) == len(pool.sparse_ranks) == 5 < len(pool.keys)
    for key, dense, sparse in zip(pool.keys, pool.dense, pool.sparse, strict=True):
        assert dense == pytest.approx(cosine[key], abs=1e-6)
        assert sparse == pytest.approx(weight.get(key, 0.0), rel=1e-5)
    found = HybridRetriever(snapshot, SearchSettings(prefetch=5))(question, Access(), 3).candidates
    assert texts(found)[0] == "the pump number 21 feeds boiler 0"


def test_ranks_follow_the_scores(snapshot: VectorSnapshot) -> None:
    found = HybridRetriever(snapshot, SearchSettings())(ask("pump number 21"), Access(), 30).candidates
    assert [candidate.ranks["fused"] for candidate in found] == list(range(1, len(found) + 1))
    scores = [candidate.score for candidate in found]
    assert scores == sorted(scores, reverse=True)
    lifted = next(c for c in found if c.match.pairs == 1)
    assert lifted.ranks["fused"] <= lifted.ranks["blended"]  # type: ignore[operator]


def test_equal_candidates_stand_in_the_order_of_their_keys(snapshot: VectorSnapshot) -> None:
    found = HybridRetriever(snapshot, SearchSettings())(ask("same words"), Access(), 3).candidates
    assert texts(found) == ["same words"] * 3
    assert [c.key for c in found] == sorted(c.key for c in found)


def test_a_fixed_weight_is_kept_and_one_list_alone_is_possible(snapshot: VectorSnapshot) -> None:
    settings = SearchSettings(weight=1.0, phrase_bonus=0, run_bonus=0, figure_bonus=0, heading_bonus=0)
    question = ask("pump number 5 boiler")
    found = HybridRetriever(snapshot, settings)(question, Access(), 10)
    assert found.weight == 1.0
    by_cosine = [hit.key for hit in snapshot.dense(question.dense, Filter(kinds=("chunk",)), 10)]
    assert [candidate.key for candidate in found.candidates] == by_cosine


def test_chunks_whose_neighbours_are_found_too_gain(tmp_path: Path) -> None:
    """Two documents of one chunk each, and one of two: all four chunks say the same of the question."""
    store = EdgeVectorStore(tmp_path / "vectors")
    writer = store.write(1, None, EMBEDDER.dimension, idf=True)
    places = [("a", 0), ("b", 0), ("c", 0), ("c", 1)]
    rows = [row(n, "copper pipe") for n in range(4)]
    writer.upsert(
        [
            replace(known, payload={**known.payload, "document": document, "ordinal": ordinal})
            for known, (document, ordinal) in zip(rows, places, strict=True)
        ]
    )
    writer.commit()
    writer.seal(4)
    snapshot = store.read(1)
    found = HybridRetriever(snapshot, SearchSettings())(ask("copper pipe"), Access(), 4).candidates
    assert [candidate.payload["document"] for candidate in found[:2]] == ["c", "c"]
    assert found[0].score > found[2].score
    snapshot.close()


def test_only_what_the_access_shows_is_found(snapshot: VectorSnapshot) -> None:
    question = ask(TEXTS[HIDDEN])
    retrieve = HybridRetriever(snapshot, SearchSettings())
    assert texts(retrieve(question, Access(), 1).candidates) == [TEXTS[HIDDEN]]
    assert TEXTS[HIDDEN] not in texts(retrieve(question, Access(classes=("public",)), 99).candidates)
    assert not retrieve(question, Access(classes=()), 9).candidates
    assert not retrieve(question, Access(documents=()), 9).candidates
    assert texts(retrieve(question, Access(documents=("d3",)), 9).candidates) == [TEXTS[3]]
    assert TEXTS[3] not in texts(retrieve(question, Access(not_documents=("d3",)), 99).candidates)


def test_function_words_alone_are_still_a_question(snapshot: VectorSnapshot) -> None:
    question = Question("the", EMBEDDER.embed_question("the"), SparseVector((), ()), {})
    found = HybridRetriever(snapshot, SearchSettings())(question, Access(), 5).candidates
    assert len(found) == 5
    assert all(np.isfinite(candidate.score) for candidate in found)


@pytest.mark.parametrize(("classes", "hidden"), [(None, 0), (("public",), 1)])
def test_term_weights_are_the_idf_over_what_the_reader_sees(
    snapshot: VectorSnapshot, classes: tuple[str, ...] | None, hidden: int
) -> None:
    terms = {form: index for index, form in WORDS.terms("pump 13 same zebra", ["en"]).items()}
    weights = TermWeights(snapshot)(sorted(terms.values()), Access(classes=classes).corpus())
    rows = len(TEXTS) - hidden
    holding = {"pump": 40 - hidden, "13": 1 - hidden, "same": 3, "zebra": 0}
    for word, n in holding.items():
        assert weights[terms[word]] == pytest.approx(math.log((rows - n + 0.5) / (n + 0.5) + 1), rel=1e-3)
