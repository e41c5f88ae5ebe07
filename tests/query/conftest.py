"""A small library of records, built once with real stores: what most tests of the read side ask."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hash_embedder import FakeHashEmbedder
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.words import WordEncoder
from treegraph.pipelines.build import build_index
from treegraph.query.index import Index
from treegraph.query.models import ModelLoaders
from treegraph.query.read_settings import ReadSettings

RECORDS: Sequence[Mapping[str, Any]] = (
    {
        "_id": "pump",
        "title": "Pump manual",
        "text": "The relief valve opens at 8 bar. Check the relief valve every month.",
    },
    {
        "_id": "valve",
        "title": "Valve list",
        "text": "A valve gives relief to the pipe when the pressure of the pump is too high.",
    },
    {
        "_id": "boiler",
        "title": "Boiler manual",
        "text": "The boiler heats water to 90 degrees.",
        "year": 2021,
    },
    {
        "_id": "secret",
        "title": "Service codes",
        "text": "The service code of the boiler is 4711.",
        "labels": ["service"],
    },
    {
        "_id": "pay",
        "title": "Pay scale",
        "text": "The pay of the boiler keeper is secret.",
        "labels": ["staff", "board"],
    },
    {
        "_id": "old",
        "title": "Old notice",
        "text": "The gate closes at noon.",
        "valid_until": "2020-12-31",
    },
    {
        "_id": "new",
        "title": "New notice",
        "text": "The gate closes at midnight.",
        "valid_from": "2021-01-01",
    },
    {
        "_id": "future",
        "title": "Notice to come",
        "text": "The gate stays open.",
        "valid_from": "2999-01-01",
    },
    {"_id": "zh", "title": "水泵", "text": "安全阀在八巴时打开。每月检查安全阀。", "language": "zh"},
)


def write_records(path: Path, records: Sequence[Mapping[str, Any]]) -> Path:
    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def open_with_hashes(path: Path, **options: Any) -> Index:
    loaders = options.pop("loaders", None) or ModelLoaders(FakeHashEmbedder, WordEncoder)
    return Index(IndexFolder.open(path), loaders, options.pop("settings", ReadSettings()), **options)


@pytest.fixture(scope="session")
def library_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("library")
    source = write_records(home / "notes.jsonl", RECORDS)
    report = build_index([source], home / "index", embedder=FakeHashEmbedder())
    assert not report.failed
    return home / "index"


@pytest.fixture
def library(library_path: Path) -> Iterator[Index]:
    with open_with_hashes(library_path) as index:
        yield index


@pytest.fixture
def opener() -> Callable[..., Index]:
    return open_with_hashes


@pytest.fixture
def records_writer() -> Callable[[Path, Sequence[Mapping[str, Any]]], Path]:
    return write_records
