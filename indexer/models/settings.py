"""Settings of the models: plain values, checked when they are made, without I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from ..errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """Which model makes dense vectors, and which makes sparse ones.

    ``model`` is ``minilm``, ``multilingual``, ``bge-m3``, ``onnx:PATH`` (an ONNX file, or a folder in the
    layout of sentence-transformers) or ``llama:module.Class`` (a LlamaIndex embedding). ``sparse`` is
    ``words`` or ``bge-m3``. ``threads`` is how many texts are embedded at once; 0 takes two, or one on a
    single core. ``batch`` is the number of texts handed to the model in one call. ``window`` is the tokens
    that a ``llama:`` model takes (0: not known): what is longer is embedded in parts, as the other models do
    by themselves. The two prefixes overrule what an ONNX folder says of itself. ``price_in`` is money per
    million tokens: None says that a LlamaIndex embedding is paid for at a price that is not known, 0 that it
    is free.
    """

    model: str = "minilm"
    sparse: str = "words"
    threads: int = 0
    batch: int = 16
    window: int = 0
    question_prefix: str | None = None
    passage_prefix: str | None = None
    price_in: float | None = None

    def __post_init__(self) -> None:
        if self.price_in is not None and not self.price_in >= 0:
            raise ConfigurationError(f"[embed] price_in must be 0 or more, not {self.price_in}")
        if self.threads < 0:
            raise ConfigurationError(f"[embed] threads must be 0 (automatic) or more, not {self.threads}")
        if self.batch < 1:
            raise ConfigurationError(f"[embed] batch must be 1 or more, not {self.batch}")
        if self.window and self.window < 32:
            raise ConfigurationError(
                f"[embed] window must be 32 tokens or more, or 0 (not known), not {self.window}"
            )


@dataclass(frozen=True, slots=True)
class RerankSettings:
    """Which cross-encoder reorders the first ``candidates`` hits, and for how many ``seconds`` at most.

    ``model`` is empty (off), ``onnx:PATH``, ``flag:NAME`` (a FlagReranker; a path or a hub name) or
    ``llama:module.Class`` (a LlamaIndex node postprocessor).
    """

    model: str = ""
    candidates: int = 50
    seconds: float = 2.0

    def __post_init__(self) -> None:
        if self.candidates < 1:
            raise ConfigurationError(f"[rerank] candidates must be 1 or more, not {self.candidates}")
        if self.seconds <= 0:
            raise ConfigurationError(f"[rerank] seconds must be above 0, not {self.seconds}")


@dataclass(frozen=True, slots=True)
class ServedSettings:
    """A model behind an OpenAI-compatible URL.

    ``window`` is in tokens, prices are money per million tokens, a limit of 0 is no limit, ``timeout``
    is in seconds for one request. An empty ``model`` means that none is configured.
    """

    table: ClassVar[str] = ""

    base_url: str = ""
    model: str = ""
    window: int = 8192
    price_in: float = 0.0
    price_out: float = 0.0
    requests_per_minute: int = 0
    tokens_per_minute: int = 0
    concurrency: int = 4
    timeout: float = 60.0

    def __post_init__(self) -> None:
        table = self.table
        if bool(self.model) != bool(self.base_url):
            raise ConfigurationError(f"[{table}] needs both base_url and model, or neither")
        if self.window < 512:
            raise ConfigurationError(f"[{table}] window must be 512 tokens or more, not {self.window}")
        if self.concurrency < 1:
            raise ConfigurationError(f"[{table}] concurrency must be 1 or more, not {self.concurrency}")
        if self.timeout <= 0:
            raise ConfigurationError(f"[{table}] timeout must be above 0 seconds, not {self.timeout}")
        if min(self.requests_per_minute, self.tokens_per_minute) < 0:
            raise ConfigurationError(f"[{table}] limits a minute must be 0 (none) or more")
        if min(self.price_in, self.price_out) < 0:
            raise ConfigurationError(f"[{table}] prices must be 0 or more")


@dataclass(frozen=True, slots=True)
class LLMSettings(ServedSettings):
    """A language model; its key comes from ``TREEGRAPH_LLM_API_KEY`` alone.

    With ``batch`` a build hands its calls to the server's batch interface and collects the answers in a later
    run; they cost ``price_batch`` of the prices. One batch holds at most ``batch_calls`` calls and
    ``batch_bytes`` bytes, as the server's limits ask for.
    """

    table: ClassVar[str] = "llm"

    batch: bool = False
    price_batch: float = 0.5
    batch_calls: int = 20_000
    batch_bytes: int = 100_000_000

    def __post_init__(self) -> None:
        ServedSettings.__post_init__(self)
        if not self.price_batch >= 0:
            raise ConfigurationError(f"[llm] price_batch must be 0 or more, not {self.price_batch}")
        if min(self.batch_calls, self.batch_bytes) < 1:
            raise ConfigurationError("[llm] batch_calls and batch_bytes must be 1 or more")


@dataclass(frozen=True, slots=True)
class VisionSettings(ServedSettings):
    """A model that also sees; its key comes from ``TREEGRAPH_VISION_API_KEY``, else
    from ``TREEGRAPH_LLM_API_KEY``.

    It is shown pages at ``dpi``, or at less where a picture would hold more than ``max_pixels``; ``tokens``
    is the room for what it writes of one page.
    """

    table: ClassVar[str] = "vision"

    window: int = 32_768
    timeout: float = 120.0
    dpi: int = 150
    max_pixels: int = 2_500_000
    tokens: int = 3000

    def __post_init__(self) -> None:
        ServedSettings.__post_init__(self)
        if not 36 <= self.dpi <= 600:
            raise ConfigurationError(f"[vision] dpi must be from 36 to 600, not {self.dpi}")
        if self.max_pixels < 10_000:
            raise ConfigurationError(f"[vision] max_pixels must be 10000 or more, not {self.max_pixels}")
        if self.tokens < 64:
            raise ConfigurationError(f"[vision] tokens must be 64 or more, not {self.tokens}")


@dataclass(frozen=True, slots=True)
class OcrSettings:
    """How pictures of pages are read.

    ``languages`` are those of the documents, as in "en" or "ja"; ``models`` names for a language the ONNX
    file that reads its script, where the shipped ones do not. Pages are drawn at ``dpi``; text is looked for
    in a picture of at most ``side`` pixels. ``threads`` pages are read side by side; 0 takes two, or one on a
    single core. Lines of less than ``min_confidence`` (0..1) are left out.
    """

    languages: tuple[str, ...] = ("en", "zh", "ja")
    models: Mapping[str, str] = field(default_factory=dict)
    dpi: int = 150
    side: int = 1120
    threads: int = 0
    min_confidence: float = 0.5

    def __post_init__(self) -> None:
        if not self.languages:
            raise ConfigurationError("[ocr] languages must name at least one language")
        if not 50 <= self.dpi <= 600:
            raise ConfigurationError(f"[ocr] dpi must be 50 to 600, not {self.dpi}")
        if not 320 <= self.side <= 4096:
            raise ConfigurationError(f"[ocr] side must be 320 to 4096 pixels, not {self.side}")
        if self.threads < 0:
            raise ConfigurationError(f"[ocr] threads must be 0 (automatic) or more, not {self.threads}")
        if not 0 <= self.min_confidence < 1:
            raise ConfigurationError(
                f"[ocr] min_confidence must be 0 or more and below 1, not {self.min_confidence}"
            )
