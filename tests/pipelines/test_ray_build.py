"""Builds on a Ray cluster of two workers: the index of a local build, whatever becomes of the workers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import fatal_edit
import psutil
import pytest
import treegraph
from command_line import environment
from command_line import treegraph as command_line
from fake_vision import FakeVisionServer
from fatal_edit import FatalEdit
from index_content import published_content
from page_pictures import scanned_pdf
from paid_server import PaidServer, by_model
from pictured_manual import write_manual
from small_index import CONFIG, build
from small_plant import INDEX_ID, PLANT, write_plant
from treegraph.indexer.errors import Cancelled, ModelUnavailable, WorkError
from treegraph.indexer.loaders.settings import LoadSettings
from treegraph.indexer.models.settings import EmbedSettings, VisionSettings
from treegraph.indexer.redaction.settings import RedactSettings
from treegraph.pipelines.engines.settings import RunSettings
from treegraph.pipelines.events import Event

RAY = RunSettings("ray", workers=2)
LATER = ("tree", "graph")


@pytest.fixture(scope="module")
def cluster(require_or_skip: Any) -> Iterator[None]:
    """One cluster for all: a build takes what its program has connected to."""
    if find_spec("ray") is None:
        require_or_skip("ray", "Ray is not installed: pip install 'treegraph[ray]'")
    from treegraph.pipelines.engines.ray_cluster import RayCluster

    cluster = RayCluster(RAY)
    yield
    cluster.close()


pytestmark = [pytest.mark.usefixtures("cluster"), pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def manuals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Markdown, records, a PDF with a picture, a corrupt one, and a secret."""
    folder = write_plant(tmp_path_factory.mktemp("manuals") / "plant")
    write_manual(folder / "gate.pdf")
    records = (f'{{"id": "r{n}", "text": "Record {n} says that valve V{n} is shut."}}' for n in range(40))
    (folder / "records.jsonl").write_text("\n".join(records))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    (folder / "secret.md").write_text("# Access\n\nMail to jo.doe@example.com for the code.\n")
    return folder


CONFIGURED = replace(CONFIG, load=LoadSettings(keep_images=True), redact=RedactSettings(kinds=("email",)))


@pytest.fixture(scope="module")
def local(manuals: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    index = tmp_path_factory.mktemp("local") / "index"
    build(index, manuals, config=CONFIGURED, index_id=INDEX_ID, embedder=None)
    return index


def on_ray(index: Path, *sources: Path, **options: object) -> treegraph.BuildReport:
    config = options.pop("config", CONFIGURED)
    assert isinstance(config, treegraph.Config)
    options.setdefault("embedder", None)
    return build(index, *sources, config=replace(config, run=RAY), index_id=INDEX_ID, **options)


def test_the_index_is_that_of_a_local_build(manuals: Path, local: Path, tmp_path: Path) -> None:
    told: list[Event] = []
    report = on_ray(tmp_path / "index", manuals, on_event=told.append)
    assert [failure.source for failure in report.failed] == ["plant/broken.pdf"]
    assert report.redacted == {"email": 1}
    assert published_content(tmp_path / "index") == published_content(local)
    pictures = {path.name for path in (local / "images").iterdir()}
    assert {path.name for path in (tmp_path / "index" / "images").iterdir()} == pictures != set()
    assert report.cpu_seconds["embed"] > 0
    assert any(event.stage == "index" for event in told)
    again = on_ray(tmp_path / "index", manuals)
    assert (again.generation, again.embedded) == (None, 0)
    (manuals / "unit9.md").write_text("# Unit U9\n\nThe Ring Pressure Monitor (RPM) uses CR1.RUN.\n")
    try:
        assert on_ray(tmp_path / "index", manuals).added == ["plant/unit9.md"]
    finally:
        (manuals / "unit9.md").unlink()


def test_workers_that_die_cost_no_more_than_their_batch(
    manuals: Path, local: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    killed: list[int] = []
    done = threading.Event()

    def kill() -> None:
        while not done.is_set() and len(killed) < 3:
            for process in psutil.process_iter(["name", "cmdline"]):
                task = " ".join(process.info["cmdline"] or ())
                if task.startswith(("ray::embed_texts", "ray::prepare_file")) and process.pid not in killed:
                    os.kill(process.pid, signal.SIGKILL)
                    killed.append(process.pid)
                    break
            time.sleep(0.05)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        on_ray(tmp_path / "index", manuals)
    finally:
        done.set()
        killer.join()
    assert killed
    assert capfd.readouterr().out == ""
    assert published_content(tmp_path / "index") == published_content(local)


def test_a_file_that_ends_its_workers_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    from ray import cloudpickle

    plant = write_plant(tmp_path / "plant")
    edit = FatalEdit("plant/unit2.md")
    with pytest.raises(WorkError, match="No module named 'fatal_edit'"):
        on_ray(tmp_path / "index", plant, config=PLANT, edit=edit, without=LATER)
    cloudpickle.register_pickle_by_value(fatal_edit)
    report = on_ray(tmp_path / "index", plant, config=PLANT, edit=edit, without=LATER)
    (failure,) = report.failed
    assert (failure.source, failure.reason) == ("plant/unit2.md", "worker lost")
    assert "ended the worker" in failure.message
    assert report.added == ["plant/unit1.md", "plant/unit3.md", "plant/unit4.md"]
    harmless = FatalEdit("plant/none.md")  # of the same name: nothing but what was lost is read again
    again = on_ray(tmp_path / "index", plant, config=PLANT, edit=harmless, without=LATER)
    assert (again.added, again.changed, again.failed) == (["plant/unit2.md"], [], [])


def test_what_is_paid_for_is_asked_by_the_driver_under_one_cap(tmp_path: Path) -> None:
    plant = write_plant(tmp_path / "plant", 1, 2)
    with PaidServer() as server:
        build(tmp_path / "local", plant, config=by_model(server, PLANT), index_id=INDEX_ID)
        calls = server.total
    with PaidServer() as server:
        config = by_model(server, PLANT)
        options = {"config": config, "embedder": _hash_embedder()}
        first = on_ray(tmp_path / "index", plant, max_calls=calls // 2, **options)
        assert server.total == calls // 2
        assert first.owed
        second = on_ray(tmp_path / "index", plant, **options)
        assert (second.owed, second.degraded, server.total) == ({}, {}, calls)
        spent = sum(report.cost[stage] for report in (first, second) for stage in report.cost)
        assert spent == pytest.approx(server.money)
    assert published_content(tmp_path / "index") == published_content(tmp_path / "local")


def test_pages_are_seen_by_a_model_that_the_driver_asks(tmp_path: Path) -> None:
    folder = tmp_path / "scans"
    folder.mkdir()
    scanned_pdf(folder / "line.pdf", [[f"Station {name} of the line"] for name in ("alder", "birch")])
    told: list[Event] = []
    with FakeVisionServer() as server:
        seeing = VisionSettings(base_url=server.base_url, model="fake-vision-1", tokens=300)
        config = replace(CONFIG, vision=seeing)
        report = on_ray(tmp_path / "index", folder, config=config, without=LATER, on_event=told.append)
        assert (report.read, report.failed) == ({"native": 2}, [])
        assert report.tokens["native"]["calls"] == len(server.asked) == 2
        (folder / "beside.md").write_text("# Beside\n\nNothing.\n")
        (folder / "line.pdf").touch()
        on_ray(tmp_path / "index", folder, config=config, without=LATER)
        assert len(server.asked) == 2
    last = [event for event in told if event.stage == "native"][-1]
    assert (last.done, last.total) == (2, 2)


def test_a_stop_is_gone_on_from(manuals: Path, local: Path, tmp_path: Path) -> None:
    cancel = threading.Event()

    def stop(event: Event) -> None:
        if event.stage == "index" and event.unit == "files" and event.done:
            cancel.set()

    with pytest.raises(Cancelled):
        on_ray(tmp_path / "index", manuals, cancel=cancel, on_event=stop)
    on_ray(tmp_path / "index", manuals)
    assert published_content(tmp_path / "index") == published_content(local)


def test_workers_that_cannot_be_answered_end_the_build(tmp_path: Path) -> None:
    killed: list[int] = []

    def kill(event: Event) -> None:
        if event.stage == "survey" or killed:
            return
        for process in psutil.Process().children(recursive=True):
            if "ray::RequestDesk" in " ".join(process.cmdline()):
                process.kill()
                killed.append(process.pid)

    plant = write_plant(tmp_path / "plant")
    with pytest.raises(WorkError, match=r"answer(ed)? .*any more"):
        on_ray(tmp_path / "index", plant, config=PLANT, on_event=kill)
    assert len(killed) == 1


class _Service:
    """Answers, but for what it raises: an error that takes more than a message."""

    def get(self, key: str) -> str:
        if key == "two":
            raise _OfTwo("first", second="second")
        return key


class _OfTwo(Exception):
    def __init__(self, first: str, *, second: str) -> None:
        super().__init__(first)


def test_any_number_of_requests_and_any_error_is_answered() -> None:
    import ray
    from treegraph.pipelines.engines.ray_service import DriverService
    from treegraph.pipelines.engines.ray_session import open_desk

    desk = open_desk()
    asked = [desk.ask.remote("cache", "get", (str(number),)) for number in range(1100)]
    fault = desk.ask.remote("cache", "get", ("two",))
    service = DriverService(desk, {"cache": _Service()}, 1, threading.Event())
    try:
        replies = ray.get(asked, timeout=60)
        error = ray.get(fault, timeout=10).error
    finally:
        service.close()
        ray.kill(desk)
    assert [reply.value for reply in replies] == [str(number) for number in range(1100)]
    assert "_OfTwo: first" in str(error)


def test_what_a_worker_cannot_load_is_the_builds_error(tmp_path: Path) -> None:
    plant = write_plant(tmp_path / "plant", 1)
    missing = replace(CONFIG, embed=EmbedSettings(model=f"onnx:{tmp_path / 'none'}"))
    with pytest.raises(ModelUnavailable):
        on_ray(tmp_path / "index", plant, config=missing)


def _hash_embedder() -> object:
    from hash_embedder import FakeHashEmbedder

    return FakeHashEmbedder()


def test_a_cluster_that_is_not_there_is_named_at_once(tmp_path: Path) -> None:
    """In a process of its own: this one has a cluster."""
    plant = write_plant(tmp_path / "plant", 1)
    env = environment(TREEGRAPH_RUN_ADDRESS="127.0.0.1:9", TREEGRAPH_RUN_ENGINE="ray")
    done = command_line(tmp_path, "build", str(plant), "-i", "index", env=env)
    assert done.code == 3
    assert "no Ray cluster answers at 127.0.0.1:9" in done.err


def test_the_doctor_asks_every_node() -> None:
    from treegraph.pipelines.config import Effective

    asked = Effective(replace(CONFIG, run=RAY), None, ())
    (check,) = treegraph.doctor(configure=lambda: asked, only=["Ray"]).checks
    assert (check.name, check.state, check.found) == ("Ray", "ok", "2 processors")


def test_a_cluster_of_its_own_leaves_nothing_behind(tmp_path: Path) -> None:
    plant = write_plant(tmp_path / "plant", 1)
    command = [sys.executable, "-m", "treegraph.pipelines.cli", "build", str(plant), "--engine", "ray"]
    command += ["-i", str(tmp_path / "index"), "--json"]
    env = environment(TREEGRAPH_RUN_WORKERS="1")
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    ) as process:
        out, err = process.communicate(timeout=200)
    assert process.returncode == 0, err
    assert json.loads(out)["documents"]["added"] == ["plant/unit1.md"]
    assert all(line.startswith("building ") for line in err.splitlines())
    assert not list(Path("/tmp").glob(f"treegraph-ray-{process.pid}-*"))
