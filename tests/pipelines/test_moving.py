"""An index exported to one file and made again of it, in the same stores and in others."""

from __future__ import annotations

import json
import threading
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
import treegraph
from command_line import Here
from hash_embedder import FakeHashEmbedder
from index_content import published_content
from qdrant_over_http import qdrant_over_http
from real_neo4j import RealNeo4j
from small_index import CONFIG, build, manual, open_small
from treegraph.indexer.errors import (
    Cancelled,
    ConfigurationError,
    IndexIncompatible,
    WorkError,
)
from treegraph.pipelines.config import StoreSettings
from treegraph.pipelines.exporting import export_index
from treegraph.pipelines.importing import import_index
from treegraph.pipelines.verification.verify import verify

TEXTS = {
    "pump": "# Pump PX-7\n\nThe pump PX-7 feeds the boiler BX-2.\n\n# Limits\n\nPX-7 stops above 80 °C.\n",
    "boiler": "# Boiler BX-2\n\nBX-2 heats the line L4. PX-7 feeds it.\n\n# Alarm\n\nE-101 stops it.\n",
}


def _built(folder: Path) -> tuple[Path, Path]:
    """The sources and an index of two generations over them, the older of which had a document more."""
    sources = manual(folder / "manuals", valve="# Valve\n\nThe valve VX-1 shuts the line L4.\n", **TEXTS)
    index = folder / "index"
    build(index, sources)
    (sources / "valve.md").unlink()
    build(index, sources, yes=True)
    return sources, index


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index that no test changes."""
    return _built(tmp_path_factory.mktemp("built"))[1]


@pytest.fixture(scope="module")
def archive(index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("copies") / "index.zip"
    export_index(index, path)
    return path


def test_what_is_imported_is_the_index_that_was_exported(tmp_path: Path) -> None:
    sources, index = _built(tmp_path)
    archive, copy = tmp_path / "index.zip", tmp_path / "copy"
    told = export_index(index, archive)
    assert import_index(archive, copy, config=CONFIG) | {"bytes": 0, "seconds": 0} == told | {
        "bytes": 0,
        "seconds": 0,
    }
    assert published_content(copy) == published_content(index)
    assert verify(copy, config=CONFIG, embedder=FakeHashEmbedder()).findings == []
    assert "valve" not in json.dumps(sorted(map(str, copy.rglob("*"))))
    report = build(copy, sources)
    assert (report.generation, report.embedded) == (None, 0)
    (sources / "pump.md").write_text("# Pump PX-7\n\nThe pump PX-7 feeds the boiler BX-3.\n")
    assert build(copy, sources).changed == build(index, sources).changed == ["manuals/pump.md"]
    assert published_content(copy) == published_content(index)


@pytest.mark.neo4j
def test_to_servers_and_back(
    archive: Path,
    index: Path,
    real_neo4j: RealNeo4j,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TREEGRAPH_NEO4J_PASSWORD", real_neo4j.password)
    monkeypatch.setenv("TREEGRAPH_NEO4J_USER", real_neo4j.user)
    before = published_content(index)
    with qdrant_over_http() as url:
        served = replace(CONFIG, stores=StoreSettings(qdrant=url, neo4j=real_neo4j.url))
        import_index(archive, tmp_path / "served", config=served)
        assert published_content(tmp_path / "served")["graph"] == before["graph"]
        with pytest.raises(ConfigurationError, match="--yes"):
            import_index(archive, tmp_path / "again", config=served)
        import_index(archive, tmp_path / "again", config=served, yes=True)
        export_index(tmp_path / "again", tmp_path / "back.zip")
    import_index(tmp_path / "back.zip", tmp_path / "back", config=CONFIG)
    after = published_content(tmp_path / "back", vectors=False)  # that stand-in rounds them
    assert after == published_content(index, vectors=False)


def test_half_an_archive_makes_nothing(archive: Path, tmp_path: Path) -> None:
    whole = archive.read_bytes()
    for share in (0, 0.01, 0.5, 0.9, 0.999):
        half, into = tmp_path / f"half-{share}", tmp_path / f"into-{share}"
        half.write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(WorkError, match="no whole archive"):
            import_index(half, into, config=CONFIG)
        assert not into.exists()


def test_a_byte_that_changed_is_found_before_anything_is_made(archive: Path, tmp_path: Path) -> None:
    whole = bytearray(archive.read_bytes())
    with zipfile.ZipFile(archive) as members:
        places = [member.header_offset + 200 for member in members.infolist() if member.file_size > 500]
    assert len(places) > 3
    for place in places:
        broken, into = tmp_path / f"broken-{place}", tmp_path / f"into-{place}"
        broken.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with pytest.raises(WorkError, match="no whole archive"):
            import_index(broken, into, config=CONFIG)
        assert not into.exists()


def test_a_note_that_changed_is_found(archive: Path, tmp_path: Path) -> None:
    whole = archive.read_bytes()
    with zipfile.ZipFile(archive) as members:
        note = members.getinfo("export.json")
    start = note.header_offset + 30 + len(note.filename)
    last = start + note.compress_size - 1  # ends the stream, and holds nothing of the note
    for place in range(start, last, 7):
        broken = tmp_path / "broken.zip"
        broken.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with pytest.raises(WorkError, match="no whole archive"):
            import_index(broken, tmp_path / "into", config=CONFIG)


def test_a_header_that_changed_is_found(archive: Path, tmp_path: Path) -> None:
    """In the directory of the zip: versions, flags and methods of packing that no archive has."""
    whole = archive.read_bytes()
    entry = whole.index(b"PK\x01\x02")
    for place, bit in ((entry + 6, 0xFF), (entry + 8, 0x01), (entry + 8, 0x20), (entry + 10, 0xFF)):
        broken = tmp_path / "broken.zip"
        broken.write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
        with pytest.raises(WorkError, match="no whole archive"):
            import_index(broken, tmp_path / "into", config=CONFIG)


def test_a_newer_archive_is_refused(archive: Path, tmp_path: Path) -> None:
    newer = tmp_path / "newer.zip"
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(newer, "w") as new:
        note = json.loads(old.read("export.json"))
        new.writestr("export.json", json.dumps(note | {"format": 99}))
    with pytest.raises(IndexIncompatible, match="format 99"):
        import_index(newer, tmp_path / "into", config=CONFIG)


def test_no_index_is_overwritten(archive: Path, index: Path, tmp_path: Path) -> None:
    before = published_content(index)
    with pytest.raises(ConfigurationError, match="holds an index already"):
        import_index(archive, index, config=CONFIG, yes=True)
    assert published_content(index) == before
    other = manual(tmp_path / "other")
    (other / "notes.txt").write_text("mine")
    with pytest.raises(treegraph.IndexNotFound, match="not empty"):
        import_index(archive, other, config=CONFIG)
    assert [path.name for path in other.iterdir() if path.name != "writer.lock"] == ["notes.txt"]


@pytest.mark.parametrize("unit", ["bytes", "rows", "graph rows"])
def test_an_import_that_was_stopped_is_begun_anew(
    archive: Path, index: Path, tmp_path: Path, unit: str
) -> None:
    stop, into = threading.Event(), tmp_path / "into"

    def listen(event: treegraph.Event) -> None:
        if event.unit == unit:
            stop.set()

    with pytest.raises(Cancelled):
        import_index(archive, into, config=CONFIG, on_event=listen, cancel=stop)
    if into.exists():
        with open_small(into) as opened, pytest.raises(treegraph.GenerationGone):
            opened.search("pump")
    import_index(archive, into, config=CONFIG)
    assert published_content(into) == published_content(index)


def test_what_was_stopped_beside_a_server_replaces_nothing_on_it(
    archive: Path, index: Path, tmp_path: Path
) -> None:
    stop, into = threading.Event(), tmp_path / "into"
    with qdrant_over_http() as url:
        served = replace(CONFIG, stores=StoreSettings(qdrant=url))
        import_index(archive, tmp_path / "served", config=served)
        with pytest.raises(Cancelled):
            import_index(
                archive, into, config=CONFIG, on_event=lambda e: e.unit == "rows" and stop.set(), cancel=stop
            )
        with pytest.raises(ConfigurationError, match="--yes"):
            import_index(archive, into, config=served)
        held = published_content(tmp_path / "served")
    assert held["documents"] == published_content(index)["documents"]


def test_an_export_appears_whole_or_not_at_all(index: Path, tmp_path: Path) -> None:
    stop = threading.Event()
    kept = tmp_path / "kept.zip"
    kept.write_bytes(b"the copy of yesterday")
    with pytest.raises(Cancelled):
        export_index(index, kept, on_event=lambda event: stop.set(), cancel=stop)
    assert kept.read_bytes() == b"the copy of yesterday"
    for nowhere in (tmp_path / "no folder" / "index.zip", tmp_path):
        with pytest.raises(WorkError, match="cannot write"):
            export_index(index, nowhere)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".kept")]


def test_an_export_beside_a_build_is_of_what_was_published(tmp_path: Path) -> None:
    sources, index = _built(tmp_path)
    before = published_content(index)
    archive = tmp_path / "index.zip"

    def listen(event: treegraph.Event) -> None:
        if event.stage == "publish" and not archive.exists():
            export_index(index, archive)

    (sources / "pump.md").write_text("# Pump PX-8\n\nAnother pump.\n")
    build(index, sources, on_event=listen)
    import_index(archive, tmp_path / "copy", config=CONFIG)
    assert published_content(tmp_path / "copy") == before


def test_the_commands(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = Here.entered(tmp_path, monkeypatch, capsys)
    told = here("export", "index.zip", "-i", str(index), "--json").json("export")
    assert told["bytes"] == (tmp_path / "index.zip").stat().st_size
    made = here("import", "index.zip", "-i", "copy")
    assert made.code == 0
    assert f"published generation 2 of copy\n{told['rows']} rows; graph: " in made.out
    assert here("import", "index.zip", "-i", "other", "--json").json("import")["rows"] == told["rows"]
    again = here("import", "index.zip", "-i", "copy")
    assert (again.code, again.out) == (2, "")
    assert "copy holds an index already" in again.err
    assert here("import", "no.zip", "-i", "new").code == 3
