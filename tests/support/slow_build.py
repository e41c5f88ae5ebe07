"""A build in a process of its own, slow enough to be killed: ``slow_build.py SOURCE INDEX DELAY``.

It writes the name of each stage to stdout when that begins or gets on.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import treegraph
from hash_embedder import FakeHashEmbedder
from treegraph.indexer.chunking import ChunkSettings
from treegraph.indexer.models.settings import EmbedSettings
from treegraph.indexer.stores.graph_sqlite_writer import SqliteGraphWriter

INDEX_ID = "6f1e6c52-6f2a-4f0e-9d3c-0c8d6a3f7b11"
CONFIG = treegraph.Config(chunk=ChunkSettings(tokenizer="words", size=64), embed=EmbedSettings(batch=4))


def tell(event: treegraph.Event) -> None:
    """Say which stage gets on."""
    sys.stdout.write(f"{event.stage}\n")
    sys.stdout.flush()


def slowed(method: Callable[..., Any], delay: float) -> Callable[..., Any]:
    """``method`` with a pause before it begins."""

    def paused(*arguments: Any) -> Any:
        time.sleep(delay)
        return method(*arguments)

    return paused


if __name__ == "__main__":
    source, index, delay = sys.argv[1:]
    for name in ("put", "end", "seal"):
        setattr(SqliteGraphWriter, name, slowed(getattr(SqliteGraphWriter, name), 3 * float(delay)))
    treegraph.build_index(
        [source],
        index,
        config=CONFIG,
        index_id=INDEX_ID,
        yes=True,
        on_event=tell,
        embedder=FakeHashEmbedder(delay=float(delay)),
    )
