"""A call cache that shows what was put there."""

from __future__ import annotations

from treegraph.indexer.models.call_cache import MemoryCallCache


class KeptCalls(MemoryCallCache):
    """``outputs`` are those that were put there, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.outputs: list[str] = []

    def put(self, key: str, output: str, tokens_in: int, tokens_out: int, cost: float) -> None:
        """Keep an output, and show it."""
        self.outputs.append(output)
        super().put(key, output, tokens_in, tokens_out, cost)
