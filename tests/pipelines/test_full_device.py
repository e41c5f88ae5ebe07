"""A device that fills at any stage of a build: what is published stays, and the same build goes on later."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

import pytest
import treegraph
from command_line import Here
from index_content import published_content
from prometheus_text import parse
from small_device import SmallDevice
from small_index import build, manual, open_small
from treegraph.indexer.stores.images import ImageFolder
from treegraph.indexer.stores.manifest import read_manifest, write_manifest
from treegraph.pipelines.runs import runs

STAGES = [("survey", 2), ("index", 1), ("index", 4), ("graph", 1), ("publish", 1)]
"""Stages, and at which of its events the device is full."""


@pytest.fixture(scope="module")
def device(require_or_skip: Callable[[str, str], NoReturn]) -> Iterator[SmallDevice]:
    with TemporaryDirectory() as folder:
        try:
            small = SmallDevice(Path(folder))
        except OSError as error:
            require_or_skip("device", f"no small device can be made here: {error}")
        yield small
        small.close()


def test_a_build_that_finds_the_device_full_loses_nothing(device: SmallDevice, tmp_path: Path) -> None:
    index, source = device.path / "index", manual(tmp_path / "m", a="# A\n\nThe Valve VX-12 sees 4.2.\n")
    build(index, source)
    before = published_content(index)
    for number, (stage, event) in enumerate(STAGES):
        (source / f"new{number}.md").write_text(f"# New {number}\n\nThe Pump PX-{number} drives VX-12.\n")
        (source / f"new{number - 1}.md").unlink(missing_ok=True)
        left = [event]

        def fill(seen: treegraph.Event, stage: str = stage, left: list[int] = left) -> None:
            left[0] -= seen.stage == stage
            if left == [0]:
                left[0] = -1
                device.fill()

        with pytest.raises(treegraph.StoreFull) as full:
            build(index, source, on_event=fill)
        assert full.value.exit_code == 3
        assert re.search(r"\b0 MB are free", str(full.value))
        assert re.search(r"needs (about )?[1-9]\d* MB", str(full.value))
        assert published_content(index) == before, (stage, "what is published changed")
        with open_small(index) as opened:
            assert opened.search("VX-12", route="hybrid", k=1)
        device.clear()
        assert build(index, source).added == [f"m/new{number}.md"]
        before = published_content(index)
    told = [(run["outcome"], run["reason"]) for run in runs(index, None)["runs"]]
    assert told[0::2][:-1] == [("published", "")] * (len(told[0::2]) - 1)
    assert ("failed", "store full") in told


def test_pictures_and_the_manifest_say_what_is_free_and_needed(device: SmallDevice, tmp_path: Path) -> None:
    index = device.path / "other"
    build(index, manual(tmp_path / "m", a="# A\n\nOne.\n"))
    manifest = read_manifest(index)
    device.fill()
    try:
        for write in (
            lambda: ImageFolder(index / "images").put(bytes(9000)),
            lambda: write_manifest(index, manifest),
        ):
            with pytest.raises(treegraph.StoreFull, match=r"0 MB are free and a build needs about \d+ MB"):
                write()
        assert read_manifest(index) == manifest
    finally:
        device.clear()


def test_the_command_exits_3_and_its_metrics_are_no_second_failure(
    device: SmallDevice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    index, source = device.path / "third", manual(tmp_path / "m", a="# A\n\nOne.\n")
    build(index, source)
    here = Here.entered(tmp_path, monkeypatch, capsys)
    device.fill()
    try:
        done = here("build", "m", "-i", str(index), "--metrics-file", str(device.path / "m.prom"))
        outside = here("build", "m", "-i", str(index), "--metrics-file", "m.prom")
        assert here("status", "-i", str(index), "--json").json("status")["generation"] == 1
    finally:
        device.clear()
    assert (done.code, outside.code) == (3, 3)
    assert "MB are free and a build needs" in done.err
    assert f"the metrics are not in {device.path}/m.prom: No space left" in done.err
    assert not list(device.path.glob("*prom*"))
    assert list(parse((tmp_path / "m.prom").read_text())["treegraph_run_info"].by("reason")) == ["store full"]
