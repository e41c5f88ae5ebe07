"""The doctor: every part is looked at, says how it stands and what to do; none hangs it or tells secrets."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import tiny_onnx
from command_line import Done, Here
from fake_bolt import fake_bolt
from fake_openai import Answer
from fake_vision import FakeVisionServer
from folder_copies import copy_folder
from qdrant_over_http import qdrant_over_http
from real_neo4j import RealNeo4j
from small_index import CONFIG, build, manual, moved
from small_llm import SmallLLM
from treegraph.indexer.errors import Cancelled
from treegraph.indexer.stores.folder import IndexFolder
from treegraph.indexer.stores.locks import claims, writer_lock
from treegraph.indexer.stores.manifest import read_manifest, write_manifest
from treegraph.pipelines.config import Effective, load_config
from treegraph.pipelines.doctor import looking
from treegraph.pipelines.doctor.environment import ENABLES
from treegraph.pipelines.doctor.examination import doctor
from treegraph.pipelines.doctor.finding import Check, Finding, fine
from treegraph.pipelines.doctor.looking import Look, looked_at
from treegraph.pipelines.doctor.memory_limit import memory_limit
from unprivileged import open_to_all, read_only

SECRET = "sk-hush-hush-hush"
SERVED = '[llm]\nbase_url = "{url}"\nmodel = "m-1"\n[vision]\nbase_url = "{url}"\nmodel = "v-1"\n'


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A configuration with models of a few hundred bytes."""
    folder = tmp_path_factory.mktemp("models")
    dense, cross = tiny_onnx.encoder(folder / "dense"), tiny_onnx.cross_encoder(folder / "cross")
    return (
        'version = 1\n[chunk]\ntokenizer = "words"\n'
        f'[embed]\nmodel = "onnx:{dense}"\n[rerank]\nmodel = "onnx:{cross}"\n'
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, models: str) -> Path:
    """A folder with a configuration and an index that was built under it."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "treegraph.toml").write_text(models)
    manual(folder / "guide", reset="# Reset\n\nHold the blue button for seven seconds.")
    config = load_config(folder / "treegraph.toml").config
    build(folder / "treegraph.index", folder / "guide", config=config, embedder=None)
    return folder


@pytest.fixture
def here(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Here:
    """A copy of it, and secrets in the environment."""
    copied = copy_folder(built, tmp_path / "here")
    moved(copied / "treegraph.index", copied / "guide")
    here = Here.entered(copied, monkeypatch, capsys)
    monkeypatch.setenv("TREEGRAPH_LLM_API_KEY", SECRET)
    monkeypatch.setenv("TREEGRAPH_NEO4J_PASSWORD", SECRET)
    return here


def checks(done: Done) -> dict[str, dict[str, str]]:
    found = done.json("doctor")
    assert SECRET not in done.out + done.err
    assert done.code == (0 if found["ok"] else 3)
    return {check["name"]: check for check in found["checks"]}


def states(found: dict[str, dict[str, str]], state: str) -> set[str]:
    return {name for name, check in found.items() if check["state"] == state}


def told(check: dict[str, str]) -> str:
    return f"{check['found']} -> {check['do']}"


def one(here: Here, name: str, *flags: str) -> str:
    """What is told of one check."""
    return told(checks(here("doctor", "--json", "--only", name, *flags))[name])


def configured(here: Here, models: str, **tables: str) -> None:
    (here.path / "treegraph.toml").write_text(models + "".join(tables.values()))


def test_where_all_is_well_every_part_says_so(here: Here, models: str) -> None:
    with FakeVisionServer() as server:
        prices = SERVED.replace('m-1"', 'm-1"\nprice_in = 1.0').replace('v-1"', 'v-1"\nprice_out = 2.0')
        configured(here, models, served=prices.format(url=server.base_url))
        done = here("doctor", "--json", "-q")
        found = checks(done)
    assert done.code == 0
    assert done.err == ""
    assert len(server.asked) == 1
    assert not states(found, "failed")
    well = {"python", "reading files", "configuration", "prices", "index", "index lock", "index writable"}
    well |= {"embedder", "sparse encoder", "tokenizer", "OCR", "language model", "vision model", "secrets"}
    assert well <= states(found, "ok")
    assert {"Qdrant", "Neo4j"} <= states(found, "not configured")
    assert {f"extra {name}" for name in ENABLES} <= found.keys()
    assert "8 dimensions" in told(found["embedder"])
    assert "generation 1" in told(found["index"])
    assert f"m-1 at {server.base_url} answered" in told(found["language model"])
    assert "1 rows" in told(found["embedded stores"])
    assert "TREEGRAPH_LLM_API_KEY" in told(found["secrets"])


def test_for_people_each_part_is_a_line_with_what_to_do_below(here: Here) -> None:
    names = ("index", "prices", "clock", "Neo4j")
    done = here("doctor", "-i", "nowhere", *(part for name in names for part in ("--only", name)))
    assert done.code == 0
    lines = done.out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("index "))
    assert "not configured" in lines[at]
    assert lines[at + 1].strip() == "-> treegraph build SOURCE -i nowhere"
    assert lines[-1].endswith("not configured")
    assert "looking" in done.err


def test_dead_services_are_named_with_their_addresses_in_seconds(here: Here, models: str) -> None:
    configured(here, models, served=SERVED.format(url="http://127.0.0.1:9/v1"))
    began = time.monotonic()
    done = here("doctor", "--json", "--qdrant", "http://127.0.0.1:9", "--neo4j", "bolt://127.0.0.1:9")
    assert time.monotonic() - began < 40
    found = checks(done)
    assert done.code == 3
    assert states(found, "failed") == {"language model", "vision model", "Qdrant", "Neo4j"}
    for name in states(found, "failed"):
        assert "127.0.0.1:9" in found[name]["found"]
        assert found[name]["do"]
    assert states(found, "warning") >= {"prices"}
    quiet = checks(here("doctor", "--json", "--no-calls", "--only", "language model"))
    assert "not called" in told(quiet["language model"])
    assert not states(quiet, "failed")


@contextmanager
def silent() -> Iterator[int]:
    """The port of a server that takes connections and says nothing."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(50)
        yield listening.getsockname()[1]


def test_services_that_say_nothing_hold_nothing_up(here: Here, models: str) -> None:
    with silent() as port:
        configured(here, models, served=SERVED.format(url=f"http://127.0.0.1:{port}/v1"))
        flags = ("--qdrant", f"http://127.0.0.1:{port}", "--neo4j", f"bolt://127.0.0.1:{port}")
        began = time.monotonic()
        found = checks(here("doctor", "--json", "--seconds", "0.5", *flags))
        assert time.monotonic() - began < 40
    assert states(found, "failed") == {"language model", "vision model", "Qdrant", "Neo4j"}


@pytest.mark.parametrize(
    ("answer", "state", "said"),
    [
        (Answer("I see nothing."), "warning", "did not read the picture"),
        (Answer("4711", usage=False), "warning", "without counting tokens"),
        (Answer("no such model", status=404), "failed", "404"),
    ],
)
def test_a_model_that_answers_otherwise_is_told_from_a_good_one(
    here: Here, models: str, answer: Answer, state: str, said: str
) -> None:
    with FakeVisionServer(lambda *_: answer) as server:
        seeing = "[vision]" + SERVED.partition("[vision]")[2].format(url=server.base_url)
        configured(here, models, seeing=seeing)
        check = checks(here("doctor", "--json", "--only", "vision model"))["vision model"]
    assert (check["state"], said in check["found"]) == (state, True)


def test_a_configuration_that_cannot_be_read_or_met_is_a_finding(here: Here, models: str) -> None:
    configured(here, models, wrong="[load]\npfd = 'auto'\n")
    done = here("doctor", "--json", "--only", "configuration", "--only", "index")
    found = checks(done)
    assert done.code == 3
    assert "pfd" in found["configuration"]["found"]
    assert found["index"]["state"] == "ok"
    configured(here, models)
    assert "--vision MODEL@URL" in one(here, "configuration", "--pdf", "native")
    configured(here, models, tree='[tree]\nsummary = "model"\n')
    assert "[tree] summary" in one(here, "configuration")
    configured(here, models, locked='[load.passwords]\n"*.pdf" = "env:PUMP_PASSWORD"\n')
    assert "not set: PUMP_PASSWORD" in one(here, "secrets")
    assert here("doctor", "--vision", "no-address").code == 2
    unknown = here("doctor", "--only", "moon")
    assert (unknown.code, "no check named moon" in unknown.err) == (2, True)


def test_an_index_of_another_embedder_is_told(tmp_path: Path, models: str) -> None:
    build(tmp_path / "index", manual(tmp_path / "guide", reset="Hold the blue button."), config=CONFIG)
    (tmp_path / "treegraph.toml").write_text(models)
    found = diagnosed(tmp_path / "index", tmp_path / "treegraph.toml", "embedder", "sparse encoder")
    assert found["embedder"].state == "failed"
    assert "this index was made with embedder" in found["embedder"].found
    assert "set [embed] as it was" in found["embedder"].do


def diagnosed(index: Path, config: Path, *only: str) -> dict[str, Check]:
    diagnosis = doctor(index, configure=lambda: load_config(config), only=only)
    return {check.name: check for check in diagnosis.checks}


def test_a_damaged_index_is_told_once(here: Here) -> None:
    (here.path / "treegraph.index" / "index.toml").write_text("format = [")
    names = ("index", "clock", "embedder", "embedded stores", "Qdrant")
    found = {check.name: check for check in doctor("treegraph.index", only=names).checks}
    assert [name for name in names if found[name].state == "failed"] == ["index"]
    assert "not what treegraph wrote" in found["index"].found
    assert "restore it from a copy" in found["index"].do


def test_who_holds_the_index_and_what_the_dead_left(here: Here) -> None:
    index = here.path / "treegraph.index"
    code = (
        "import os, sys; from pathlib import Path; from treegraph.indexer.stores.locks import take_lease\n"
        "take_lease(Path(sys.argv[1]), 1); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, str(index)], check=True, env=os.environ)
    assert claims(index) == ({}, 1)
    folder = IndexFolder.open(index)
    with writer_lock(index):
        lease = folder.lease()
        found = diagnosed(index, here.path / "treegraph.toml", "index lock", "readers")
        lease.release()
    folder.close()
    assert found["index lock"].state == "warning"
    assert f"process {os.getpid()}" in found["index lock"].found
    assert f"generation 1 by process {os.getpid()}" in found["readers"].found
    assert "1 leases of processes that died" in found["readers"].found
    assert claims(index) == ({}, 1), "nothing was swept"


def test_a_build_that_was_cut_short_and_a_clock_that_went_back_are_told(here: Here) -> None:
    index = here.path / "treegraph.index"
    stop = threading.Event()
    (here.path / "guide" / "more.md").write_text("# More\n\nAnother lamp burns green.")

    def halfway(event: object) -> None:
        if getattr(event, "stage", "") == "index":
            stop.set()

    config = load_config(here.path / "treegraph.toml").config
    with pytest.raises(Cancelled):
        build(index, here.path / "guide", config=config, embedder=None, cancel=stop, on_event=halfway)
    manifest = read_manifest(index)
    text = (index / "index.toml").read_text()
    built = manifest.generations[1].built
    write_manifest(index, manifest)
    (index / "index.toml").write_text(text.replace(built, "2999" + built[4:]))
    found = diagnosed(index, here.path / "treegraph.toml", "index", "clock")
    assert found["index"].state == "warning"
    assert "generation 2 was begun and not finished" in found["index"].found
    assert found["clock"].state == "warning"
    assert "2999" in found["clock"].found


def test_a_folder_that_is_closed_is_fine_for_readers_and_one_that_is_none_is_told(models: str) -> None:
    with open_to_all() as folder:
        (folder / "treegraph.toml").write_text(models)
        build(folder / "index", manual(folder / "guide", reset="Hold the blue button."), config=CONFIG)
        from treegraph.pipelines.doctor.index_folder import index_folder

        with read_only(folder / "index"):
            found = {look.name: look.look() for look in index_folder(folder / "index")}
        assert found["index writable"].state == "warning"
        assert {found[name].state for name in ("index", "index lock", "embedded stores")} == {"ok"}
        (folder / "other").mkdir()
        (folder / "other" / "notes.txt").touch()
        other = next(look.look() for look in index_folder(folder / "other"))
        assert (other.state, "no index" in other.found) == ("failed", True)


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")
def test_a_qdrant_server_says_its_version_and_what_it_has(here: Here) -> None:
    with qdrant_over_http() as url:
        assert "no collection" in one(here, "Qdrant", "--qdrant", url)
        assert here("build", "guide", "-i", "served", "--qdrant", url, "-q").code == 0
        assert "1 rows of this index, generation 1 whole" in one(here, "Qdrant", "-i", "served")


def test_a_neo4j_of_another_version_is_told(here: Here) -> None:
    with fake_bolt("Neo4j/4.4.38") as url:
        check = checks(here("doctor", "--json", "--only", "neo4j", "--neo4j", url))["Neo4j"]
    assert check["state"] == "failed"
    assert "5.26" in check["do"]


@pytest.mark.neo4j
def test_a_real_neo4j_says_its_version_and_its_indexes(
    here: Here, real_neo4j: RealNeo4j, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TREEGRAPH_NEO4J_PASSWORD", real_neo4j.password)
    check = checks(here("doctor", "--json", "--only", "Neo4j", "--neo4j", real_neo4j.url))["Neo4j"]
    assert check["state"] == "ok"
    assert "Neo4j/5" in check["found"]


def test_the_limit_of_memory_is_that_of_the_tightest_group(tmp_path: Path) -> None:
    own, root = tmp_path / "own", tmp_path / "root"
    group = root / "nightly.slice" / "build.service"
    group.mkdir(parents=True)
    own.write_text("0::/nightly.slice/build.service\n")
    assert memory_limit(own, root) is None
    for folder, most, used in ((group, "max", "50"), (group.parent, "900", "100"), (root, "max", "999")):
        (folder / "memory.max").write_text(f"{most}\n")
        (folder / "memory.current").write_text(f"{used}\n")
    assert memory_limit(own, root) == (900, 100)
    (group / "memory.max").write_text("500\n")
    (group / "memory.stat").write_text("anon 20\ninactive_file 30\n")
    assert memory_limit(own, root) == (500, 20)
    own.write_text("7:cpu,cpuacct:/\n4:memory:/docker/1234\n")  # version 1, of a container
    (root / "memory").mkdir()
    (root / "memory" / "memory.limit_in_bytes").write_text("700\n")
    (root / "memory" / "memory.usage_in_bytes").write_text("300\n")
    assert memory_limit(own, root) == (700, 300)
    assert memory_limit(tmp_path / "gone", root) is None


def test_a_cache_that_is_closed_is_a_warning_and_a_closed_configuration_a_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def closed() -> Effective:
        raise PermissionError(13, "Permission denied", "treegraph.toml")

    with open_to_all() as folder, read_only(folder):
        monkeypatch.setenv("TREEGRAPH_CACHE", str(folder / "cache"))
        names = ("cache folder", "configuration")
        cache, configuration = doctor(folder / "nowhere", configure=closed, only=names).checks
    assert (cache.state, cache.do) == ("warning", "make it writable, or name another in TREEGRAPH_CACHE")
    assert configuration.state == "failed"
    assert configuration.found == "treegraph.toml cannot be read: Permission denied"


def test_what_hangs_is_given_up_and_what_breaks_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "_LOADING", 0.2)
    go = threading.Event()

    def hang() -> Finding:
        go.wait(30)
        return fine("late")

    def broken() -> Finding:
        raise RuntimeError(f"key {SECRET} refused")

    looks = [Look("hangs", hang, True), Look("broken", broken), Look("good", lambda: fine("well"))]
    found = {check.name: check for check in looked_at(looks, 0.2, threading.Event())}
    go.set()
    assert [check.state for check in found.values()] == ["failed", "failed", "ok"]
    assert SECRET not in found["broken"].found
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        doctor("nowhere", cancel=stop, calls=False)


def test_as_a_command_it_leaves_no_trace(here: Here) -> None:
    before = sorted(str(path) for path in here.path.rglob("*"))
    names = ("index", "index writable", "disk", "readers", "embedded stores", "cache folder", "reading files")
    only = [part for name in names for part in ("--only", name)]
    document = json.loads(here("doctor", "--json", "-q", *only).out)
    assert document["index"] == "treegraph.index"
    assert sorted(str(path) for path in here.path.rglob("*")) == before


@pytest.mark.llm
def test_a_real_language_model_answers(here: Here, models: str, small_llm: SmallLLM) -> None:
    configured(here, models, llm=f'[llm]\nbase_url = "{small_llm.base_url}"\nmodel = "{small_llm.model}"\n')
    check = checks(here("doctor", "--json", "--only", "language model", "--seconds", "30"))["language model"]
    assert check["state"] in ("ok", "warning")
    assert f"at {small_llm.base_url} answered in" in check["found"]
