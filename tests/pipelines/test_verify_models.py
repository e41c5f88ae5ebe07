"""Repairs of an index that a model wrote, under a configuration that does not name it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import treegraph
from fake_openai import FakeOpenAIServer
from fake_writer import writer
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from small_guide import GUIDE, write_guide
from small_index import build
from treegraph.indexer.errors import ConfigurationError
from treegraph.indexer.models.settings import LLMSettings
from treegraph.indexer.tree.settings import TreeSettings


@pytest.fixture
def server() -> Iterator[FakeOpenAIServer]:
    with FakeOpenAIServer(writer()) as running:
        yield running


def test_a_repair_without_the_model_that_wrote_is_refused_and_changes_nothing(
    server: FakeOpenAIServer, tmp_path: Path
) -> None:
    written = replace(
        GUIDE,
        tree=TreeSettings(summary="model"),
        llm=LLMSettings(base_url=server.base_url, model="fake-1", window=8192),
    )
    index = tmp_path / "index"
    build(index, write_guide(tmp_path / "guide"), config=written)
    before = published_content(index)
    with sqlite3.connect(index / "ledger.db") as ledger:
        ledger.execute("DELETE FROM nodes WHERE key = (SELECT min(key) FROM nodes)")
    ledger.close()
    with pytest.raises(ConfigurationError, match="--config"):
        treegraph.verify(index, repair=True, config=GUIDE, embedder=FakeHashEmbedder())
    asked = len(server.prompts)
    assert not treegraph.verify(index, config=written, embedder=FakeHashEmbedder()).sound
    assert treegraph.verify(index, repair=True, config=written, embedder=FakeHashEmbedder()).sound
    assert published_content(index) == before
    assert len(server.prompts) == asked
