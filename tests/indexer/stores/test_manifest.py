"""The manifest: what is written comes back, what is damaged says what to do, a draft harms nothing."""

from __future__ import annotations

import os
import resource
import uuid
from pathlib import Path

import pytest
from treegraph.indexer.errors import ConfigurationError, IndexIncompatible, IndexNotFound, WorkError
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.stores.manifest import Generation, Manifest, read_manifest, write_manifest
from unprivileged import open_to_all, read_only

INDEX = "7b1c4a52-6f0e-4c3e-9d0f-2f8f6f1b8f11"
WHOLE = Manifest(
    index_id=INDEX,
    published=3,
    newest=4,
    generations={
        1: Generation(None, "2025-01-01T00:00:00Z", 384),
        3: Generation(1, "2025-01-02T00:00:00Z", 384, False, {"embedder": "m"}, {"tree": 1}),
    },
    stores={"vectors": "qdrant", "qdrant_url": "http://localhost:6333"},
)


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    for manifest in (WHOLE, Manifest(INDEX)):
        write_manifest(tmp_path, manifest)
        assert read_manifest(tmp_path) == manifest


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (f'index_id = "{INDEX}"\n', "", "index_id is missing"),
        (f'"{INDEX}"', "7", "index_id is 7"),
        (f'"{INDEX}"', '"mine"', "UUID"),
        ("format = 1\n", "", "format is missing"),
        ("format = 1", 'format = "1"', "format is '1'"),
        ("published = 3", 'published = "3"', "published is '3'"),
        ("newest = 4", "newest = true", "newest is True"),
        ("dimension = 384\nidf = false", "idf = false", "dimension is missing"),
        ("dimension = 384", "dimension = 384.5", r"dimension is 384\.5"),
        ('built = "2025-01-01T00:00:00Z"', "built = 2025-01-01T00:00:00Z", "built is"),
        ("base = 1", 'base = "1"', "base is '1'"),
        ("tree = 1", 'tree = "x"', "tree is 'x'"),
        ('embedder = "m"', "embedder = 1", "embedder is 1"),
        ("[generations.1]", "[generations.first]", "first"),
        ('vectors = "qdrant"', 'vectors = "cupboard"', "cupboard"),
        ('qdrant_url = "http://localhost:6333"\n', "", "qdrant_url"),
        ("format = 1", "format = ", "Invalid"),
    ],
)
def test_a_damaged_manifest_is_named_with_the_way_out(tmp_path: Path, old: str, new: str, named: str) -> None:
    write_manifest(tmp_path, WHOLE)
    path = tmp_path / "index.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(IndexIncompatible, match=named) as caught:
        read_manifest(tmp_path)
    assert str(path) in str(caught.value)
    assert "restore it from a copy" in str(caught.value)


def test_a_newer_format_asks_for_a_newer_treegraph(tmp_path: Path) -> None:
    write_manifest(tmp_path, WHOLE)
    path = tmp_path / "index.toml"
    path.write_text(path.read_text().replace("format = 1", "format = 99"))
    with pytest.raises(IndexIncompatible, match="upgrade treegraph"):
        read_manifest(tmp_path)


def test_no_manifest_is_no_index(tmp_path: Path) -> None:
    with pytest.raises(IndexNotFound, match="treegraph build"):
        read_manifest(tmp_path)


def test_an_interrupted_draft_harms_nothing_and_goes_with_the_next(tmp_path: Path) -> None:
    draft = tmp_path / ".index.toml.4711"
    draft.write_text("format = ")
    with pytest.raises(IndexNotFound):
        read_manifest(tmp_path)
    IndexFolder.create(tmp_path, INDEX).close()
    draft.write_text("format = ")
    assert read_manifest(tmp_path).index_id == INDEX
    IndexFolder.open(tmp_path).close()
    write_manifest(tmp_path, WHOLE)
    assert not draft.exists()
    assert read_manifest(tmp_path) == WHOLE


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    write_manifest(tmp_path, WHOLE)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, limits[1]))
    try:
        with pytest.raises(WorkError, match=r"index\.toml"):
            write_manifest(tmp_path, Manifest(str(uuid.uuid4())))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert read_manifest(tmp_path) == WHOLE
    assert os.listdir(tmp_path) == ["index.toml"]


def test_a_manifest_that_is_closed_to_us_names_permissions() -> None:
    with open_to_all() as folder:
        write_manifest(folder, WHOLE)
        with read_only(folder):
            assert read_manifest(folder) == WHOLE
            with pytest.raises(WorkError, match="permissions"):
                write_manifest(folder, Manifest(INDEX))
        assert read_manifest(folder) == WHOLE


def test_an_index_id_that_is_no_uuid_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="UUID"):
        IndexFolder.create(tmp_path / "index", "mine")
    assert not (tmp_path / "index").exists()
