"""ONNX models by path: folders of the layout of sentence-transformers, small and real."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from tiny_onnx import WORDS, cross_encoder, encoder, table
from treegraph.indexer.errors import ConfigurationError, ModelCallError, ModelUnavailable
from treegraph.indexer.models import load_embedder, load_reranker, load_sparse
from treegraph.indexer.models.ports import Embedder, Reranker, SparseEncoder
from treegraph.indexer.models.rerankers import OnnxReranker
from treegraph.indexer.models.settings import EmbedSettings, RerankSettings


def rows(*words: str) -> np.ndarray:
    return table()[[WORDS.index(word) for word in words]]


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def test_mean_pooling_over_all_tokens(tmp_path: Path) -> None:
    embedder = load_embedder(EmbedSettings(model=f"onnx:{encoder(tmp_path / 'tiny')}"))
    assert isinstance(embedder, Embedder)
    assert embedder.dimension == 8
    found = embedder.embed(["w1 w2 w3 w4 w5"])
    expected = unit(rows("[CLS]", "w1", "w2", "w3", "w4", "w5", "[SEP]").mean(axis=0))
    np.testing.assert_allclose(found[0], expected, atol=1e-6)


def test_cls_pooling_and_prefixes_as_the_folder_says(tmp_path: Path) -> None:
    folder = encoder(
        tmp_path / "tiny",
        **{
            "1_Pooling__config": {"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True},
            "config_sentence_transformers": {"prompts": {"query": "query: ", "document": "passage: "}},
        },
    )
    embedder = load_embedder(EmbedSettings(model=f"onnx:{folder}"))
    passage = unit(rows("[CLS]", "passage", ":", "w1", "[SEP]").mean(axis=0))
    question = unit(rows("[CLS]", "query", ":", "w1", "[SEP]").mean(axis=0))
    np.testing.assert_allclose(embedder.embed(["w1"])[0], passage, atol=1e-6)
    np.testing.assert_allclose(embedder.embed_question("w1"), question, atol=1e-6)
    bare = load_embedder(EmbedSettings(model=f"onnx:{folder}", passage_prefix=""))
    assert bare.name != embedder.name

    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    pooled = load_embedder(EmbedSettings(model=f"onnx:{folder}")).embed(["w1", "w2"])
    np.testing.assert_allclose(pooled, [unit(rows("[CLS]")[0])] * 2, atol=1e-6)


def test_a_text_over_the_window_is_pooled_over_all_its_windows(tmp_path: Path) -> None:
    folder = encoder(tmp_path / "tiny", sentence_bert_config={"max_seq_length": 6})
    embedder = load_embedder(EmbedSettings(model=f"onnx:{folder}"))
    found = embedder.embed(["w1 w2 w3 w4 w5 w6"])[0]
    first = rows("[CLS]", "w1", "w2", "w3", "w4", "[SEP]").mean(axis=0)
    second = rows("[CLS]", "w5", "w6", "[SEP]").mean(axis=0)
    np.testing.assert_allclose(found, unit(5 * first + 3 * second), atol=1e-6)


def test_another_model_has_another_name(tmp_path: Path) -> None:
    one = load_embedder(EmbedSettings(model=f"onnx:{encoder(tmp_path / 'a' / 'tiny')}"))
    same = load_embedder(EmbedSettings(model=f"onnx:{encoder(tmp_path / 'b' / 'tiny') / 'onnx/model.onnx'}"))
    other = load_embedder(EmbedSettings(model=f"onnx:{_changed(encoder(tmp_path / 'c' / 'tiny'))}"))
    assert one.name == same.name
    assert one.name != other.name


def _changed(folder: Path) -> Path:
    graph = folder / "onnx" / "model.onnx"
    data = bytearray(graph.read_bytes())
    at = data.rindex(table().tobytes()[:16])
    data[at] ^= 1
    graph.write_bytes(bytes(data))
    return folder


def test_a_cross_encoder_scores_each_pair_alone(tmp_path: Path) -> None:
    reranker = load_reranker(RerankSettings(model=f"onnx:{cross_encoder(tmp_path / 'cross')}"))
    assert isinstance(reranker, Reranker)
    found = reranker.score("w1", ["w2", "w3 w4"])
    expected = [
        rows("[CLS]", "w1", "[SEP]", "w2", "[SEP]")[:, 0].mean(),
        rows("[CLS]", "w1", "[SEP]", "w3", "w4", "[SEP]")[:, 0].mean(),
    ]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert reranker.score("w1", ["w3 w4"])[0] == found[1]


def test_a_long_question_leaves_room_for_the_passage(tmp_path: Path) -> None:
    folder = cross_encoder(tmp_path / "cross", sentence_bert_config={"max_seq_length": 10})
    reranker = OnnxReranker(folder)
    long = " ".join(f"w{n}" for n in range(40))
    a, b = reranker.score(long, ["w41 " * 50, "w42 " * 50])
    assert a != b
    head = rows("[CLS]", "w0", "w1", "w2", "w3", "w4", "[SEP]", "w41", "w41", "[SEP]")
    assert a == pytest.approx(float(head[:, 0].mean()), abs=1e-6)


def test_a_reranker_stops_at_its_deadline(tmp_path: Path) -> None:
    reranker = OnnxReranker(cross_encoder(tmp_path / "cross"))
    with pytest.raises(ModelCallError, match="time"):
        reranker.score("w1", ["w2"], deadline=time.monotonic() - 1)
    assert len(reranker.score("w1", ["w2"], deadline=time.monotonic() + 60)) == 1


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "onnx" / "model.onnx").write_bytes(b"no model"), "not a usable ONNX"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "not a usable tokenizer"),
        (lambda folder: (folder / "tokenizer.json").unlink(), r"no tokenizer\.json"),
        (lambda folder: (folder / "onnx" / "model.onnx").unlink(), "holds none of"),
        (lambda folder: (folder / "config.json").write_text("{"), "cannot be read"),
    ],
)
def test_an_unusable_folder_is_named(tmp_path: Path, spoil: object, message: str) -> None:
    folder = encoder(tmp_path / "tiny")
    spoil(folder)  # type: ignore[operator]
    with pytest.raises(ModelUnavailable, match=message):
        load_embedder(EmbedSettings(model=f"onnx:{folder}"))


@pytest.mark.parametrize("model", ["", "minilm:x", "onnx:", "word2vec"])
def test_an_unknown_model_is_a_wrong_setting(model: str) -> None:
    with pytest.raises(ConfigurationError, match="minilm, multilingual"):
        load_embedder(EmbedSettings(model=model))


def test_no_reranker_by_default_and_words_for_sparse() -> None:
    assert load_reranker(RerankSettings()) is None
    with pytest.raises(ConfigurationError):
        load_reranker(RerankSettings(model="bert"))
    assert isinstance(load_sparse(EmbedSettings()), SparseEncoder)
    with pytest.raises(ConfigurationError):
        load_sparse(EmbedSettings(sparse="splade"))
