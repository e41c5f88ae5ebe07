"""One ONNX transformer and its tokenizer, run one text at a time on the calling thread."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..error_lines import first_line
from ..errors import ModelUnavailable


class OnnxTransformer:
    """A session with one thread of its own: ``run`` computes on the thread that calls it.

    So several threads share one session (and its weights), and a result depends on its own text alone.
    """

    def __init__(self, graph: Path, tokenizer: Path) -> None:
        """Load both files. Raises ModelUnavailable."""
        self._session = _open_session(graph)
        self._inputs = {entry.name: entry.type for entry in self._session.get_inputs()}
        self.tokenizer = _open_tokenizer(tokenizer)

    @property
    def width(self) -> int | None:
        """The last dimension of the first output, None where the graph leaves it open."""
        last = self._session.get_outputs()[0].shape[-1]
        return last if isinstance(last, int) else None

    def ids(self, text: str) -> list[int]:
        """The tokens of ``text`` without special tokens, none cut off."""
        encoded: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return encoded

    def run(self, ids: Sequence[int], types: Sequence[int] | None = None) -> NDArray[np.float32]:
        """The first output for one text, without the batch dimension: (tokens, width) or (width,)."""
        feed: dict[str, Any] = {
            "input_ids": ids,
            "attention_mask": [1] * len(ids),
            "token_type_ids": types or [0] * len(ids),
        }
        arrays = {
            name: np.array([feed[name]], dtype=np.int32 if kind == "tensor(int32)" else np.int64)
            for name, kind in self._inputs.items()
        }
        output: NDArray[np.float32] = self._session.run(None, arrays)[0][0]
        return output


def usable_threads(asked: int) -> int:
    """How many threads to compute on: ``asked``, or two when it is 0, and never more than there are."""
    present = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(asked or 2, present))


def _open_session(graph: Path) -> Any:
    try:
        import onnxruntime  # type: ignore[import-untyped]
    except ImportError:
        raise ModelUnavailable("onnxruntime is missing: pip install 'treegraph[local]'") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # The arena keeps room for the longest text of every thread for good.
    options.enable_cpu_mem_arena = False
    try:
        session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime's own errors share no base below this
        raise ModelUnavailable(f"{graph} is not a usable ONNX model: {first_line(error)[:300]}") from error
    unknown = {entry.name for entry in session.get_inputs()} - _KNOWN_INPUTS
    if unknown:
        raise ModelUnavailable(f"{graph} asks for inputs that a text encoder has not: {sorted(unknown)}")
    return session


_KNOWN_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}


def _open_tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the package raises bare Exception
        raise ModelUnavailable(f"{path} is not a usable tokenizer: {first_line(error)[:300]}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
