from __future__ import annotations

import numpy as np
import pytest
from hash_embedder import FakeHashEmbedder
from hypothesis import given
from hypothesis import strategies as st
from treegraph.indexer.errors import ConfigurationError
from treegraph.indexer.models.settings import EmbedSettings
from treegraph.indexer.models.usage import SAFETY, estimate_tokens
from treegraph.indexer.models.windows import WindowedEmbedder


@given(st.lists(st.text(alphabet="abc dé電\n", max_size=400), max_size=4))
def test_parts_fit_the_window_and_leave_nothing_out(texts: list[str]) -> None:
    model = FakeHashEmbedder()
    vectors = WindowedEmbedder(model, 32).embed(texts) if texts else np.empty((0, 32))
    assert "".join(model.embedded) == "".join(texts)
    assert all(len(part) < 2 or estimate_tokens(part) * SAFETY <= 32 for part in model.embedded)
    assert vectors.shape == (len(texts), 32)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_text_that_fits_has_the_vector_of_the_model_alone() -> None:
    model = FakeHashEmbedder()
    windowed = WindowedEmbedder(model, 64)
    assert np.allclose(windowed.embed(["the pump feeds it"]), model.embed(["the pump feeds it"]), atol=1e-6)
    assert windowed.name == "fake-hash/window-64"


def test_a_long_text_is_near_what_stands_at_its_end_too() -> None:
    text = "valve line oil. " * 40 + "pump boiler alarm. " * 40
    windowed = WindowedEmbedder(FakeHashEmbedder(256), 64)
    (vector,) = windowed.embed([text])
    assert vector @ windowed.embed_question("pump boiler alarm") > 0.5
    assert vector @ windowed.embed_question("valve line oil") > 0.5


def test_a_window_must_hold_something() -> None:
    with pytest.raises(ConfigurationError, match="32 tokens or more"):
        EmbedSettings(window=8)
