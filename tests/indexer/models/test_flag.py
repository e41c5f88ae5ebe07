"""BGE-M3 and its rerankers through FlagEmbedding: the real loading code, on tiny random models.

Runs in a virtual environment of its own, which holds the extra ``flag``.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from treegraph.indexer.errors import ModelUnavailable
from treegraph.indexer.models import load_embedder, load_reranker, load_sparse
from treegraph.indexer.models.ports import Embedder, SparseEncoder
from treegraph.indexer.models.settings import EmbedSettings, RerankSettings

if TYPE_CHECKING:
    from conftest import RequireOrSkip

TEXTS = ["the valve opens at nine bar", "the pump stops", "valve " * 300]
_INSTALLED = importlib.util.find_spec("FlagEmbedding") is not None


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory, require_or_skip: RequireOrSkip) -> Path:
    """Two folders: ``m3`` in the layout of BGE-M3, ``reranker`` in that of a BGE reranker."""
    if not _INSTALLED:
        require_or_skip("flag", "FlagEmbedding is not installed: make test-flag")
    folder = tmp_path_factory.mktemp("flag")
    _make_models(folder)
    return folder


def _make_models(folder: Path) -> None:
    import torch
    import transformers

    torch.manual_seed(3)
    _make_tokenizer(folder / "tokenizer.json")
    tokenizer = transformers.XLMRobertaTokenizerFast(
        tokenizer_file=str(folder / "tokenizer.json"), model_max_length=1024
    )
    config = transformers.XLMRobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=1026,
        num_labels=1,
    )
    for name, kind in (
        ("m3", transformers.XLMRobertaModel),
        ("reranker", transformers.XLMRobertaForSequenceClassification),
    ):
        kind(config).save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)
    for name, width in (("sparse_linear", 1), ("colbert_linear", 32)):
        torch.save(torch.nn.Linear(32, width).state_dict(), folder / "m3" / f"{name}.pt")


def _make_tokenizer(path: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    words = sorted({f"\u2581{word}" for text in TEXTS for word in text.split()})
    pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *((word, -1.0) for word in words)]
    tokenizer = Tokenizer(models.Unigram([*pieces, ("<mask>", 0.0)], unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer.save(str(path))


@pytest.mark.flag
def test_dense_vectors_depend_on_their_own_text_alone(tiny: Path) -> None:
    embedder = load_embedder(EmbedSettings(model=f"bge-m3:{tiny / 'm3'}"))
    assert isinstance(embedder, Embedder)
    assert embedder.name.startswith("bge-m3:m3/")
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (3, embedder.dimension) == (3, 32)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert embedder.embed(TEXTS[1:2]).tobytes() == vectors[1:2].tobytes()
    assert embedder.embed_question(TEXTS[0]).tobytes() == vectors[0].tobytes()


@pytest.mark.flag
def test_sparse_weights_are_of_the_tokens(tiny: Path) -> None:
    sparse = load_sparse(EmbedSettings(model=f"bge-m3:{tiny / 'm3'}", sparse="bge-m3"))
    assert isinstance(sparse, SparseEncoder)
    assert not sparse.idf
    found = sparse.encode(TEXTS, [None] * 3)
    for vector in found:
        assert list(vector.indices) == sorted(set(vector.indices))
        assert all(weight > 0 for weight in vector.values)
        assert not set(vector.indices) & {0, 1, 2, 3}
    assert any(vector.indices for vector in found)
    terms = sparse.terms(TEXTS[0], ["en"])
    assert set(terms) == set(sparse.encode_question(TEXTS[0], ["en"]).indices)
    assert set(terms.values()) <= set(TEXTS[0].split())


@pytest.mark.flag
def test_a_reranker_scores_each_passage(tiny: Path) -> None:
    reranker = load_reranker(RerankSettings(model=f"flag:{tiny / 'reranker'}"))
    assert reranker is not None
    scores = reranker.score("when does the valve open", [*TEXTS, *TEXTS, *TEXTS])
    assert len(scores) == 9
    np.testing.assert_allclose(scores[:3], scores[3:6], atol=1e-5)
    assert len(set(np.round(scores[:3], 6))) > 1
    assert reranker.score("when", []) == []


@pytest.mark.flag
def test_a_reranker_is_a_postprocessor_of_llama_index(tiny: Path) -> None:
    schema = pytest.importorskip("llama_index.core.schema")
    from treegraph.query.tools.llama_rerank import RerankPostprocessor

    nodes = [schema.NodeWithScore(node=schema.TextNode(text=text)) for text in TEXTS]
    step = RerankPostprocessor(reranker=f"flag:{tiny / 'reranker'}", top_n=2)
    kept = step.postprocess_nodes(nodes, query_str="when does the valve open")
    reranker = load_reranker(RerankSettings(model=f"flag:{tiny / 'reranker'}"))
    assert reranker is not None
    scores = reranker.score("when does the valve open", TEXTS)
    np.testing.assert_allclose([item.score for item in kept], sorted(scores)[:0:-1], atol=1e-5)


@pytest.mark.flag
def test_a_folder_without_a_model_is_named(tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="FlagEmbedding"):
        load_embedder(EmbedSettings(model=f"bge-m3:{tmp_path}"))


@pytest.mark.skipif(_INSTALLED, reason="FlagEmbedding is installed")
@pytest.mark.parametrize("model", ["bge-m3:somewhere", "bge-m3"])
def test_without_the_extra_the_remedy_is_named(model: str) -> None:
    with pytest.raises(ModelUnavailable, match=r"pip install 'treegraph\[flag\]'"):
        load_embedder(EmbedSettings(model=model))
