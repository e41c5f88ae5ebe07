"""The stand-in for an encoder: deterministic, and its vectors lie as the real ones do."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
import treegraph
from hash_embedder import FakeHashEmbedder
from treegraph.indexer.models.ports import Embedder
from treegraph.pipelines.benchmark.stand_in import StandIn, fit_stand_in, geometry

TOPICS = ("valve pump relief bar pressure", "boiler heat water degrees steam", "gate lock key door night")


def _texts(count: int, seed: int = 0) -> list[str]:
    random = Random(seed)
    return [
        " ".join([*random.choices(random.choice(TOPICS).split(), k=8), f"part{random.randint(0, 40)}"])
        for _ in range(count)
    ]


@pytest.fixture(scope="module")
def stand_in() -> StandIn:
    return fit_stand_in(_texts(400), FakeHashEmbedder(16))[0]


def test_it_is_an_embedder_named_as_what_it_is(stand_in: StandIn) -> None:
    assert isinstance(stand_in, Embedder)
    assert (stand_in.name, stand_in.dimension) == ("stand-in for fake-hash", 16)


def test_vectors_have_unit_length_and_depend_on_their_text_alone(stand_in: StandIn) -> None:
    texts = [*_texts(30, seed=5), "", "something else entirely"]
    vectors = stand_in.embed(texts)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(vectors, np.concatenate([stand_in.embed([text]) for text in texts]))
    again, _ = fit_stand_in(_texts(400), FakeHashEmbedder(16))
    assert np.array_equal(vectors, again.embed(texts))


def test_it_lies_as_the_model_does_on_texts_that_it_was_not_fitted_to(stand_in: StandIn) -> None:
    _, likeness = fit_stand_in(_texts(400), FakeHashEmbedder(16))
    assert likeness.texts == 100
    assert likeness.cosine > 0.5
    assert likeness.stand_in.nearest == pytest.approx(likeness.model.nearest, abs=0.1)
    assert likeness.stand_in.tenth == pytest.approx(likeness.model.tenth, abs=0.1)


def test_texts_that_share_their_words_are_near(stand_in: StandIn) -> None:
    one, near, far = stand_in.embed([f"{TOPICS[0]} part7", f"{TOPICS[0]} part7 again", f"{TOPICS[1]} part12"])
    assert one @ near > 0.7 > 0.3 > one @ far


def test_it_needs_something_to_be_fitted_to() -> None:
    with pytest.raises(treegraph.ConfigurationError, match="100 chunks or more"):
        fit_stand_in(_texts(99), FakeHashEmbedder())


def test_the_local_dimension_is_that_of_the_surface_that_vectors_lie_on() -> None:
    random = np.random.default_rng(0)
    spread = np.zeros((3_000, 20), dtype=np.float32)
    spread[:, :5] = random.standard_normal((3_000, 5))
    spread /= np.linalg.norm(spread, axis=1, keepdims=True)
    found = geometry(spread)
    assert found.dimension == pytest.approx(4, abs=1)
    assert 1 > found.nearest > found.tenth > 0.8
