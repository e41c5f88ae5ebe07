"""Documents that are purged: no trace of them anywhere, what else was there as before, and a purge that is
cut short or refused."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import treegraph
from command_line import Here, validate
from folder_copies import copy_folder
from hash_embedder import FakeHashEmbedder
from planted_guide import KEEPING, PLANTED, SCANNED, traces, write_planted
from real_neo4j import PASSWORD, RealNeo4j
from scripted_reader import ScriptedReader
from small_guide import GUIDE
from small_index import build, manual, sources
from treegraph.indexer.errors import (
    Cancelled,
    ConfigurationError,
    GenerationGone,
    RemovalRefused,
    StoreError,
    WorkError,
)
from treegraph.indexer.graph.edits import Edits
from treegraph.indexer.models import ocr
from treegraph.indexer.stores.edge import EdgeVectorStore
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.stores.graph_sqlite import SqliteGraphStore
from treegraph.indexer.stores.images import ImageFolder
from treegraph.indexer.stores.ledger import Ledger
from treegraph.indexer.stores.ledger_purge import LedgerPurge
from treegraph.indexer.stores.ledger_runs import LedgerCallCache
from treegraph.pipelines.events import Event
from treegraph.pipelines.graph_edits import edit_graph, graph_edits
from treegraph.pipelines.maintenance import rollback, status
from treegraph.pipelines.purging import purge
from treegraph.pipelines.removing import remove
from treegraph.pipelines.verification.verify import verify

ALL = f"g/{PLANTED}*"
ANSWERS = "turn the impeller of the pump"


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The planted guide in ``g`` and its index, two generations of it, in ``index``."""
    folder = tmp_path_factory.mktemp("planted")
    guide, index = write_planted(folder / "g"), folder / "index"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ocr, "load_ocr", lambda settings: ScriptedReader(lambda number: SCANNED))
        build(index, guide, config=KEEPING)
        with (guide / f"{PLANTED}.md").open("a") as file:
            file.write(f"\nThe valve needs {PLANTED} too.\n")
        report = build(index, guide, config=KEEPING)
    assert [failure.source for failure in report.failed] == [f"g/{PLANTED} bad.pdf"]
    opened = IndexFolder.open(index)
    LedgerCallCache(opened.ledger).put("key", f"A model said {PLANTED}.", 1, 1, 0.0)
    opened.close()
    return folder


@pytest.fixture
def index(planted: Path, tmp_path: Path) -> Path:
    return copy_folder(planted / "index", tmp_path / "index")


def purged(index: Path, *patterns: str, **options: object) -> treegraph.BuildReport:
    options.setdefault("config", GUIDE)
    return purge(index, patterns or (ALL,), embedder=FakeHashEmbedder(), **options)  # type: ignore[arg-type]


def answers(index: Path) -> list[list[str]]:
    with treegraph.open_index(index, config=GUIDE, embedder=FakeHashEmbedder()) as opened:
        found = [opened.search(ANSWERS, k=3, route=route) for route in ("hybrid", "tree", "graph")]
        return [[hit.citations[0].source for hit in hits] for hits in found]


def test_nothing_of_it_is_left_anywhere_and_the_rest_answers(index: Path, planted: Path) -> None:
    assert verify(index).findings == []
    before = " ".join(traces(index))
    for place in ("ledger.db", "graph.db", "vectors/g1", "vectors/g2", "leaves.npz"):
        assert place in before
    for table in ("readings", "failures", "extractions", "calls", "builds", "documents"):
        assert f"ledger.db: {table}" in before
    assert len(list((index / "images").iterdir())) == 1
    report = purged(index)
    assert (traces(index), verify(index).findings) == ([], [])
    assert report.removed == [f"g/{PLANTED} scan.pdf", f"g/{PLANTED}.md", f"g/{PLANTED}.pdf"]
    assert {**report.purged, "reports": 0} == {
        "documents": 3,
        "failures": 1,
        "generations": 1,
        "images": 1,
        "model calls": 1,
        "readings": 0,
        "reports": 0,
    }
    validate("build", report.to_json())
    told = status(index)
    assert (list(told["generations"]), told["failed"]) == (["3"], [])
    assert all(found and set(found) <= {"g/pump.md"} for found in answers(index))
    with pytest.raises(GenerationGone):
        rollback(index)
    again = build(index, planted / "g" / "pump.md", config=GUIDE)
    assert again.failed == []


def test_a_part_that_is_purged_leaves_the_others(index: Path) -> None:
    purged(index, f"g/{PLANTED}.md", f"g/{PLANTED} bad.pdf")
    assert sources(index) == {f"g/{PLANTED} scan.pdf", f"g/{PLANTED}.pdf", "g/pump.md"}
    left = "\n".join(traces(index, "opens"))
    assert left == ""
    told = traces(index, f"g/{PLANTED}.md")
    assert told == []
    assert "ledger.db: readings" in traces(index)


def test_what_was_removed_before_is_purged_from_the_generation_before(index: Path) -> None:
    remove(index, [ALL], config=GUIDE, yes=True, embedder=FakeHashEmbedder())
    assert traces(index)
    report = purged(index)
    assert (report.generation, report.removed) == (None, [])
    assert traces(index) == []
    assert sources(index) == {"g/pump.md"}


def test_who_reads_the_index_is_named_and_nothing_changed(index: Path) -> None:
    with treegraph.open_index(index, config=GUIDE, embedder=FakeHashEmbedder()):
        with pytest.raises(WorkError, match=f"process {os.getpid()} reads generation 2"):
            purged(index)
        assert len(sources(index)) == 4
    for pattern, error in (("g/none.md", ConfigurationError), ("g", RemovalRefused)):
        with pytest.raises(error):
            purged(index, pattern)
    assert status(index)["generation"] == 2


class _Killed(BaseException):
    """In the place of a kill."""


STEPS = (
    (EdgeVectorStore, "purge", False),
    (EdgeVectorStore, "_erase", True),
    (SqliteGraphStore, "purge", False),
    (ImageFolder, "forget", True),
    (LedgerPurge, "forget", True),
    (Ledger, "compact", False),
)
"""Where to die: before the step, or (True) right behind it."""


def test_the_same_command_goes_on_wherever_it_was_killed(index: Path) -> None:
    """One purge that dies at every step, one after the other."""

    def dying(step: Callable[..., object], late: bool) -> Callable[..., object]:
        def die(*args: object, **options: object) -> object:
            if late:
                step(*args, **options)
            raise _Killed

        return die

    for place, name, late in STEPS:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(place, name, dying(getattr(place, name), late))
            with pytest.raises(_Killed):
                purged(index)
            assert not [one for one in verify(index).findings if one.store in ("folder", "vectors")]
        assert sources(index) == {"g/pump.md"}  # readers open what there is
    purged(index)
    assert traces(index) == []
    assert all(answers(index))
    with pytest.raises(ConfigurationError, match="nothing in this index fits"):
        purged(index)


def test_a_purge_of_several_is_gone_on_with_by_the_same_command(index: Path) -> None:
    several = (f"g/{PLANTED}.md", f"g/{PLANTED}.pdf")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ImageFolder, "forget", lambda *_: (_ for _ in ()).throw(_Killed))
        with pytest.raises(_Killed):
            purged(index, *several)
    purged(index, *several)
    assert sources(index) == {f"g/{PLANTED} scan.pdf", "g/pump.md"}
    assert traces(index, f"g/{PLANTED}.md") == []


def test_a_purge_whose_process_is_killed_is_gone_on_with(index: Path) -> None:
    code = f"""
import os, signal, sys
sys.path[:0] = {sys.path!r}
from pathlib import Path
from hash_embedder import FakeHashEmbedder
from small_guide import GUIDE
from treegraph.pipelines.purging import purge
kill = lambda event: event.stage == "purge" and os.kill(os.getpid(), signal.SIGKILL)
purge(Path({str(index)!r}), [{ALL!r}], config=GUIDE, embedder=FakeHashEmbedder(), on_event=kill)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, timeout=120)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert status(index)["generation"] == 3
    purged(index)
    assert traces(index) == []


def test_what_a_stopped_build_wrote_of_it_goes_too(tmp_path: Path) -> None:
    guide, index, stop = manual(tmp_path / "g", pump="The pump runs."), tmp_path / "index", threading.Event()
    build(index, guide)
    (guide / f"{PLANTED}.md").write_text(f"The {PLANTED} requires the pump.")

    def stopping(event: Event) -> None:
        if event.stage == "graph":
            stop.set()

    with pytest.raises(Cancelled):
        build(index, guide, cancel=stop, on_event=stopping)
    assert traces(index)
    purged(index, f"g/{PLANTED}.md")
    assert traces(index) == []
    assert (sources(index), status(index)["unfinished"]) == ({"g/pump.md"}, None)


def test_edits_by_hand_of_its_names_go_with_it(index: Path) -> None:
    def edit(edits: Edits) -> Edits:
        return edits.merge(PLANTED, "impeller").split("pump")

    edit_graph(index, edit, config=KEEPING, embedder=FakeHashEmbedder())
    purged(index)
    assert traces(index) == []
    assert [split.name for split in graph_edits(index).splits] == ["pump"]


def test_edits_by_hand_go_with_what_was_removed_before(index: Path) -> None:
    edit_graph(
        index, lambda edits: edits.merge(PLANTED, "impeller"), config=KEEPING, embedder=FakeHashEmbedder()
    )
    remove(index, [ALL], config=GUIDE, yes=True, embedder=FakeHashEmbedder())
    purged(index)
    assert traces(index) == []
    assert graph_edits(index).merges == ()


def test_names_that_it_had_before_go_too(tmp_path: Path) -> None:
    guide, index = manual(tmp_path / "g", pump="The pump runs."), tmp_path / "index"
    (guide / f"{PLANTED}.md").write_text("# The gate\n\nThe gate opens.\n")
    build(index, guide)
    (guide / f"{PLANTED}.md").rename(guide / "gate.md")
    assert build(index, guide).renamed == ["g/gate.md"]
    assert traces(index)
    purged(index, "g/gate.md")
    assert traces(index) == traces(index, "gate.md") == []


def test_plans_copies_and_what_runs_said_of_it_go_too(index: Path, planted: Path) -> None:
    remove(index, [ALL], config=GUIDE, yes=True, embedder=FakeHashEmbedder())
    for named in ("g/pump.md", "g/none.md"):
        with pytest.raises(ConfigurationError):
            remove(index, [f"{named}/{PLANTED}"], config=GUIDE)
    build(index, planted / "g", config=GUIDE, dry_run=True)
    (index / "leases-killed").mkdir()
    shutil.copy(index / "ledger.db", index / "leases-killed")
    purged(index)
    assert traces(index) == []
    with pytest.raises(ConfigurationError, match=PLANTED):
        purged(index)
    assert traces(index) == []


def test_who_keeps_a_file_from_being_written_anew_is_told(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda *args, **options: connect(*args, **options | {"timeout": 0.2})
    )
    with closing(connect(index / "graph.db", isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT * FROM chunks").fetchone()
        with pytest.raises(StoreError, match=r"graph\.db"):
            purged(index)
    purged(index)
    assert traces(index) == []


def test_the_command_says_what_was_cleared(copied: Here) -> None:
    report = copied("remove", "--purge", "manuals/valve.md", "--json").json("build")
    assert report["documents"]["removed"] == ["manuals/valve.md"]
    assert report["purged"]["documents"] == 1
    assert not traces(copied.path / "treegraph.index", "valve.md")


@pytest.mark.slow
@pytest.mark.neo4j
def test_nothing_is_left_on_a_server(
    tmp_path: Path, real_neo4j: RealNeo4j, monkeypatch: pytest.MonkeyPatch
) -> None:
    from neo4j import GraphDatabase

    monkeypatch.setenv(PASSWORD, real_neo4j.password)
    config = replace(GUIDE, stores=replace(GUIDE.stores, neo4j=real_neo4j.url))
    guide = write_planted(tmp_path / "g")
    for path in guide.glob("*.pdf"):
        path.unlink()
    (guide / "pump.md").write_text("# The pump\n\nThe Ring Pressure Monitor (RPM) requires the impeller.\n")
    build(tmp_path / "index", guide, config=config, without=["tree"])
    scan = """
MATCH (n) WITH collect(properties(n)) AS nodes MATCH ()-[r]->()
RETURN nodes, collect(properties(r)) AS relationships"""
    with GraphDatabase.driver(real_neo4j.url, auth=(real_neo4j.user, real_neo4j.password)) as driver:
        assert "ldwyn77" in str(driver.execute_query(scan).records)
        purged(tmp_path / "index", config=config)
        held = str(driver.execute_query(scan).records)
    assert "ldwyn77" not in held
    assert "impeller" in held
    assert traces(tmp_path / "index") == []
