"""ONNX models of a few hundred bytes, in the folder layout of sentence-transformers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "query", "passage", ":", *(f"w{n}" for n in range(50))]
WIDTH = 8


def table() -> np.ndarray:
    """The vectors of the words, fixed."""
    return np.random.default_rng(7).normal(size=(len(WORDS), WIDTH)).astype(np.float32)


def encoder(folder: Path, **configs: object) -> Path:
    """A model whose hidden states are its words' vectors; ``configs`` are JSON files to add, by name."""
    return _save(folder, [["rows", "last_hidden_state"]], ("last_hidden_state", ["b", "n", WIDTH]), configs)


def cross_encoder(folder: Path, **configs: object) -> Path:
    """A model whose logit is the mean of the first component over all tokens."""
    return _save(folder, [], ("logits", ["b", 1]), configs)


def _save(
    folder: Path,
    copies: list[list[str]],
    output: tuple[str, list[object]],
    configs: dict[str, object],
) -> Path:
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["rows"], axis=0)]
    weights = [numpy_helper.from_array(table(), "table")]
    if copies:
        nodes += [helper.make_node("Identity", [a], [b]) for a, b in copies]
    else:
        first = np.eye(WIDTH, 1, dtype=np.float32)
        weights += [numpy_helper.from_array(first, "first"), numpy_helper.from_array(np.array([1]), "axes")]
        nodes += [
            helper.make_node("ReduceMean", ["rows", "axes"], ["mean"], keepdims=0),
            helper.make_node("MatMul", ["mean", "first"], ["logits"]),
        ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "n"])
            for name in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info(output[0], TensorProto.FLOAT, output[1])],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    (folder / "onnx").mkdir(parents=True)
    onnx.save(model, str(folder / "onnx" / "model.onnx"))
    _tokenizer(folder / "tokenizer.json")
    for name, value in configs.items():
        path = folder / f"{name.replace('__', '/')}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(value))
    return folder


def _tokenizer(path: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.enable_truncation(4)  # as shipped ones do; the loader turns it off
    tokenizer.save(str(path))
