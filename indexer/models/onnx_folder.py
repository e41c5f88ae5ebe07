"""What an ONNX model's folder says of itself, in the layout of sentence-transformers and its exports."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ModelUnavailable
from .model_files import sha256_of
from .onnx_embedder import EncoderRecipe, Pooling

_GRAPHS = ("onnx/model_int8.onnx", "model_int8.onnx", "onnx/model.onnx", "model.onnx")
_DEFAULT_WINDOW = 512


@dataclass(frozen=True, slots=True)
class OnnxFolder:
    """A graph, its tokenizer, and the folder whose JSON files describe them."""

    root: Path
    graph: Path
    tokenizer: Path

    @property
    def name(self) -> str:
        """The folder's name and the beginning of the sha256 over graph and weights."""
        digest = hashlib.sha256()
        for file in sorted(self.graph.parent.glob(f"{self.graph.name}*")):
            digest.update(sha256_of(file).encode())
        return f"{self.root.resolve().name}/{digest.hexdigest()[:8]}"

    def recipe(self, question_prefix: str | None = None, passage_prefix: str | None = None) -> EncoderRecipe:
        """How its output becomes a vector; a prefix given here overrules the folder's own."""
        prompts = self._read("config_sentence_transformers.json").get("prompts", {})
        passage = prompts.get("passage", prompts.get("document", ""))
        return EncoderRecipe(
            pooling=self._pooling(),
            window=self.window(),
            question_prefix=prompts.get("query", "") if question_prefix is None else question_prefix,
            passage_prefix=passage if passage_prefix is None else passage_prefix,
        )

    def window(self) -> int:
        """Tokens that the model takes at once, special tokens included."""
        config = self._read("config.json")
        limit = config.get("max_position_embeddings")
        if isinstance(limit, int) and "roberta" in str(config.get("model_type", "")):
            limit -= 2  # its positions begin at 2
        named = (
            self._read("sentence_bert_config.json").get("max_seq_length"),
            self._read("tokenizer_config.json").get("model_max_length"),
            limit,
        )
        # A tokenizer without a limit names 1e30.
        known = [value for value in named if isinstance(value, int) and 0 < value < 1_000_000]
        return min(known, default=_DEFAULT_WINDOW)

    def _pooling(self) -> Pooling:
        modes = self._read("1_Pooling/config.json")
        if modes.get("pooling_mode_cls_token"):
            return "cls"
        if modes and not modes.get("pooling_mode_mean_tokens", True):
            raise ModelUnavailable(f"{self.root}: only mean and cls pooling are supported")
        return "mean"

    def _read(self, name: str) -> dict[str, Any]:
        path = self.root / name
        if not path.is_file():
            return {}
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ModelUnavailable(f"{path} cannot be read: {error}") from error
        return value if isinstance(value, dict) else {}


def open_folder(path: Path) -> OnnxFolder:
    """Find the model in a folder, or around one ``.onnx`` file. Raises ModelUnavailable."""
    if path.is_dir():
        graph = next((path / name for name in _GRAPHS if (path / name).is_file()), None)
        if graph is None:
            raise ModelUnavailable(f"{path} holds none of {', '.join(_GRAPHS)}")
    elif path.is_file():
        graph = path
    else:
        raise ModelUnavailable(f"there is no ONNX model at {path}")
    for root in (path, graph.parent, graph.parent.parent):
        if (root / "tokenizer.json").is_file():
            return OnnxFolder(root, graph, root / "tokenizer.json")
    raise ModelUnavailable(f"no tokenizer.json beside {graph} or in the folder above it")
