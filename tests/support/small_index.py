"""Small indexes for tests: Markdown folders, a fake encoder, an instant tokenizer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import treegraph
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from treegraph.indexer.chunking import ChunkSettings
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.query.index import Index

CONFIG = treegraph.Config(chunk=ChunkSettings(tokenizer="words"))


def build(index: Path, *sources: Path | str, **options: Any) -> treegraph.BuildReport:
    """Build with the fake encoder unless told otherwise."""
    options.setdefault("embedder", FakeHashEmbedder())
    options.setdefault("config", CONFIG)
    return treegraph.build_index([*sources], index, **options)


def open_small(index: Path, **options: Any) -> Index:
    """Open with the fake encoder."""
    return treegraph.open_index(index, config=CONFIG, embedder=FakeHashEmbedder(), **options)


def manual(folder: Path, **texts: str) -> Path:
    """A folder of Markdown files."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text)
    return folder


def sources(index: Path) -> set[str]:
    """The sources of the published documents."""
    return {document.source for document in published_content(index)["documents"].values()}


def moved(index: Path, source: Path) -> None:
    """Have a copied index take ``source`` for the folder that it was built from."""
    folder = IndexFolder.open(index)
    folder.ledger.write("UPDATE roots SET path = ?, spec = ?", [(str(source), str(source))])
    folder.close()


def texts(index: Path) -> list[str]:
    """The texts of the published chunks."""
    return sorted(payload["text"] for payload, _, _ in published_content(index)["rows"].values())
