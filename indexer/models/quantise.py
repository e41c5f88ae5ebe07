"""Int8 copies of ONNX models, made once and kept in the cache folder.

Dynamic quantisation after Jacob et al., "Quantization and Training of Neural Networks for Efficient
Integer-Arithmetic-Only Inference" (arXiv 1712.05877), weights per channel: with one scale a matrix the
cosine to the fp32 vectors falls from .99 to .94. Weights use seven bits, so that processors without
VNNI instructions do not saturate and compute the same as those with them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ..errors import ModelUnavailable
from .model_files import cache_folder

_RECIPE = 2
"""Goes up when the copies are made in another way, so that old ones are left alone."""


def int8_copy(name: str, sha256: str) -> Path:
    """Where the int8 copy of a model belongs; it may not have been made yet.

    The name holds what the copy depends on: the model's sha256 and the major versions of the packages
    that make and run it. Raises ModelUnavailable when these packages are missing.
    """
    try:
        made_by = f"onnx{_major('onnx')}-ort{_major('onnxruntime')}"
    except PackageNotFoundError as error:
        raise ModelUnavailable(
            f"the package {error.name} is missing: pip install 'treegraph[local]'"
        ) from None
    return cache_folder() / f"{name}-{sha256[:8]}-int8r{_RECIPE}-{made_by}.onnx"


def make_int8_copy(graph: Path, target: Path) -> None:
    """Quantise ``graph`` into ``target``. Raises ModelUnavailable.

    Works in a child process: the quantiser takes 500 MB, warns through the root logger and may print.
    The result is moved into place whole, so processes that do this at once do not disturb each other.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".int8-", dir=target.parent) as room:
            made = Path(room) / "int8.onnx"
            _run_child(graph, made)
            os.replace(made, target)
    except OSError as error:
        raise ModelUnavailable(
            f"cannot write the int8 model to {target.parent} ({error.strerror or error}); "
            "set TREEGRAPH_CACHE to a folder that can be written"
        ) from error


def _run_child(graph: Path, made: Path) -> None:
    command = [sys.executable, "-P", "-m", __name__, str(graph), str(made)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise ModelUnavailable(f"{graph} could not be quantised: {last}")


def _major(distribution: str) -> str:
    return version(distribution).split(".")[0]


def _quantise(graph: Path, made: Path) -> None:
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic  # type: ignore[import-untyped]

    from .onnx_rewrites import rewrite

    # Copies, since onnx refuses weights that are links, as some installers make them.
    for file in graph.parent.glob(f"{graph.name}*"):
        shutil.copyfile(file, made.parent / file.name)
    model = onnx.load(str(made.parent / graph.name))
    rewrite(model)
    lean = made.with_name("lean.onnx")
    onnx.save(model, str(lean))
    quantize_dynamic(lean, made, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
    with made.open("rb") as written:
        os.fsync(written.fileno())


if __name__ == "__main__":
    _quantise(Path(sys.argv[1]), Path(sys.argv[2]))
