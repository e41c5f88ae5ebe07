"""Cross-encoders: question and passage read together, a score for each passage.

Nogueira and Cho, "Passage Re-ranking with BERT" (arXiv 1901.04085).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ModelCallError
from .onnx_folder import open_folder
from .onnx_session import OnnxTransformer
from .retries import describe

if TYPE_CHECKING:
    from llama_index.core.postprocessor.types import BaseNodePostprocessor

_BATCH = 8


class OnnxReranker:
    """An ONNX cross-encoder in a folder; one passage a run, so a score depends on its pair alone.

    A question is cut to half the window, a passage to what the question leaves of it.
    """

    def __init__(self, path: Path) -> None:
        """Raises ModelUnavailable."""
        folder = open_folder(path)
        self.name = f"onnx:{folder.name}"
        self._transformer = OnnxTransformer(folder.graph, folder.tokenizer)
        self._window = folder.window()

    def score(self, question: str, passages: Sequence[str], deadline: float | None = None) -> Sequence[float]:
        """One logit a passage, in order: higher is better.

        ``deadline`` is a ``time.monotonic()``. Raises ModelCallError, also when it has passed.
        """
        asked = self._encoded(question, self._window // 2)
        scores: list[float] = []
        for passage in passages:
            _check(deadline, self.name, len(scores), len(passages))
            scores.append(self._score(asked, passage))
        return scores

    def _score(self, asked: Any, passage: str) -> float:
        tokenizer = self._transformer.tokenizer
        room = self._window - len(asked.ids) - tokenizer.num_special_tokens_to_add(True)
        pair = tokenizer.post_process(asked, self._encoded(passage, room))
        try:
            logits = self._transformer.run(pair.ids, pair.type_ids)
        except Exception as error:  # the runtime's own errors share no base below this
            raise ModelCallError(f"{self.name} failed: {describe(error)}") from error
        # One logit is the relevance; of two, the second is that of "relevant".
        return float(logits.ravel()[-1])

    def _encoded(self, text: str, most: int) -> Any:
        """``text`` in at most ``most`` tokens, without special tokens."""
        encoded = self._transformer.tokenizer.encode(text, add_special_tokens=False)
        encoded.truncate(max(most, 0))
        return encoded


class LlamaReranker:
    """Any LlamaIndex node postprocessor that scores nodes, as a Reranker.

    What it leaves out gets a score below all others; what it returns without scores is scored by its
    place.
    """

    def __init__(self, postprocessor: BaseNodePostprocessor) -> None:
        self.name = f"llama:{postprocessor.class_name()}"
        self._postprocessor = postprocessor

    def score(self, question: str, passages: Sequence[str], deadline: float | None = None) -> Sequence[float]:
        """One score a passage, in order. ``deadline`` (``time.monotonic()``) is looked at before the
        one call that scores them all. Raises ModelCallError."""
        from llama_index.core.schema import NodeWithScore, TextNode

        _check(deadline, self.name, 0, len(passages))
        nodes = [
            NodeWithScore(node=TextNode(id_=str(place), text=text), score=0.0)
            for place, text in enumerate(passages)
        ]
        try:
            ranked = self._keeping(len(passages)).postprocess_nodes(nodes, query_str=question)
        except Exception as error:  # noqa: BLE001 -- any provider's client: no base below this is shared
            # Not chained: the provider's own text may repeat the key.
            raise ModelCallError(f"{self.name}: {describe(error)}") from None
        found = {
            int(item.node.node_id): -float(place) if item.score is None else float(item.score)
            for place, item in enumerate(ranked)
        }
        lowest = min(found.values(), default=0.0)
        return [found.get(place, lowest - 1.0) for place in range(len(passages))]

    def _keeping(self, count: int) -> Any:
        """The postprocessor, told to return all of them where it has a setting for that."""
        if "top_n" not in type(self._postprocessor).model_fields:
            return self._postprocessor
        return self._postprocessor.model_copy(update={"top_n": count})


class FlagReranker:
    """A BGE reranker through FlagEmbedding, a path on disk or a name on the hub (extra ``flag``)."""

    def __init__(self, model: str) -> None:
        """Raises ModelUnavailable."""
        from .flag import open_flag_reranker

        self.name = f"flag:{Path(model).name if Path(model).exists() else model}"
        self._model = open_flag_reranker(model)

    def score(self, question: str, passages: Sequence[str], deadline: float | None = None) -> Sequence[float]:
        """One score a passage, in order: higher is better.

        ``deadline`` is a ``time.monotonic()``, looked at before each small batch. Raises
        ModelCallError, also when it has passed.
        """
        scores: list[float] = []
        for start in range(0, len(passages), _BATCH):
            _check(deadline, self.name, start, len(passages))
            pairs = [(question, passage) for passage in passages[start : start + _BATCH]]
            try:
                found = self._model.compute_score(pairs)
            except Exception as error:  # the package's own errors share no base below this
                raise ModelCallError(f"{self.name} failed: {describe(error)}") from error
            scores.extend(map(float, found if isinstance(found, list | tuple) else [found]))
        return scores


def _check(deadline: float | None, name: str, done: int, of: int) -> None:
    if deadline is not None and time.monotonic() > deadline:
        raise ModelCallError(f"{name} ran out of time after {done} of {of} passages")
