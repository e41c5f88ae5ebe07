"""The folder of pictures: one file a picture, and only those that are asked to stay."""

import hashlib
from pathlib import Path

import pytest
from pictured_manual import picture
from treegraph.indexer.errors import StoreError
from treegraph.indexer.stores.images import ImageFolder


def test_a_picture_is_kept_once_by_its_digest(tmp_path: Path) -> None:
    images = ImageFolder(tmp_path / "images")
    assert images.forget(()) == 0
    png = picture()
    digest = images.put(png)
    before = images.file(digest).stat()
    assert (digest, images.put(png)) == (hashlib.sha256(png).hexdigest(), digest)
    assert images.file(digest).read_bytes() == png
    assert images.file(digest).stat().st_mtime_ns == before.st_mtime_ns
    assert [path.name for path in images.path.iterdir()] == [f"{digest}.png"]


def test_only_its_own_files_are_forgotten(tmp_path: Path) -> None:
    images = ImageFolder(tmp_path / "images")
    kept, gone = images.put(picture(1)), images.put(picture(2))
    (images.path / ".new-cut-short").write_bytes(b"half")
    (images.path / "notes.txt").write_text("mine")
    assert images.forget({kept}) == 1
    assert {path.name for path in images.path.iterdir()} == {f"{kept}.png", "notes.txt"}
    assert not images.file(gone).exists()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "images").write_text("a file stands where the folder should be")
    with pytest.raises(StoreError, match="images"):
        ImageFolder(tmp_path / "images").put(picture())
