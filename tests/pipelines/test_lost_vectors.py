"""Files of the embedded vectors that are gone: every command says so and what to do, and none finds less."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import treegraph
from hash_embedder import FakeHashEmbedder
from small_index import CONFIG, build, manual, open_small
from treegraph.indexer.errors import GenerationGone, StoreInconsistent, WorkError
from treegraph.indexer.stores.manifest import read_manifest, write_manifest
from treegraph.pipelines.verification.verify import verify

TEXT = "# Pump PX-7\n\nThe pump PX-7 feeds the boiler BX-2.\n\n# Limits\n\nPX-7 stops above 80 °C.\n"


def _folder(index: Path) -> None:
    shutil.rmtree(index / "vectors" / "g1")


def _storage(index: Path) -> None:
    for path in index.glob("vectors/g1/segments/*/vector_storage-*"):
        shutil.rmtree(path)


def _end(index: Path) -> None:
    (path,) = index.glob("vectors/g1/segments/*/payload_storage/tracker.dat")
    path.write_bytes(path.read_bytes()[:1000])


@pytest.mark.parametrize(
    ("lose", "error"), [(_folder, GenerationGone), (_storage, StoreInconsistent), (_end, StoreInconsistent)]
)
def test_what_is_lost_is_said_and_made_again(
    lose: Callable[[Path], None], error: type[WorkError], tmp_path: Path
) -> None:
    sources, index = manual(tmp_path / "manuals", pump=TEXT), tmp_path / "index"
    build(index, sources)
    assert treegraph.status(index)["lost"] is None
    with open_small(index) as opened:
        before = [hit.id for hit in opened.search("what feeds the boiler?", k=3).hits]
    lose(index)
    with pytest.raises(error, match="treegraph verify --repair"), open_small(index) as opened:
        opened.search("what feeds the boiler?", k=3)
    assert "treegraph verify --repair" in treegraph.status(index)["lost"]
    (sources / "valve.md").write_text("# Valve\n\nThe valve VX-1 shuts the line L4.\n")
    with pytest.raises(error, match="treegraph verify --repair"):
        build(index, sources)
    (sources / "valve.md").unlink()
    assert [one.kind for one in verify(index).findings if one.store == "vectors"] == ["vectors unreadable"]
    repaired = verify(index, repair=True, config=CONFIG, embedder=FakeHashEmbedder())
    assert (repaired.findings, repaired.generation) == ([], 3)
    with open_small(index) as opened:
        assert [hit.id for hit in opened.search("what feeds the boiler?", k=3).hits] == before


def test_how_an_index_stands_is_told_while_its_server_is_away(tmp_path: Path) -> None:
    index = tmp_path / "index"
    build(index, manual(tmp_path / "manuals", pump=TEXT))
    away = {"vectors": "qdrant", "qdrant_url": "http://127.0.0.1:9"}
    write_manifest(index, replace(read_manifest(index), stores=away))
    told = treegraph.status(index)
    assert (told["stores"], told["lost"], told["chunks"] > 0) == (away, None, True)
