"""The files that OCR runs on: found on this disk, never fetched, and opened for one thread a call.

The models are PP-OCRv6 small (Apache-2.0) as the wheel ``rapidocr`` carries them; of that package nothing
but these files is used. Nothing here reaches for a network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..error_lines import first_line
from ..errors import ModelUnavailable
from .model_files import sha256_of

_MISSING = "OCR is not installed: pip install 'treegraph[ocr]'"
_PACKAGES = ("cv2", "onnx", "onnxruntime", "rapidocr")
_DETECTOR = "PP-OCRv6_det_small.onnx"
_RECOGNISER = "PP-OCRv6_rec_small.onnx"
_TINY = 1e-30
"""Weights below this change no result, but processors take a hundred times longer over the smallest of
them (denormals): without these the detector is three times as fast, and its output the same to the bit."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model on this disk: ``name`` is what it is called in an index, with its sha256."""

    path: Path
    sha256: str

    @property
    def name(self) -> str:
        """File name and the beginning of the sha256."""
        return f"{self.path.stem}-{self.sha256[:8]}"


def check_installed() -> None:
    """Raises ModelUnavailable, with what to install, if a package that OCR needs is not there."""
    if any(find_spec(package) is None for package in _PACKAGES):
        raise ModelUnavailable(_MISSING)


def shipped_detector() -> ModelFile:
    """The model that finds text. Raises ModelUnavailable."""
    return _shipped(_DETECTOR)


def shipped_recogniser() -> ModelFile:
    """The model that reads Chinese, Japanese and what is written in Latin letters. Raises
    ModelUnavailable."""
    return _shipped(_RECOGNISER)


def given(path: Path) -> ModelFile:
    """A model of the user's own. Raises ModelUnavailable if it is not there."""
    return ModelFile(path, sha256_of(path))


def open_session(file: ModelFile, classes: int = 0, kept: Sequence[int] = ()) -> Any:
    """An ONNX session that computes on the thread that calls it; of its ``classes`` only those ``kept``, if
    any are named. Raises ModelUnavailable."""
    import onnxruntime  # type: ignore[import-untyped]

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # Pictures and lines are of all sizes: an arena would keep room for the largest of each for good.
    options.enable_cpu_mem_arena = False
    try:
        return onnxruntime.InferenceSession(
            _prepared(file.path, classes, kept), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # the runtime's and onnx's own errors share no base below this
        first = first_line(error)[:300]
        raise ModelUnavailable(f"{file.path} is not a usable ONNX model: {first}") from error


def _prepared(path: Path, classes: int, kept: Sequence[int]) -> bytes:
    """The model without denormals, and with the columns of ``kept`` alone where it weighs its classes."""
    import numpy as np
    import onnx
    from onnx import numpy_helper

    model = onnx.load(str(path))
    for weights in model.graph.initializer:
        if weights.data_type != onnx.TensorProto.FLOAT:
            continue
        values = numpy_helper.to_array(weights)
        tiny = (np.abs(values) < _TINY) & (values != 0)
        lean = len(kept) > 0 and values.ndim > 0 and values.shape[-1] == classes
        if lean or tiny.any():
            values = np.where(tiny, np.float32(0), values)
            values = values[..., list(kept)] if lean else values
            weights.CopyFrom(numpy_helper.from_array(values, weights.name))
    if kept:
        for output in model.graph.output:
            output.type.tensor_type.shape.dim[-1].Clear()
    serialised: bytes = model.SerializeToString()
    return serialised


def _shipped(name: str) -> ModelFile:
    spec = find_spec("rapidocr")
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder, "models", name)
        if path.is_file():
            return ModelFile(path, sha256_of(path))
    raise ModelUnavailable(f"{name} is not in the installed rapidocr; {_MISSING}")
