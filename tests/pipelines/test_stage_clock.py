"""What stages take, when they overlap and run on several threads."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import treegraph
from hash_embedder import FakeHashEmbedder
from small_index import build, manual
from treegraph.pipelines.stage_clock import StageClock, process_time


def _work(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def test_wall_time_counts_once_what_overlaps_and_cpu_time_what_each_thread_computed() -> None:
    clock = StageClock()
    both = threading.Barrier(2)

    def stage() -> None:
        with clock.time("wait"):
            both.wait()
            time.sleep(0.2)

    threads = [threading.Thread(target=stage) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 0.2 <= clock.seconds["wait"] < 0.38
    assert clock.cpu_seconds["wait"] < 0.1


def test_cpu_time_is_the_stage_s_own() -> None:
    clock = StageClock()
    stop = threading.Event()

    def burn() -> None:
        while not stop.is_set():
            pass

    other = threading.Thread(target=burn)
    other.start()
    try:
        with clock.time("own"):
            _work(0.05)
    finally:
        stop.set()
        other.join()
    clock.charge("own", 1.0)
    assert 1.05 <= clock.cpu_seconds["own"] < 1.1


def test_a_stage_within_another_interrupts_it() -> None:
    clock = StageClock()
    with clock.time("outer", alone=True):
        _work(0.05)
        with clock.time("inner"):
            _work(0.1)
            time.sleep(0.1)
        _work(0.05)
    assert 0.1 <= clock.cpu_seconds["outer"] < 0.15
    assert 0.1 <= clock.cpu_seconds["inner"] < 0.15
    assert clock.seconds["inner"] >= 0.2
    assert clock.seconds["outer"] < clock.seconds["inner"] + 0.2


def test_a_stage_that_runs_alone_is_charged_with_all_threads() -> None:
    clock = StageClock()
    with clock.time("alone", alone=True):
        helper = threading.Thread(target=_work, args=(0.1,))
        helper.start()
        helper.join()
    assert clock.cpu_seconds["alone"] >= 0.1


def test_a_build_tells_the_processor_time_of_every_stage(tmp_path: Path) -> None:
    folder = manual(tmp_path / "manuals", pump="# Pump\n\nThe valve opens.\n")
    began = process_time()
    report = build(tmp_path / "index", folder, embedder=FakeHashEmbedder(delay=0.2))
    spent = process_time() - began
    assert set(report.cpu_seconds) == {
        "load",
        "chunk",
        "sparse",
        "embed",
        "store",
        "tree",
        "graph",
        "publish",
    }
    assert report.seconds["embed"] >= 0.2 > report.cpu_seconds["embed"]
    assert report.cpu_seconds["load"] > 0.05, "the start of the parsing child is part of it"
    assert sum(report.cpu_seconds.values()) <= spent + 0.1
    assert report.to_json()["cpu_seconds"].keys() == report.cpu_seconds.keys()
    again = treegraph.build_index([folder], tmp_path / "index", embedder=FakeHashEmbedder())
    assert again.embedded == 0
